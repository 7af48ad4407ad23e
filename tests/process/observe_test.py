"""`stallcast observe` as a user sees it: the command runs as it would by itself, and what it did is told.

With FAKE, a package of PyTorch's shape; where PyTorch itself is installed, the same jobs run with that, too.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import program

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_torch")
DATA_SIZE = 3_000_000
LIBRARIES = 64 * 1024  # bytes that two starts of one interpreter may differ by

TRAIN = """
import os, sys, torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self):
        return LENGTH
    def __getitem__(self, index):
        with open(DATA, "rb", buffering=0) as file:
            file.seek(index * 1000)
            file.read(READ)
        return index
def train():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
    loader = DataLoader(Data(), batch_size=BATCH, shuffle=True, num_workers=WORKERS)
    seen = []
    for epoch in range(2):
        for number, batch in enumerate(loader):
            seen += [int(one) for one in batch]
            optimizer.step()
            if number == 3:
                torch.save({"a": 1}, "model.pt")
                torch.save({"b": 2}, "optimizer.pt")
    assert sorted(seen) == sorted(2 * list(range(LENGTH))), "samples are not what the data set gave"
    torch.load("model.pt")
    print("trained", len(seen))
"""


def filled(text, **values):
    """`text` with what is written in capitals set."""
    for name, value in {"LENGTH": 64, "BATCH": 8, "WORKERS": 2, "READ": 5000, "DATA": "'data.bin'", **values}.items():
        text = re.sub(r"\b%s\b" % name, str(value), text)
    return text


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
            self.out, self.err = self.process.communicate(stdin, timeout=120)
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
            path, end = os.path.join(run.folder.name, "o.json"), time.monotonic() + 60
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

    def test_a_child_that_was_killed_does_not_take_the_observation_with_it(self):
        def kill(run):
            os.kill(int(run.await_line()), signal.SIGKILL)
        with Observed("import os, time\nprint(os.getpid(), flush=True)\nwhile True: time.sleep(1)", start=kill) as run:
            self.assertEqual(run.code, 137)
            self.check(run)

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

    def test_without_room_for_notes_the_job_runs_all_the_same(self):
        with Observed(filled(TRAIN + "train()"), env={"TMPDIR": "nowhere"}) as run:
            self.assertEqual((run.code, run.out), (0, "trained 128\n"), run.err)
            self.assertEqual(run.seen["source"]["dialect"], "proc")

    def test_no_hooks_leaves_python_alone(self):
        with Observed("import os, sys\nprint(os.environ.get('PYTHONPATH'), len(sys.meta_path))", "--no-hooks",
                      torch=False) as run:
            self.assertTrue(run.out.startswith("None "), run.out)
            self.check(run)


class Training:
    """What is true of PyTorch and of its stand-in."""

    torch = True
    python = None

    def run_job(self, script, *options, **more):
        return Observed(script, *options, torch=self.torch, python=self.python, **more)

    def test_steps_samples_and_saves_are_counted(self):
        for workers in (0, 2):
            with self.run_job(filled(TRAIN + "train()", WORKERS=workers)) as run:
                self.assertEqual((run.code, run.out), (0, "trained 128\n"), run.err)
                seen = self.check(run)
                self.assertEqual(seen["source"]["dialect"], "pytorch")
                steps, loader, samples = seen["steps"], seen["loader"], seen["samples"]
                self.assertEqual((steps["count"], steps["epochs"], steps["marked_by"]), (16, 2, "optimizer.step"))
                self.assertEqual(steps["first_batch"]["count"], 2)
                self.assertAlmostEqual(steps["duration"]["mean"], steps["wait"]["mean"] + steps["compute"]["mean"])
                self.assertEqual(loader.get("workers", 0), workers)
                self.assertEqual((loader["batch"], loader["sampler"]), (8, "RandomSampler"))
                self.assertEqual(seen["figures"]["dataset_samples"], 64)
                self.assertEqual(samples["count"], 128)
                self.assertEqual(samples["bytes"]["minimum"], 5000)
                self.assertEqual((samples["files"]["minimum"], samples["files"]["maximum"]), (1, 1))
                self.assertEqual(seen["saves"]["count"], 2)
                self.assertEqual(seen["saves"]["files"]["mean"], 2)
                self.assertEqual(seen["saves"]["period_steps"]["mean"], 8)
                saved = sum(os.stat(os.path.join(run.folder.name, name)).st_size
                            for name in ("model.pt", "optimizer.pt"))
                self.assertEqual(seen["saves"]["bytes"]["mean"], saved)
                self.assertEqual(seen["loads"]["count"], 1)
                self.assertEqual(seen["ranks"], 1)
                self.assertNotIn("hook_errors", seen["figures"])
                self.assertIn("overhead_share", seen["figures"])

    def test_a_killed_job_leaves_what_it_did(self):
        script = filled(TRAIN.replace("            if number == 3:", "            if len(seen) == 80:\n"
                                      "                os.kill(os.getpid(), 9)\n            if number == 3:") + "train()")
        with self.run_job(script) as run:
            self.assertEqual(run.code, 137)
            seen = self.check(run)
            self.assertEqual(seen["steps"]["count"], 9)  # the tenth had not given its batch back
            self.assertEqual(seen["saves"]["count"], 1)
            self.assertGreaterEqual(seen["samples"]["count"], 72)

    def test_a_loader_in_between_and_batches_that_add_up_make_no_steps(self):
        script = TRAIN + """
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
loader = DataLoader(Data(), batch_size=4)
for epoch in range(2):
    for number, _ in enumerate(loader):
        if number % 2 == 1:
            optimizer.step()
    for _ in DataLoader(Data(), batch_size=2):
        pass
"""
        with self.run_job(filled(script)) as run:
            self.assertEqual(run.code, 0, run.err)
            seen = self.check(run)
            self.assertEqual((seen["steps"]["count"], seen["loader"]["batch"]), (16, 4))
            self.assertEqual(seen["figures"]["step_batches"], 2)

    def test_without_an_optimizer_batches_are_steps(self):
        with self.run_job(filled(TRAIN + "for _ in DataLoader(Data(), batch_size=8): pass")) as run:
            steps = self.check(run)["steps"]
            self.assertEqual((steps["count"], steps["marked_by"], steps["epochs"]), (8, "batch", 1))

    def test_streams_are_samples_too(self):
        script = filled(TRAIN) + ("class Stream(torch.utils.data.IterableDataset):\n"
                                  "    def __iter__(self): return iter(range(100))\n"
                                  "print(sum(len(b) for b in DataLoader(Stream(), batch_size=8)))")
        with self.run_job(script) as run:
            self.assertEqual(run.out, "100\n", run.err)
            seen = self.check(run)
            self.assertEqual((seen["samples"]["count"], seen["loader"]["sampler"]), (100, "iterable"))
            self.assertNotIn("dataset_samples", seen["figures"])

    def test_ranks_are_merged(self):
        script = filled(TRAIN) + ("import subprocess\n"
                                  "if 'RANK' in os.environ:\n    os.mkdir(os.environ['RANK'])\n"
                                  "    os.chdir(os.environ['RANK'])\n    train()\n"
                                  "else:\n    text = open('job.py').read()\n"
                                  "    ranks = [subprocess.Popen([sys.executable, 'job.py'], env={**os.environ,\n"
                                  "             'RANK': str(r), 'WORLD_SIZE': '2'}) for r in range(2)]\n"
                                  "    sys.exit(max(r.wait() for r in ranks))\n")
        script = script.replace("'data.bin'", "os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data.bin')")
        with self.run_job([self.python or sys.executable, "-B", "job.py"], files={"job.py": script}) as run:
            self.assertEqual(run.code, 0, run.err)
            seen = self.check(run)
            self.assertEqual((seen["ranks"], seen["steps"]["count"]), (2, 32))
            trained = [one.get("rank") for one in seen["processes"] if one.get("steps") == 16]
            self.assertEqual(sorted(trained), [0, 1])


class StandIn(Training, Case):
    def test_a_step_within_a_step_is_one(self):
        script = filled(TRAIN.replace("optim.SGD", "optim.Nested") + "train()")
        with self.run_job(script) as run:
            self.assertEqual((run.out, self.check(run)["steps"]["count"]), ("trained 128\n", 16))

    def test_many_samples_take_bounded_room(self):
        script = filled("""
import glob, os, sys, torch
class Data(torch.utils.data.Dataset):
    def __len__(self): return 300000
    def __getitem__(self, index): return index
count = 0
for batch in torch.utils.data.DataLoader(Data(), batch_size=100): count += len(batch)
sides = glob.glob(os.environ["TMPDIR"] + "/*/*.side")
print(count, len(sides), sum(os.stat(s).st_size for s in sides) < 1000000)
""")
        with self.run_job(script) as run:
            self.assertEqual(run.out, "300000 1 True\n", run.err)
            seen = self.check(run)
            self.assertEqual((seen["samples"]["count"], seen["steps"]["count"]), (300000, 3000))
            self.assertLess(seen["samples"]["wall"]["count"], 30000)
            self.assertLess(len(run.text), 300_000)

    def test_errors_of_the_data_set_arrive_as_they_are(self):
        script = filled(TRAIN.replace("return index", "raise KeyError('mine')") + "train()", WORKERS=0)
        with self.run_job(script) as run:
            self.assertEqual(run.code, 1)
            self.assertIn("KeyError: 'mine'", run.err)
            self.check(run)


def with_torch():
    """An interpreter that has PyTorch."""
    for python in (sys.executable, shutil.which("python3", path=os.defpath)):
        if python and subprocess.run([python, "-c", "import torch.utils.data"], capture_output=True,
                                     check=False).returncode == 0:
            return python
    return None


class PyTorch(Training, Case):
    torch = False

    @classmethod
    def setUpClass(cls):
        cls.python = with_torch()
        if cls.python is None:
            raise unittest.SkipTest("PyTorch is not installed")


if __name__ == "__main__":
    program.main()
