"""The page of the server in headless Chromium; skipped where none is installed.

Usage: serve_page_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import re
import tempfile

import browser
import program
from server import Server

GUIDE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "guide", "serve.md")
MOST = 12  # clicks and keys of a task; a value that is typed counts as one


class PageTest(browser.BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self):
        self.browser.look(1280, 800)
        self.browser.open(f"http://127.0.0.1:{self.server.port}/")
        self.browser.until("document.querySelector('.tile') && true")

    def type(self, text):
        self.browser.value(f"at('text').value = {json.dumps(text)}; at('text').dispatchEvent(new Event('input'))")

    def test_it_shows_bounds_and_the_simulated_report(self):
        self.assertIn("GPU utilization", self.browser.value("at('tiles').innerText"))
        self.assertNotIn("job.train", self.browser.value("at('tiles').innerText"))
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

    def test_its_texts_are_proofread(self):
        """No word twice in a row, no name cut in its middle, nothing that a script left, and no word about
        simulations to come beside one that is there."""
        self.browser.value("at('run').click()")
        self.browser.until("document.querySelector('#report iframe') && true")
        text = self.browser.value("document.body.innerText")
        self.assertEqual(re.findall(r"\b([A-Za-z]+) \1\b", text), [])
        for word in ("undefined", "NaN", "null", "[object", "nothing is simulated yet", "set the bound: it sets",
                     "Reports are shown here", "simulate to tell"):
            self.assertNotIn(word, text)
        # At any width: a name goes on in the next line behind a dot only.
        self.browser.look(390, 844)
        cut = """(() => { const cut = [], range = document.createRange();
          for (const e of document.querySelectorAll('.tile b, .tile span'))
            for (const node of e.childNodes) if (node.data) for (const word of node.data.matchAll(/\\S+/g)) {
              range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
              if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) cut.push(word[0]) }
          return cut })()"""
        self.assertEqual(self.browser.value(cut), [])

    def test_it_says_and_draws_what_the_report_does(self):
        before = self.browser.value("at('picture').innerHTML")
        self.assertIn("16 x NVIDIA DGX H100", self.browser.value("at('system-line').innerText"))
        self.browser.value("at('run').click()")
        self.browser.until("document.querySelector('#report iframe') && true")
        self.browser.value("window.report = new DOMParser().parseFromString(shownRun.report, 'text/html')")
        for part in ("verdict", "limit", "advice"):
            texts = self.browser.value(f"[report, at('said')].map(p => p.querySelector('p.{part}')?.textContent)")
            self.assertEqual(texts[0], texts[1], part)
        self.assertEqual(self.browser.value("report.querySelector('p.system').textContent"),
                         self.browser.value("at('system-line').textContent"))
        self.assertEqual(self.browser.value("report.getElementById('system').textContent"),
                         self.browser.value("at('system').textContent"))
        self.assertNotEqual(self.browser.value("at('picture').innerHTML"), before)

    def done(self):
        self.browser.until("document.querySelector('#report iframe') && !at('hand').hidden")

    def test_what_is_drawn_is_the_design_in_the_editor(self):
        """Also beside a comparison, whose first drawing is that of the design that was kept."""
        good = self.browser.value("at('text').value")
        self.browser.value("at('keep').click()")
        self.type(good.replace('"count": 16, "use"', '"count": 5, "use"'))
        self.browser.until("at('picture').textContent.includes('5 x NVIDIA') && !at('compare').disabled")
        self.browser.value("at('compare').click()")
        self.done()
        self.assertIn("5 x NVIDIA", self.browser.value("at('picture').textContent"))
        self.assertNotIn("16 x NVIDIA", self.browser.value("at('picture').textContent"))

    def test_what_is_of_the_text_before_a_change_is_marked(self):
        good = self.browser.value("at('text').value")
        self.browser.value("at('run').click()")
        self.done()
        self.browser.until("at('method').textContent === 'Simulation'")
        old = "['said', 'report'].map(id => at(id).classList.contains('old')).join() + at('stale').hidden"
        self.assertEqual(self.browser.value(old), "false,falsetrue")
        self.type(good.replace('"count": 16, "use"', '"count": 5, "use"'))
        self.browser.until("at('picture').textContent.includes('5 x NVIDIA')")
        self.assertEqual(self.browser.value(old), "true,truefalse")
        self.assertEqual(self.browser.value("at('method').textContent"), "Estimate")
        # A text with a fault has no bounds: what is left of the one before it is greyed, too.
        self.type("{")
        self.browser.until("at('run').disabled")
        self.assertEqual(self.browser.value("['tiles', 'picture'].map(id => at(id).classList.contains('old')).join()"),
                         "true,true")
        self.type(good)
        self.browser.until("!at('run').disabled")
        self.assertEqual(self.browser.value(old), "false,falsetrue")

    def test_tiles_say_what_a_check_and_an_explanation_simulated(self):
        for button in ("check", "explain"):
            self.setUp()
            self.browser.value(f"at('{button}').click()")
            self.done()
            self.browser.until("at('method').textContent === 'Simulation'")
            tiles = self.browser.value("at('tiles').innerText")
            self.assertNotIn("simulate to tell", tiles)
            self.assertIn("GPU utilization >= 95 %", tiles)

    def test_an_estimate_says_its_figures_as_reports_do(self):
        good = self.browser.value("at('text').value")
        self.type(good.replace('"use": "host/dgx-h100"', '"use": "host/dgx-h100", "price": "300 kUSD", "power": "10 kW"')
                  .replace('"write": "4 GB/s"', '"write": "4 GB/s", "capacity": "90 TB"'))
        self.browser.until("at('tiles').innerText.includes('USD')")
        tiles = self.browser.value("at('tiles').innerText")
        self.assertIn("full after", tiles)
        self.assertIn("at least", tiles)  # of what idle GPUs cost: they are busy at most as bounds allow
        for raw in ("cost.", "power.", "capacity.", "full_after"):
            self.assertNotIn(raw, tiles)

    def test_bars_are_as_high_as_what_is_in_them(self):
        self.browser.value("for (const id of ['cancel', 'progress', 'hand']) at(id).hidden = false")
        for width, height in ((1280, 1000), (1280, 500), (390, 844)):
            self.browser.look(width, height)
            cut = "[...document.querySelectorAll('#answer > .bar')].filter(b => b.scrollHeight > b.clientHeight + 1).length"
            self.assertEqual(self.browser.value(cut), 0)


class Hands:
    """Somebody with a mouse and a keyboard; counts what they do."""

    def __init__(self, tab):
        self.tab, self.count = tab, 0

    def click(self, name):
        """A button or link by its name, where it is seen."""
        place = self.tab.value(f"""(() => {{
          const e = [...document.querySelectorAll('button, a')].find(e => e.textContent === {json.dumps(name)} && !e.disabled
            && e.checkVisibility());
          if (!e) return null;
          e.scrollIntoView({{ block: 'center' }});
          const r = e.getBoundingClientRect();
          return [r.left + r.width / 2, r.top + r.height / 2] }})()""")
        assert place, f"no {name} to click: " + self.tab.value("document.body.innerText")
        for kind in ("mousePressed", "mouseReleased"):
            self.tab.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
        self.count += 1

    def replace(self, old, new):
        """Selects a value in the scenario with a double click, and types another."""
        assert self.tab.value(f"""(() => {{ const i = at('text').value.indexOf({json.dumps(old)});
          at('text').focus(); at('text').setSelectionRange(i, i + {len(old)}); return i >= 0 }})()"""), old
        self.tab.call("Input.insertText", text=new)
        self.count += 2
        self.tab.until("at('tiles').classList.contains('old') === false && !at('run').disabled")

    def report(self):
        self.tab.until("document.querySelector('#report iframe') && !at('hand').hidden")
        return self.tab.value("shownRun.report")


class FiveTasks(browser.BrowserTest):
    """What people come for, by the page alone: none takes more than twelve clicks and keys."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)
        with open(GUIDE, encoding="utf-8") as file:
            cls.told = dict(re.findall(r"^\| ([a-z ]+) \| .* \| (\d+) \|$", file.read(), re.MULTILINE))

    def setUp(self):
        self.browser.look(1280, 800)
        self.browser.open(f"http://127.0.0.1:{self.server.port}/")
        self.browser.until("document.querySelector('.tile') && !at('run').disabled")
        self.hands = Hands(self.browser)

    def done(self, task):
        self.assertLessEqual(self.hands.count, MOST)
        self.assertEqual(self.told.get(task), str(self.hands.count), f"docs/guide/serve.md on: {task}")

    def test_size_storage(self):
        self.hands.replace(">= 95 %", ">= 96 %")
        self.hands.click("Size")
        self.assertIn("needs ", self.hands.report())
        self.assertIn("needs ", self.browser.value("at('said').innerText"))
        self.done("size storage")

    def test_explain_a_design(self):
        self.hands.click("Explain")
        self.assertIn("What each number is made of", self.hands.report())
        self.done("explain a design")

    def test_compare_two_designs(self):
        self.hands.click("Keep")
        self.hands.replace('"async"', '"sync"')
        self.hands.click("Compare")
        report = self.hands.report()
        for part in ("kept", "now", "stall per save"):
            self.assertIn(part, report)
        self.done("compare two designs")

    def test_check_against_targets(self):
        self.hands.replace("< 10 s", "< 1 ms")
        self.hands.click("Check")
        self.assertIn(">fail<", self.hands.report())
        self.assertIn("1 failed", self.browser.value("at('said').innerText"))
        self.done("check against targets")

    def test_hand_to_a_manager(self):
        with tempfile.TemporaryDirectory() as folder:
            self.browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.hands.click("Simulate")
            self.hands.report()
            self.hands.click("Save slide")
            self.hands.click("Save report")
            for name, part in (("slide.html", '<main class="slide">'), ("report.html", "What this rests on")):
                browser.wait_for(lambda path=os.path.join(folder, name): os.path.exists(path))
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertIn(part, file.read())
        self.done("hand to a manager")


if __name__ == "__main__":
    program.main()
