"""The CI kit: workflows that `ci init` writes, the script of the action, and the example.

Usage: ci_test.py PATH_OF_STALLCAST [unittest options]. Runs in the source tree.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import program
from check_support import EASY, HARD, Folder

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Init(unittest.TestCase):
    def run_in(self, folder, *args):
        return subprocess.run([program.STALLCAST, "ci", "init", *args], cwd=folder,
                              capture_output=True, text=True, check=False)

    def test_a_workflow_is_written_once_and_replaced_only_by_force(self):
        for system, name, origin in (
                ("github", ".github/workflows/stallcast.yml", "acme/stallcast@v1"),
                ("gitlab", ".gitlab/stallcast.yml", "registry.acme.com:5000/stallcast:1")):
            with tempfile.TemporaryDirectory() as folder:
                done = self.run_in(folder, system, "--from", origin)
                self.assertEqual((done.returncode, done.stdout), (0, name + "\n"), done.stderr)
                text = pathlib.Path(folder, name).read_text(encoding="utf-8")
                self.assertIn(": " + origin + "\n", text)
                self.assertNotIn("@FROM@", text)
                self.assertEqual(self.run_in(folder, system, "--from", origin).returncode, 2)
                done = self.run_in(folder, system, "--from", "b/c@d", "--force")
                self.assertEqual(done.returncode, 0)
                printed = self.run_in(folder, system, "--from", origin, "--output", "-")
                self.assertEqual(printed.stdout, text)

    def test_two_without_a_known_system_or_a_plain_origin(self):
        for args in ([], ["jenkins", "--from", "x"], ["github"], ["github", "--from", "a: b\n"]):
            with tempfile.TemporaryDirectory() as folder:
                done = self.run_in(folder, *args)
                self.assertEqual(done.returncode, 2, args)
                self.assertIn("hint: ", done.stderr)
                self.assertEqual(os.listdir(folder), [])


class Action(unittest.TestCase):
    def check(self, folder, **env):
        done = subprocess.run(["bash", str(ROOT / "ci" / "check.sh")], cwd=folder.path, text=True,
                              env={**os.environ, "STALLCAST": program.STALLCAST,
                                   "STALLCAST_ARGS": "--no-advice", **env},
                              capture_output=True, check=False)
        return done

    def test_the_script_leaves_all_reports_and_the_exit_code(self):
        folder = Folder(**{"designs/a": EASY, "designs/deep/b": HARD})
        self.addCleanup(folder.cleanup)
        done = self.check(folder, STALLCAST_SCENARIOS="designs/**/*.json", GITHUB_ACTIONS="true",
                          GITHUB_OUTPUT=os.path.join(folder.path, "output"), GITHUB_STEP_SUMMARY="")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("::error file=designs/deep/b.json,", done.stdout)
        self.assertEqual(folder.read("output"), "exit-code=1\nreports=stallcast-reports\n")
        self.assertEqual(sorted(os.listdir(os.path.join(folder.path, "stallcast-reports"))),
                         ["check.html", "check.json", "code-quality.json", "comment.md",
                          "junit.xml", "stallcast.sarif"])

    def test_the_script_takes_a_baseline_and_a_policy_and_refuses_nothing(self):
        folder = Folder(a=EASY)
        self.addCleanup(folder.cleanup)
        folder.check("a.json", "--baseline", "base file.json", "--update-baseline")
        folder.write("p.json", '{ "expect": [ { "that": "job.*.goodput >= 99.9 %" } ] }')
        done = self.check(folder, STALLCAST_SCENARIOS="a.json", STALLCAST_POLICY="p.json",
                          STALLCAST_BASELINE="base file.json", GITHUB_ACTIONS="")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.check(folder, STALLCAST_SCENARIOS="no/*.json").returncode, 2)

    def test_no_input_of_the_action_becomes_part_of_a_script(self):
        text = (ROOT / "action.yml").read_text(encoding="utf-8")
        for line in text.splitlines():
            if line.strip().startswith("run:"):
                self.assertNotIn("${{", line)
        names = set(re.findall(r"inputs\.([a-z]+)", text))
        declared = re.search(r"(?ms)^inputs:\n(.*?)^outputs:", text)[1]
        self.assertEqual(names, set(re.findall(r"(?m)^  ([a-z]+):$", declared)))


class Example(unittest.TestCase):
    """examples/ci-regression: what is there passes, what is planted is caught."""

    ARGS = ["check", "designs/llm.json", "designs/vision.json", "--policy", "policy.json",
            "--baseline", "baseline.json", "--no-advice", "--report", "json"]

    def run_example(self, folder, *args):
        done = subprocess.run([program.STALLCAST, *self.ARGS, *args], cwd=folder, text=True,
                              capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout)

    def test_it_passes_as_it_is(self):
        code, report = self.run_example(ROOT / "examples" / "ci-regression")
        self.assertEqual(code, 0, report)
        self.assertEqual(report["stale"], [])
        states = {a["baseline"]["state"] for s in report["scenarios"] for a in s["assertions"]}
        self.assertEqual(states, {"unchanged"})

    def test_every_planted_change_is_caught(self):
        for old, new, file, assertion in (
                ('"count": 10', '"count": 8', "common", "stall"),
                ('"nic": "400 Gb/s"', '"nic": "200 Gb/s"', "common", "stall"),
                ('"every": "30 min"', '"every": "5 min"', "llm", "overhead")):
            with tempfile.TemporaryDirectory() as copy:
                folder = pathlib.Path(copy, "example")
                shutil.copytree(ROOT / "examples" / "ci-regression", folder)
                path = folder / "designs" / (file + ".json")
                text = path.read_text(encoding="utf-8")
                self.assertIn(old, text)
                path.write_text(text.replace(old, new), encoding="utf-8")
                code, report = self.run_example(folder)
                self.assertEqual(code, 1, new)
                worse = {(s["id"], a["id"]) for s in report["scenarios"] for a in s["assertions"]
                         if a["status"] == "fail" and a["baseline"]["regression"]}
                self.assertIn(("llm", assertion), worse)


if __name__ == "__main__":
    program.main()
