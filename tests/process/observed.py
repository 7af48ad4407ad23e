"""A command that runs under `stallcast observe`, for the tests of that verb."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import program

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_torch")
DATA_SIZE = 3_000_000


class Observed:
    """A command that ran under observe in a folder of its own, with the observation it left."""

    def __init__(self, command, *options, torch=True, files=None, env=None, stdin=None, start=None, python=None):
        self.folder = tempfile.TemporaryDirectory()
        at = self.folder.name
        with open(os.path.join(at, "data.bin"), "wb") as file:
            file.write(os.urandom(DATA_SIZE))
        for name, text in (files or {}).items():
            os.makedirs(os.path.dirname(os.path.join(at, name)), exist_ok=True)
            with open(os.path.join(at, name), "w", encoding="utf-8") as file:
                file.write(text)
        if isinstance(command, str):
            command = [python or sys.executable, "-B", "-c", command]
        self.temporary = os.path.join(at, "tmp")
        os.mkdir(self.temporary)
        variables = {**os.environ, "TMPDIR": self.temporary, **(env or {})}
        variables.pop("PYTHONPATH", None)
        variables.update(env or {})
        if torch:
            variables["PYTHONPATH"] = os.pathsep.join(filter(None, [FAKE, variables.get("PYTHONPATH")]))
        self.process = subprocess.Popen([program.STALLCAST, "observe", "-o", "o.json", *options, "--", *command],
                                        cwd=at, env=variables, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            if start is not None:
                start(self)
            self.out, self.err = self.process.communicate(stdin, timeout=program.patience(120))
        finally:
            self.process.kill()
        self.code = self.process.returncode
        self.path = os.path.join(at, "o.json")
        self.text = ""
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.text = file.read()
        self.seen = json.loads(self.text) if self.text else None
        self.left = os.listdir(self.temporary)

    def await_line(self):
        """The first line of the job's output."""
        return self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


def distributions(node):
    if isinstance(node, dict):
        if "quantiles" in node:
            yield node
        for one in node.values():
            yield from distributions(one)
    elif isinstance(node, list):
        for one in node:
            yield from distributions(one)


class Case(unittest.TestCase):
    def check(self, run):
        """It is an observation that holds together."""
        self.assertIsNotNone(run.seen, run.err)
        self.assertEqual(run.seen["schema"], "stallcast.observation/1")
        self.assertEqual(run.seen["source"]["format"], "observe")
        for one in distributions(run.seen):
            least, most, mean = one.get("minimum", 0), one.get("maximum", 0), one.get("mean", 0)
            self.assertLessEqual(least, mean * (1 + 1e-9) + 1e-12)
            self.assertLessEqual(mean, most * (1 + 1e-9) + 1e-12)
            self.assertLessEqual(len(one["sample"]), min(one["count"], 512))
        self.assertEqual(run.left, [], "something was left in the temporary folder")
        return run.seen
