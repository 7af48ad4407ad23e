"""The program under test, as a script calls it."""

import os
import subprocess
import sys
import tempfile
import unittest

STALLCAST = ""


def patience(seconds):
    """How long to wait for what takes no more than this; longer where a program is slow (ci/sanitize.sh)."""
    return seconds * float(os.environ.get("STALLCAST_TEST_PATIENCE", "1"))


class Run:
    """One call of the program in a folder of its own.

    A `run` takes no draws unless the test says how many: they cost a second, and draws_test.py is theirs.
    """

    def __init__(self, *args, text=None, stdin=None, env=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.json")
            if text is not None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            args = [path if a == "FILE" else a for a in args]
            if args[:1] == ["run"] and "--draws" not in args and "--help" not in args:
                args += ["--draws", "0"]
            done = subprocess.run([STALLCAST, *args], capture_output=True, text=True, input=stdin,
                                  cwd=folder, env={**os.environ, **(env or {})}, timeout=patience(120),
                                  check=False)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
            self.left = sorted(os.listdir(folder))


def sanitized():
    """Whether it was built with sanitizers: it has no sandbox and no limit of memory then."""
    return "built with a sanitizer" in Run("--version", "-v").out


def main():
    """Takes the program's path from the first argument, then runs the tests of the caller."""
    global STALLCAST
    STALLCAST = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__", verbosity=1)
