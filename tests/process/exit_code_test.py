"""docs/reference/exit-codes.md, one cell a verb and code. What else each verb does is tested elsewhere.

Usage: exit_code_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

import program

SCENARIO = """{
  "id": "%(id)s",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": %(osts)s, "read": "4 GB/s", "write": "4 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
              "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" } } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 1 },
  "sweep": { "storage.scratch.ost.count": [8, 9] },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= %(limit)s" } ]
}
"""
FILES = {"good.json": SCENARIO % {"id": "good", "osts": "8", "limit": "10 %"},
         "more.json": SCENARIO % {"id": "more", "osts": "16", "limit": "10 %"},
         "miss.json": SCENARIO % {"id": "miss", "osts": "8", "limit": "99.99 %"},
         "open.json": (SCENARIO % {"id": "open", "osts": "8", "limit": "10 %"}).replace(
             '"10 min"', '"30 s"').replace("train.gpu.utilization >= 10 %", "train.checkpoint.stall <= 5 s"),
         "bad.json": (SCENARIO % {"id": "bad", "osts": "8", "limit": "10 %"}).replace("read", "raed")}
HANG, CRASH = {"STALLCAST_SIM_FAULT": "hang"}, {"STALLCAST_SIM_FAULT": "abort"}

# verb, code, arguments, environment
CELLS = [
    ("run", 0, ["good.json"], {}),
    ("run", 1, ["miss.json"], {}),
    ("run", 2, ["bad.json"], {}),
    ("run", 3, ["good.json", "--time-limit", "500 ms"], HANG),
    ("run", 3, ["open.json"], {}),
    ("run", 4, ["good.json"], CRASH),
    ("plan", 0, ["good.json"], {}),
    ("plan", 1, ["miss.json"], {}),
    ("plan", 2, ["bad.json"], {}),
    ("plan", 2, ["open.json"], {}),
    ("plan", 3, ["good.json", "--time-limit", "500 ms"], HANG),
    ("plan", 4, ["good.json"], CRASH),
    ("explain", 0, ["miss.json"], {}),
    ("explain", 0, ["open.json"], {}),
    ("explain", 2, ["good.json", "job.train.no"], {}),
    ("explain", 3, ["good.json", "--time-limit", "500 ms"], HANG),
    ("explain", 4, ["good.json"], CRASH),
    ("diff", 0, ["good.json", "more.json"], {}),
    ("diff", 1, ["good.json", "more.json", "--exit-code"], {}),
    ("diff", 2, ["good.json", "bad.json"], {}),
    ("diff", 3, ["good.json", "more.json", "--time-limit", "500 ms"], HANG),
    ("diff", 4, ["good.json", "more.json"], CRASH),
    ("check", 0, ["good.json", "more.json"], {}),
    ("check", 1, ["good.json", "miss.json"], {}),
    ("check", 2, ["miss.json", "bad.json"], {}),
    ("check", 3, ["good.json", "open.json"], {}),
    ("check", 3, ["good.json", "--time-limit", "500 ms"], HANG),
    ("check", 4, ["miss.json"], CRASH),
    ("sweep", 0, ["miss.json"], {}),
    ("sweep", 1, ["miss.json", "--need-pass"], {}),
    ("sweep", 2, ["bad.json"], {}),
    ("sweep", 3, ["good.json", "--time-limit", "500 ms"], HANG),
    ("sweep", 4, ["good.json"], CRASH),
    ("lint", 0, ["miss.json"], {}),
    ("lint", 2, ["good.json", "bad.json"], {}),
    ("resolve", 0, ["good.json"], {}),
    ("resolve", 2, ["bad.json"], {}),
]
SIMULATE = {"run": ["good.json"], "plan": ["good.json"], "explain": ["good.json"],
            "diff": ["good.json", "more.json"], "check": ["good.json"], "sweep": ["good.json"]}


class ExitCodes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        for name, text in FILES.items():
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def start(self, args, env):
        return subprocess.Popen([program.STALLCAST, *args], cwd=self.folder, text=True,
                                env={**os.environ, "GITHUB_STEP_SUMMARY": "", **env},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_every_verb_ends_with_the_code_of_the_table(self):
        for verb, code, args, env in CELLS:
            with self.subTest(verb=verb, code=code):
                process = self.start([verb, *args], env)
                out, err = process.communicate(timeout=program.patience(100))
                self.assertEqual(process.returncode, code, out + err)
                if code in (2, 4):
                    self.assertNotEqual(out + err, "")
                if code == 4:  # the message names the saved design, and it is there
                    saved = [name for name in os.listdir(self.folder) if name.startswith("stallcast-crash-")]
                    self.assertTrue(any(name in out + err for name in saved), (saved, out + err))

    def test_a_word_that_catalog_lacks_or_does_not_take_is_named(self):
        for args, said in ((["show"], "needs the ID"), (["list", "host"], "takes no ID"), (["sho"], '"sho"'),
                           (["show", "dgx-h"], "it has host/dgx-h100"), (["sam/ung"], '"sam/ung"')):
            process = self.start(["catalog", *args], {})
            self.assertIn(said, process.communicate(timeout=program.patience(60))[1])
            self.assertEqual(process.returncode, 2)

    def test_a_signal_ends_every_verb_that_simulates_and_leaves_nobody_behind(self):
        for verb, args in SIMULATE.items():
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                with self.subTest(verb=verb, code=code):
                    process = self.start([verb, *args], HANG)
                    children = f"/proc/{process.pid}/task/{process.pid}/children"
                    deadline, workers = time.monotonic() + program.patience(60), []
                    while not workers and time.monotonic() < deadline:
                        time.sleep(0.02)
                        with open(children, encoding="utf-8") as file:
                            for worker in file.read().split():
                                with open(f"/proc/{worker}/task/{worker}/children", encoding="utf-8") as deeper:
                                    workers += deeper.read().split()
                    process.send_signal(number)
                    out, err = process.communicate(timeout=program.patience(60))
                    self.assertEqual(process.returncode, code, out + err)
                    if verb in ("run", "explain"):
                        self.assertIn(f"partial: interrupted by signal {number}", " ".join(out.split()))
                    for worker in workers:
                        self.assertFalse(os.path.exists(f"/proc/{worker}") and self.runs(worker))

    def cut_off(self, *args):
        process = self.start([*args, "--time-limit", "500 ms"], HANG)
        out, err = process.communicate(timeout=program.patience(60))
        self.assertEqual(process.returncode, 3, out + err)
        self.assertIn("time limit reached", err)
        return out

    def test_before_any_simulation_ends_a_run_reports_what_bounds_say(self):
        """As /v1/estimate and explain --no-simulation have it, and nothing is decided by it."""
        for scenario in ("good.json", "miss.json"):
            out = json.loads(self.cut_off("run", scenario, "--format", "json"))
            self.assertEqual((out["method"], out["verdict"], out["seeds"]), ("estimate", "inconclusive", []))
            self.assertIn("time limit reached", out["partial"])
            self.assertIn("partial: time limit reached", out["warnings"][0])
            process = self.start(["explain", scenario, "--no-simulation", "--format", "json"], {})
            bound = json.loads(process.communicate(timeout=program.patience(60))[0])["bound"]
            self.assertEqual(out["metrics"]["job.train.gpu.utilization"]["value"], bound["utilization"])
        for form in ("text", "csv", "markdown", "html", "slide"):
            out = " ".join(self.cut_off("run", "good.json", "--format", form).split())
            self.assertIn("gpu.utilization" if form == "csv" else "time limit reached", out, form)

    def test_before_any_simulation_ends_explain_reports_closed_forms(self):
        out = json.loads(self.cut_off("explain", "good.json", "--format", "json"))
        self.assertIn("time limit reached", out["partial"])
        process = self.start(["explain", "good.json", "--no-simulation", "--format", "json"], {})
        whole = json.loads(process.communicate(timeout=program.patience(60))[0])
        self.assertNotIn("partial", whole)
        self.assertEqual(out["trees"], whole["trees"])
        for form in ("text", "markdown", "html"):
            out = " ".join(self.cut_off("explain", "good.json", "--format", form).split())
            self.assertIn("time limit reached", out, form)

    def test_before_any_simulation_ends_verbs_of_several_designs_report_what_is_known(self):
        """Bounds of the design as it is, or of each; and of a diff the inputs that changed."""
        bounds = json.loads(self.cut_off("run", "good.json", "--format", "json"))["metrics"]
        for verb in (["plan", "good.json"], ["grow", "good.json", "--of", "storage.ost.count=+1/month"],
                     ["compare", "good.json", "more.json"], ["diff", "good.json", "more.json"]):
            out = json.loads(self.cut_off(*verb, "--format", "json"))
            if verb[0] in ("plan", "grow"):
                self.assertEqual((out["verdict"], out["metrics"]), ("inconclusive", bounds))
            if verb[0] == "compare":
                self.assertEqual([d["result"]["verdict"] for d in out["designs"]], ["inconclusive"] * 2)
            if verb[0] == "diff":
                self.assertTrue(out["inputs"])
                self.assertEqual(out["metrics"], [])
            for form in ("text", "csv", "markdown", "html"):
                out = " ".join(self.cut_off(*verb, "--format", form).split())
                self.assertTrue(out if form == "csv" else "time limit reached" in out, (verb, form))

    @staticmethod
    def runs(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False


if __name__ == "__main__":
    program.main()
