"""Pages as people see them, in headless Chromium: each kind at four sizes, in light and in dark. Skipped where
no browser is installed.

Usage: pages_test.py PATH_OF_STALLCAST [unittest options]."""

import os
import subprocess
import tempfile

import browser
import program
from server import Server

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
with open(os.path.join(os.path.dirname(__file__), "page_audit.js"), encoding="utf-8") as script:
    AUDIT = script.read()

#: Width, height and letters of the window: a laptop, a desktop, a phone, letters twice as large.
SIZES = ((1280, 800, 16), (1920, 1080, 16), (390, 844, 16), (1280, 800, 32))

FAILS = ("examples/exercise-512-h100-async.json", "--set", "params.n_ost=40")
#: What each page is of: a run that fails, with draws; one that passes; several stores; tiers.
PAGES = {
    "run, fails, draws": ("run", *FAILS, "--draws", "32", "--format", "html"),
    "run, passes": ("run", "scenarios/library/llm-async-ckpt.json", "--draws", "0", "--format", "html"),
    "run, several stores": ("run", "scenarios/library/two-tier-dataset.json", "--draws", "0", "--no-advice",
                            "--format", "html"),
    "run, tiers": ("run", "scenarios/library/tiered-saves.json", "--draws", "0", "--no-advice", "--format", "html"),
    "slide": ("run", "examples/lustre-512-gpus.json", "--draws", "0", "--format", "slide"),
    "plan": ("plan", "examples/lustre-512-gpus.json", "--replicas", "1", "--format", "html"),
    "explain": ("explain", *FAILS, "--format", "html"),
    "sweep": ("sweep", "scenarios/library/llm-sync-ckpt.json", "--vary", "storage.scratch.ost.count=8,16", "--vary",
              "jobs.train.checkpoint.every=5 min,20 min", "--format", "html"),
    "check": ("check", *FAILS, "--format", "html"),
    "compare": ("compare", "examples/exercise-512-h100-sync.json", "examples/exercise-512-h100-async.json", "--draws",
                "0", "--format", "html"),
    "diff": ("diff", "examples/exercise-512-h100-sync.json", "examples/exercise-512-h100-async.json", "--format",
             "html"),
    "grow": ("grow", "scenarios/library/growing-images.json", "--replicas", "1", "--format", "html"),
}
#: What somebody acts on has a name that is read aloud.
ACTED_ON = {"button", "link", "textbox", "checkbox", "combobox", "slider", "DisclosureTriangle", "spinbutton", "tab"}


class PagesTest(browser.BrowserTest):
    def audit(self, page):
        found = []
        for width, height, letters in SIZES:
            for dark in (False, True):
                self.browser.look(width, height, dark, letters)
                where = f"{page}, {width}x{height}, letters of {letters}, {'dark' if dark else 'light'}: "
                found += [where + fault for fault in self.browser.value(AUDIT)]
        for node in self.browser.call("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            if not node.get("ignored") and role in ACTED_ON and not node.get("name", {}).get("value"):
                found.append(f"{page}: a {role} without a name")
        return found

    def test_every_kind_of_page_can_be_read_at_every_size(self):
        found = []
        with tempfile.TemporaryDirectory() as folder:
            made = {}
            for name, words in PAGES.items():
                path = os.path.join(folder, name.replace(", ", "-") + ".html")
                with open(path, "wb") as out:
                    made[name] = path, subprocess.Popen([program.STALLCAST, *words, "--quiet"], cwd=ROOT, stdout=out,
                                                        stderr=subprocess.PIPE)
                    if len(made) % 2 == 0:
                        made[name][1].wait(120)
            for name, (path, process) in made.items():
                error = process.communicate(timeout=program.patience(120))[1]
                self.assertGreater(os.path.getsize(path), 1000, f"{name}: {error.decode()}")
                self.browser.look(1280, 800)
                self.browser.open("file://" + path)
                found += self.audit(name)
        self.assertEqual(found, [], "\n".join(found))

    def test_the_page_of_the_server_can_be_read_at_every_size(self):
        with Server() as server:
            self.browser.open(f"http://127.0.0.1:{server.port}/")
            self.browser.until("document.querySelector('.tile') && true")
            found = self.audit("before anything is simulated")
            self.browser.value("at('run').click()")
            self.browser.until("document.querySelector('#report iframe') && true")
            found += self.audit("with a report")
        self.assertEqual(found, [], "\n".join(found))


if __name__ == "__main__":
    program.main()
