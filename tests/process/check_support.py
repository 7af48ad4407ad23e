"""What the tests of `stallcast check` share: a folder with scenarios, and calls in it."""

import json
import os
import subprocess
import tempfile
import unittest

import program

# 32 GPUs; one blocking save of 100 GB a minute takes 3.1 s at 8 x 4 GB/s.
SCENARIO = """{
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 8, "read": "4 GB/s", "write": "4 GB/s" },
                 "oss": { "count": 2, "nic": "400 Gb/s" } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" }
  } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 2 },
  "expect": [
    %s
  ]
}
"""
UTILIZATION = "job.train.gpu.utilization"
EASY = '{ "id": "util", "that": "job.train.gpu.utilization >= 10 %" }'
HARD = '{ "id": "util", "that": "job.train.gpu.utilization >= 99.9 %" }'
STALL = '{ "id": "stall", "that": "job.train.checkpoint.stall < 30 s" }'


class Folder:
    """A folder of scenarios; `check` runs in it."""

    def __init__(self, **scenarios):
        self._folder = tempfile.TemporaryDirectory()
        self.path = os.path.realpath(self._folder.name)
        for name, expect in scenarios.items():
            self.write(name + ".json", SCENARIO % expect)

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return file.read()

    def edit(self, name, old, new):
        text = self.read(name)
        assert old in text, old
        self.write(name, text.replace(old, new))

    def lengthen(self, name):
        """So long a run that no replica ends before a limit of time is looked at."""
        self.edit(name, '"compute": "1 s"', '"compute": "1 s", "jitter": "5 %"')
        self.edit(name, '"duration": "10 min"', '"duration": "3000 h"')

    def run(self, *args, env=None, cwd="", text=None):
        return subprocess.run([program.STALLCAST, *args], cwd=os.path.join(self.path, cwd),
                              env={**os.environ, "GITHUB_STEP_SUMMARY": "", **(env or {})},
                              input=text, capture_output=True, text=True, timeout=program.patience(250), check=False)

    def check(self, *args, **kwargs):
        return self.run("check", "--no-advice", *args, **kwargs)

    def report(self, *args, **kwargs):
        """The JSON report of a check, whatever its exit code."""
        return json.loads(self.check(*args, "--report", "json", **kwargs).stdout)

    def git(self, *args):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com",
                    "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *identity, *args], cwd=self.path, check=True, capture_output=True)

    def cleanup(self):
        self._folder.cleanup()


def unbroken(text):
    """A report with its broken lines as one: they go on below, five blanks in."""
    return text.replace("\n     ", " ")


class CheckCase(unittest.TestCase):
    def folder(self, **scenarios):
        folder = Folder(**scenarios)
        self.addCleanup(folder.cleanup)
        return folder

    def exits(self, code, done):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def utilization(self, folder, name="a.json"):
        return folder.report(name)["scenarios"][0]["metrics"][UTILIZATION]["value"]
