"""Every verb reads its scenario once: it may come from a pipe, which says what it says once.

Usage: read_once_test.py PATH_OF_STALLCAST [unittest options].
"""

import os
import subprocess
import tempfile
import threading
import unittest

import program

SCENARIO = """{
  "id": "small",
  "params": { "n": { "value": 8, "min": 2, "max": 64 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": "=n", "read": "4 GB/s", "write": "4 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
              "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" } } ],
  "run": { "duration": "10 min" },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= 90 %" } ],
}
"""
VERBS = [["lint"], ["resolve"], ["run"], ["plan"], ["explain"], ["check"],
         ["sweep", "--vary", "n=2..16:8", "--output", "{folder}/sweep.sqlite"]]


class Once(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def pipe(self, name, scenario=SCENARIO):
        """A named pipe that somebody writes the scenario to, once."""
        path = os.path.join(self.folder.name, name)
        os.mkfifo(path)

        def write():
            with open(path, "w") as out:
                out.write(scenario)

        threading.Thread(target=write, daemon=True).start()
        return path

    def run_verb(self, words):
        return subprocess.run([program.STALLCAST, *words], capture_output=True, text=True,
                              timeout=program.patience(120), cwd=self.folder.name, check=False)

    def test_every_verb(self):
        for verb, *options in VERBS:
            with self.subTest(verb):
                path = self.pipe(verb + ".json")
                done = self.run_verb([verb, path, *[o.format(folder=self.folder.name) for o in options]])
                self.assertEqual(done.returncode, 0, done.stderr + done.stdout)

    def test_both_sides_of_a_diff(self):
        done = self.run_verb(["diff", self.pipe("base.json"), self.pipe("head.json"), "--set", "params.n=16"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ost.count", done.stdout)

    def test_variants_that_are_compared(self):
        text = SCENARIO.rstrip().removesuffix("}") + '"scenarios": { "wide": { "params": { "n": 32 } } } }'
        done = self.run_verb(["compare", self.pipe("alone.json", text), "--draws", "0", "--format", "csv"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("#wide", done.stdout)


if __name__ == "__main__":
    program.main()
