"""`stallcast observe` as a user sees it: the command runs as it would by itself, and what it did is told."""

import json
import os
import pty
import shutil
import signal
import sys
import tempfile
import time
import unittest

import program
from observed import DATA_SIZE, Case, Observed

LIBRARIES = 64 * 1024  # bytes that two starts of one interpreter may differ by


class Command(Case):
    def test_its_exit_code_is_ours(self):
        for script, code in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)):
            with Observed(["sh", "-c", script]) as run:
                self.assertEqual(run.code, code)
                figures = self.check(run)["figures"]
                self.assertEqual(figures.get("exit_code", 128 + figures.get("ended_by_signal", 0)), code)

    def test_its_streams_are_its_own(self):
        with Observed(["sh", "-c", "cat; echo said >&2"], stdin="a\nb\n") as run:
            self.assertEqual(run.out, "a\nb\n")
            self.assertTrue(run.err.startswith("said\nstallcast observe: exit 0"), run.err)
        with Observed(["sh", "-c", "cat; echo said >&2"], "--quiet", stdin="a") as run:
            self.assertEqual((run.out, run.err), ("a", "said\n"))

    def test_what_cannot_be_run_is_126_or_127(self):
        for words, code in ((["no-such-program"], 127), (["./data.bin"], 126), (["./nowhere/x"], 127)):
            for options in ((), ("--syscalls", "strace")):
                if options and shutil.which("strace") is None:
                    continue
                with Observed(words, *options) as run:
                    self.assertEqual((run.code, run.seen, run.left), (code, None, []), run.err)
                    self.assertIn("cannot run", run.err)

    def test_a_file_that_cannot_be_written_is_said_before_the_command_runs(self):
        for place in ("nowhere/o.json", ".", "-"):
            with Observed(["touch", "ran"], "-o", place) as run:
                self.assertEqual(run.code, 2)
                self.assertFalse(os.path.exists(os.path.join(run.folder.name, "ran")))

    def test_options_of_the_command_are_its_own(self):
        with Observed(["echo", "--version", "--help", "--"]) as run:
            self.assertEqual((run.code, run.out), (0, "--version --help --\n"))
        for words in (["observe"], ["observe", "--"], ["observe", "true"], ["observe", "--syscalls", "dtrace", "--", "true"]):
            self.assertEqual(program.Run(*words).code, 2)

    def test_a_signal_is_passed_on_and_the_file_is_there_before_the_job_ends(self):
        def stop(run):
            run.await_line()
            run.process.send_signal(signal.SIGTERM)
            path, end = os.path.join(run.folder.name, "o.json"), time.monotonic() + program.patience(60)
            while not os.path.exists(path) and time.monotonic() < end:
                time.sleep(0.01)
            with open(path, encoding="utf-8") as file:
                run.early = json.load(file)
            with open(os.path.join(run.folder.name, "go"), "w", encoding="utf-8"):
                pass
        script = ("import os, signal, sys, time\n"
                  "def asked(*_):\n"
                  "    while not os.path.exists('go'): time.sleep(0.01)\n"
                  "    sys.exit(5)\n"
                  "signal.signal(signal.SIGTERM, asked)\n"
                  "print('ready', flush=True)\n"
                  "while True: time.sleep(1)\n")
        with Observed(script, start=stop) as run:
            self.assertEqual(run.code, 5)
            self.check(run)
            self.assertIn("the job had not ended when this was written", run.early["notes"])
            self.assertNotIn("the job had not ended when this was written", run.seen["notes"])

    def test_what_is_typed_reaches_the_job_once(self):
        script = ("import signal, sys, time\n"
                  "asked = []\n"
                  "signal.signal(signal.SIGINT, lambda *_: asked.append(1))\n"
                  "print('ready', flush=True)\n"
                  "while not asked: time.sleep(0.01)\n"
                  "time.sleep(0.3)\n"
                  "sys.exit(10 + len(asked))\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "o.json")
            pid, terminal = pty.fork()
            if pid == 0:
                os.execv(program.STALLCAST, [program.STALLCAST, "observe", "-o", path, "--", sys.executable, "-c",
                                             script])
            text = b""
            while b"ready" not in text:
                text += os.read(terminal, 4096)
            os.write(terminal, b"\x03")
            _, status = os.waitpid(pid, 0)
            os.close(terminal)
            self.assertEqual(os.waitstatus_to_exitcode(status), 11)
            self.assertTrue(os.path.exists(path))

    def test_a_child_that_was_killed_does_not_take_the_observation_with_it(self):
        def kill(run):
            os.kill(int(run.await_line()), signal.SIGKILL)
        with Observed("import os, time\nprint(os.getpid(), flush=True)\nwhile True: time.sleep(1)", start=kill) as run:
            self.assertEqual(run.code, 137)
            self.check(run)

    def test_the_job_outlives_an_observer_that_is_killed_and_its_notes_do_not(self):
        def kill(run):
            run.await_line()
            run.process.kill()
            run.process.wait()
            with open(os.path.join(run.folder.name, "go"), "w", encoding="utf-8"):
                pass
        script = ("import os, subprocess, sys, time\n"
                  "print('ready', flush=True)\n"
                  "while not os.path.exists('go'): time.sleep(0.01)\n"
                  "import torch\n"
                  "subprocess.run([sys.executable, '-c', 'import torch.utils.data'], check=True)\n"
                  "print('went on', len(open('data.bin', 'rb').read()), flush=True)\n")
        for options in ((), ("--syscalls", "strace")):
            if options and shutil.which("strace") is None:
                continue
            with Observed(script, *options, start=kill) as run:
                if run.code == 2:
                    continue  # strace may not trace here
                self.assertEqual((run.out, run.err), ("went on %d\n" % DATA_SIZE, ""))
                end = time.monotonic() + program.patience(60)
                while os.listdir(run.temporary) and time.monotonic() < end:
                    time.sleep(0.01)
                self.assertEqual(os.listdir(run.temporary), [])

    def test_a_daemon_is_not_waited_for(self):
        with Observed(["sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"]) as run:
            os.kill(int(run.out), signal.SIGKILL)
            self.assertEqual(run.code, 0)


class Bytes(Case):
    def read(self, command):
        with Observed(command) as run:
            self.assertEqual(run.code, 0, run.err)
            return self.check(run)["reading"]["bytes"]

    def test_bytes_read_are_those_of_the_file(self):
        nothing = self.read(["dd", "if=/dev/null", "of=/dev/null", "bs=64k"])
        whole = self.read(["dd", "if=data.bin", "of=/dev/null", "bs=64k"])
        self.assertAlmostEqual(whole - nothing, DATA_SIZE, delta=LIBRARIES)

    def test_children_and_theirs_count(self):
        script = "import subprocess, sys\nfor _ in range(3): subprocess.run(['sh', '-c', 'cat %s > /dev/null; true'])"
        self.assertAlmostEqual(self.read(script % "data.bin") - self.read(script % "/dev/null"), 3 * DATA_SIZE,
                               delta=LIBRARIES)

    @unittest.skipIf(shutil.which("strace") is None, "strace is not installed")
    def test_strace_counts_the_same(self):
        with Observed(["dd", "if=data.bin", "of=copy.bin", "bs=100k"], "--syscalls", "strace", "--names") as run:
            if run.code == 2:
                self.skipTest(run.err)
            seen = self.check(run)
            self.assertEqual(seen["source"]["dialect"], "proc+strace")
            files = {os.path.basename(one["name"]): one for one in seen["files"]["largest"]}
            self.assertEqual(files["data.bin"]["read"], DATA_SIZE)
            self.assertEqual(files["copy.bin"]["written"], DATA_SIZE)
            self.assertEqual(len(seen["processes"]), 1)


class Privacy(Case):
    def test_names_arguments_and_environment_stay_out(self):
        script = "import time\nfile = open('data.bin')\nmap = open('data.bin')\ntime.sleep(0.3)"
        secret = {"SECRET": "xyzzy-environment"}
        for options, there in (((), False), (("--names",), True)):
            with Observed([sys.executable, "-c", script, "xyzzy-argument"], *options, env=secret) as run:
                seen = self.check(run)
                self.assertNotIn("xyzzy", run.text)
                self.assertEqual("data.bin" in run.text, there)
                self.assertEqual(run.folder.name in run.text, there)
                self.assertEqual(seen["files"]["largest"][0]["extent"], DATA_SIZE)


class Python(Case):
    def test_a_sitecustomize_of_the_job_is_used(self):
        own = {"own/sitecustomize.py": "import builtins\nbuiltins.own = __name__ + ' ' + __file__"}
        with Observed("import sitecustomize\nprint(own)\nprint(sitecustomize.__file__)", files=own,
                      env={"PYTHONPATH": "own"}, torch=False) as run:
            self.assertEqual(run.code, 0, run.err)
            name, file, again = run.out.split()
            self.assertEqual((name, file), ("sitecustomize", again))
            self.assertTrue(file.endswith(os.path.join("own", "sitecustomize.py")))

    def test_a_sitecustomize_that_fails_does_as_without_us(self):
        own = {"own/sitecustomize.py": "raise ValueError('mine')"}
        with Observed("print('went on')", files=own, env={"PYTHONPATH": "own"}, torch=False) as run:
            self.assertEqual((run.code, run.out), (0, "went on\n"))
            self.assertIn("mine", run.err)

    def test_a_torch_of_another_shape_is_left_alone(self):
        odd = {"odd/torch/__init__.py": "", "odd/torch/serialization.py": "save = None",
               "odd/torch/utils/__init__.py": "", "odd/torch/utils/data/__init__.py": "",
               "odd/torch/utils/data/dataloader.py": "class DataLoader: pass",
               "odd/torch/optim/__init__.py": "", "odd/torch/optim/optimizer.py": "class Optimizer: step = 3"}
        with Observed("import torch.serialization, torch.utils.data.dataloader, torch.optim.optimizer as o\n"
                      "o.Optimizer()\nprint('fine')", files=odd, env={"PYTHONPATH": "odd"}, torch=False) as run:
            self.assertEqual((run.code, run.out), (0, "fine\n"), run.err)
            self.check(run)

    def test_a_torch_that_nobody_watched_is_told(self):
        """The library is mapped as a program is; the interpreter does not look for our folder."""
        script = ("import mmap, os, shutil, time\n"
                  "shutil.copy('/bin/true', 'libtorch_python.so')\n"
                  "file = os.open('libtorch_python.so', os.O_RDONLY)\n"
                  "held = mmap.mmap(file, 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)\n"
                  "time.sleep(0.5)\n")
        for words, told in (([sys.executable, "-I", "-c", script], True), ([sys.executable, "-I", "-c", "pass"], False)):
            with Observed(words) as run:
                self.assertEqual("torch_without_hooks" in self.check(run)["figures"], told)
                self.assertEqual("was not watched" in run.err, told, run.err)
                self.assertEqual(any("not watched" in note for note in run.seen["notes"]), told)

    def test_no_hooks_leaves_python_alone(self):
        with Observed("import os, sys\nprint(os.environ.get('PYTHONPATH'), len(sys.meta_path))", "--no-hooks",
                      torch=False) as run:
            self.assertTrue(run.out.startswith("None "), run.out)
            self.check(run)


if __name__ == "__main__":
    program.main()
