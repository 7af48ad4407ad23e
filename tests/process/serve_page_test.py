"""The page of the server in headless Chromium; skipped where there is none.

Usage: serve_page_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import program
from server import Server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One tab, through the pipe of the DevTools protocol."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        (from_us, self.to), (self.back, to_us) = os.pipe(), os.pipe()
        script = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", str(from_us), str(to_us), CHROMIUM, "--headless", "--no-sandbox",
             "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name, "about:blank"],
            pass_fds=(from_us, to_us), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.number, self.rest, self.session, self.said = 0, b"", None, []
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                data = os.read(self.back, 65536)
                if not data:
                    raise RuntimeError("the browser ended")
                self.rest += data
            one, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.number:
                return answer["result"]
            self.said.append(answer)

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def until(self, expression):
        for _ in range(600):
            if value := self.value(expression):
                return value
            time.sleep(0.05)
        raise AssertionError(expression + ": " + str(self.value("document.body.innerText")))


@unittest.skipUnless(CHROMIUM, "there is no chromium")
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)
        try:
            cls.browser = Browser()
        except (RuntimeError, OSError) as why:
            raise unittest.SkipTest(f"chromium does not start here: {why}")
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.call("Page.navigate", url=f"http://127.0.0.1:{self.server.port}/")
        self.browser.until("document.querySelector('.tile') && true")

    def type(self, text):
        self.browser.value(f"at('text').value = {json.dumps(text)}; at('text').dispatchEvent(new Event('input'))")

    def test_it_shows_bounds_and_the_simulated_report(self):
        self.assertIn("GPU utilization", self.browser.value("at('tiles').innerText"))
        self.browser.value("at('run').click()")
        self.browser.until("document.querySelector('#report iframe') && true")
        self.assertIn("my-cluster", self.browser.value("document.querySelector('#report iframe').srcdoc"))
        # It saves charts with a script of ours, and sees nothing of the page around it.
        self.assertEqual(self.browser.value("document.querySelector('#report iframe').sandbox.value"),
                         "allow-scripts allow-downloads")

    def test_problems_stand_at_their_lines_and_go_away(self):
        good = self.browser.value("at('text').value")
        self.type(good.replace('"lustre"', '"lustr"'))
        self.browser.until("at('problems').innerText.includes('line 6')")
        self.assertEqual(self.browser.value("[...document.querySelectorAll('#lines .bad')].map(l => l.textContent).join()"),
                         "6")
        self.assertTrue(self.browser.value("at('run').disabled"))
        self.type(good)
        self.browser.until("at('problems').innerText === 'no problems'")

    def test_what_a_scenario_says_is_text(self):
        bad = '{ "<img src=x onerror=alert(1)>": 1 }'
        self.type(bad)
        self.browser.until("at('problems').innerText.includes('<img')")
        self.assertEqual(self.browser.value("document.images.length"), 0)

    def test_nothing_is_fetched_from_elsewhere_and_nothing_is_blocked(self):
        self.browser.value("at('run').click()")
        self.browser.until("document.querySelector('#report iframe') && true")
        self.browser.call("Page.getFrameTree")
        urls = [m["params"]["request"]["url"] for m in self.browser.said if m.get("method") == "Network.requestWillBeSent"]
        self.assertTrue(urls)
        for url in urls:
            self.assertTrue(url.startswith((f"http://127.0.0.1:{self.server.port}/", "data:", "about:")), url)
        logged = [m["params"]["entry"]["text"] for m in self.browser.said if m.get("method") == "Log.entryAdded"]
        self.assertEqual([t for t in logged if "Content Security Policy" in t], [])


if __name__ == "__main__":
    program.main()
