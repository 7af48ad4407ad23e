"""Headless Chromium through the pipe of the DevTools protocol: one tab."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import program

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SKIPPED = 77  # what CTest takes for "skipped"


class Browser:
    def __init__(self):
        # Its other processes may still write for a moment when the first one has ended.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (from_us, self.to), (self.back, to_us) = os.pipe(), os.pipe()
        script = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", str(from_us), str(to_us), CHROMIUM, "--headless", "--no-sandbox",
             "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name,
             "about:blank"],
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
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.said.append(answer)

    def value(self, expression):
        """What JavaScript says, with what it promises."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def until(self, expression):
        for _ in range(int(program.patience(600))):
            if value := self.value(expression):
                return value
            time.sleep(0.05)
        raise AssertionError(expression + ": " + str(self.value("document.body.innerText")))

    def open(self, url):
        """Leaves the page that is shown for another, and waits until that is complete."""
        self.value("window.leaving = true")
        self.call("Page.navigate", url=url)
        self.until("!window.leaving && document.readyState === 'complete'")

    def look(self, width, height, dark=False, letters=16):
        """The size of the window, the colours, and the size of letters that somebody prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.setFontSizes", fontSizes={"standard": letters, "fixed": letters * 13 // 16})
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def wait_for(condition):
    for _ in range(int(program.patience(600))):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it does not come")


def browser_or_skip():
    """Leaves the whole test as skipped where no browser is installed; one that does not start is a fault."""
    if CHROMIUM is None:
        print("skipped: no chromium is installed")
        raise SystemExit(SKIPPED)
    return Browser()


class BrowserTest(unittest.TestCase):
    """Tests that share one browser."""

    @classmethod
    def setUpClass(cls):
        cls.browser = browser_or_skip()
        cls.addClassCleanup(cls.browser.close)
