"""Crashes, kills and time limits as a script sees them.

Usage: crash_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""

import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

import program

STALLCAST = ""

SHORT = """{
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 8, "read": "4 GB/s", "write": "4 GB/s" } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" }
  } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 2 }
}
"""
LONG = SHORT.replace("10 min", "3650 d")


class Crashes(unittest.TestCase):
    """A worker that dies is an internal error, whose design can be replayed."""

    def check_saved(self, code, err, folder):
        self.assertEqual(code, 4, err)
        named = re.search(r"saved in (\S+\.json)", err)
        self.assertIsNotNone(named, err)
        with open(os.path.join(folder, named[1]), encoding="utf-8") as file:
            request = json.loads(file.read())
        self.assertEqual((request["seed"], request["design"]["id"]), (1, "small"))
        # The saved designs and the scenario: no report that is none, no temporary file.
        for name in os.listdir(folder):
            self.assertRegex(name, r"^(s|stallcast-crash-[0-9a-f]+-seed\d+)\.json$")
        return named[1]

    def test_four_when_a_simulation_crashes_and_the_design_replays_the_crash(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s.json"), "w", encoding="utf-8") as file:
                file.write(SHORT)
            env = {**os.environ, "STALLCAST_SIM_FAULT": "abort"}
            done = subprocess.run([STALLCAST, "run", "s.json", "--output", "report.txt"], env=env,
                                  cwd=folder, capture_output=True, text=True, check=False)
            saved = self.check_saved(done.returncode, done.stderr, folder)
            self.assertIn("SIGABRT", done.stderr)
            self.assertEqual(done.stdout, "")
            with open(os.path.join(folder, saved), encoding="utf-8") as file:
                again = subprocess.run([os.path.join(os.path.dirname(STALLCAST), "stallcast-sim")],
                                       env=env, stdin=file, capture_output=True, text=True,
                                       check=False)
            self.assertEqual(json.loads(again.stdout.splitlines()[-1])["reason"], "crashed")

    def test_few_files_that_may_be_open_are_enough_or_named(self):
        def few(most, *args):
            return subprocess.run([STALLCAST, *args], cwd=folder, capture_output=True, text=True, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))

        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s.json"), "w", encoding="utf-8") as file:
                file.write(SHORT)
            for most, args in ((16, ("sweep", "s.json", "--vary", "storage.ost.count=4,8,16,32,64,128", "--jobs", "8")),
                               (10, ("run", "s.json", "--no-advice", "--draws", "0"))):
                done = few(most, *args)
                self.assertEqual(done.returncode, 0, done.stderr)
            done = few(6, "run", "s.json", "--no-advice", "--draws", "0")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("Too many open files", done.stderr)
            self.assertIn("ulimit -n", done.stderr)
            self.assertEqual(os.listdir(folder), ["s.json"])

    @unittest.skipIf(os.environ.get("STALLCAST_TEST_PATIENCE"), "sanitizers need more")
    def test_a_stack_of_64_kilobytes_is_enough(self):
        kept = (64 * 1024, resource.getrlimit(resource.RLIMIT_STACK)[1])
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s.json"), "w", encoding="utf-8") as file:
                file.write(SHORT)
            for args in (["lint", "s.json"], ["resolve", "s.json"], ["run", "s.json", "--draws", "0"],
                         ["explain", "s.json"], ["plan", "s.json", "--over", "osts=8..16", "--minimize", "osts"],
                         ["sweep", "s.json", "--vary", "storage.ost.count=4,8"]):
                # Nothing else is in it: what a program is called with lies there, too.
                done = subprocess.run([STALLCAST, *args], cwd=folder, capture_output=True, text=True, check=False,
                                      env={"PATH": os.environ["PATH"]},
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, kept))
                self.assertGreaterEqual(done.returncode, 0, (args, done.stderr))
                self.assertLess(done.returncode, 4, (args, done.stderr))

    def test_what_cannot_be_printed_is_said(self):
        for args in (["--help"], ["--version"], ["help"], ["run", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([STALLCAST, *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn("No space left", done.stderr)
            self.assertIn("disk full", done.stderr)

    def test_four_when_the_worker_is_killed_in_mid_run_and_nothing_is_left_running(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s.json"), "w", encoding="utf-8") as file:
                file.write(LONG)
            main, side = pty.openpty()
            process = subprocess.Popen([STALLCAST, "run", "s.json", "--output", "report.txt"],
                                       stdout=subprocess.DEVNULL, stderr=side, cwd=folder,
                                       env={**os.environ, "TERM": "xterm"})
            os.close(side)
            text = b""
            while b"0 %" not in text or not simulations_of(process.pid):
                text += os.read(main, 4096) if b"0 %" not in text else b""
            worker, simulations = simulations_of(process.pid)
            os.kill(worker, signal.SIGKILL)
            try:
                while chunk := os.read(main, 4096):
                    text += chunk
            except OSError:
                pass
            os.close(main)
            self.check_saved(process.wait(timeout=program.patience(60)), text.decode(), folder)
            # Killed with their parent; reaped by whoever inherits them, so none may still run.
            for pid in (worker, *simulations):
                self.assertIn(state_of(pid), ("", "Z", "X"), pid)

    def test_three_at_the_time_limit_and_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s.json"), "w", encoding="utf-8") as file:
                file.write(LONG)
            done = subprocess.run([STALLCAST, "run", "s.json", "--time-limit", "500 ms"],
                                  cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("partial: time limit", " ".join(done.stdout.split()))
            self.assertIn("time limit", done.stderr)
            self.assertEqual(os.listdir(folder), ["s.json"])


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def simulations_of(pid):
    """The worker of a running `stallcast` and its simulations, or None before there are any."""
    for worker in children_of(pid):
        if simulations := children_of(worker):
            return worker, simulations
    return None


def state_of(pid):
    """The state letter of a process, "" when there is none. Waits while it is being killed."""
    for _ in range(10000):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return ""
        if state in "ZX":
            return state
        os.sched_yield()
    return state


if __name__ == "__main__":
    STALLCAST = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
