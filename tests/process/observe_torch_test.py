"""`stallcast observe` of a training: steps, samples, saves and ranks are counted as they were.

With the package of PyTorch's shape in fake_torch; where PyTorch itself is installed, the same jobs run with that, too.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import program
from observed import Case, Observed

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

    def test_a_save_beside_the_training_lasts_until_it_is_safe(self):
        # The disk takes 0.2 s, ten steps of the training: the save is not over with torch.save.
        script = filled(TRAIN, LENGTH=160).replace("import os, sys, torch", """import os, sys, threading, time, torch
sync = os.fsync
def slow(fd):
    time.sleep(0.2)
    sync(fd)
os.fsync = slow
def save():
    with open("model.pt", "wb") as file:
        torch.save({"a": 1}, file)
        file.flush()
        os.fsync(file.fileno())
""", 1)
        script = script.replace("""                torch.save({"a": 1}, "model.pt")
                torch.save({"b": 2}, "optimizer.pt")
""", """                thread = threading.Thread(target=save)
                thread.start()
            time.sleep(0.02)
""", 1)
        with self.run_job(script + "train()\n") as run:
            saves = self.check(run)["saves"]
        self.assertTrue(saves["asynchronous"])
        self.assertEqual((saves["count"], saves["syncs"]), (2, 2))
        self.assertGreaterEqual(saves["duration"]["minimum"], 0.2)
        self.assertEqual(saves["files"]["mean"], 1)
        self.assertEqual(saves["period_steps"]["mean"], 20)

    def test_files_that_a_thread_saves_one_after_the_other_are_one_save(self):
        script = """
import os, threading, time
flush = os.fsync
def slow(fd):
    flush(fd)
    time.sleep(0.4)
os.fsync = slow
""" + TRAIN + """
def write(names):
    for name in names:
        with open(name, "wb") as file:
            torch.save({"a": 1}, file)
            begun.set()
            file.flush()
            os.fsync(file.fileno())
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
thread, begun = None, threading.Event()
for number, batch in enumerate(DataLoader(Data(), batch_size=8)):
    optimizer.step()
    if number in (1, 5):
        if thread:
            thread.join()
            time.sleep(0.3)
        begun.clear()
        thread = threading.Thread(target=write, args=(("a", "b"),))
        thread.start()
        begun.wait()
"""
        with self.run_job(filled(script, WORKERS=0)) as run:
            self.assertEqual(run.code, 0, run.err)
            saves = self.check(run)["saves"]
            self.assertEqual((saves["count"], saves["asynchronous"], saves["syncs"]), (2, True, 4))
            self.assertEqual((saves["files"]["mean"], saves["period_steps"]["mean"]), (2, 4))
            self.assertGreaterEqual(saves["duration"]["minimum"], 2 * 0.4)

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
    def test_without_room_for_notes_the_job_runs_all_the_same(self):
        with Observed(filled(TRAIN + "train()"), env={"TMPDIR": "nowhere"}) as run:
            self.assertEqual((run.code, run.out), (0, "trained 128\n"), run.err)
            self.assertEqual(run.seen["source"]["dialect"], "proc")

    def test_a_step_within_a_step_is_one(self):
        script = filled(TRAIN.replace("optim.SGD", "optim.Nested") + "train()")
        with self.run_job(script) as run:
            self.assertEqual((run.out, self.check(run)["steps"]["count"]), ("trained 128\n", 16))

    def test_files_of_a_distributed_checkpoint_are_those_of_its_rank(self):
        script = filled(TRAIN) + ("import torch.distributed.checkpoint as checkpoint\n"
                                  "os.mkdir('c')\nopen('c/__1_0.distcp', 'wb').write(bytes(99))\n"
                                  "checkpoint.save({'a': 1000, 'b': 500}, checkpoint_id='c')\n")
        with self.run_job(script) as run:
            self.assertEqual(run.code, 0, run.err)
            saves = self.check(run)["saves"]
            self.assertEqual((saves["count"], saves["bytes"]["mean"], saves["files"]["mean"]), (1, 1500, 2))
            self.assertEqual(saves["syncs"], 2)

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
            self.assertLess(seen["figures"]["samples_measured"], 30000)
            self.assertAlmostEqual(seen["samples"]["wall"]["count"], 300000, delta=30000)
            self.assertLess(len(run.text), 300_000)

    def test_errors_of_the_data_set_arrive_as_they_are(self):
        script = filled(TRAIN.replace("return index", "raise KeyError('mine')") + "train()", WORKERS=0)
        with self.run_job(script) as run:
            self.assertEqual(run.code, 1)
            self.assertIn("KeyError: 'mine'", run.err)
            self.check(run)


class Notes(unittest.TestCase):
    """What one process writes down, read as the observer reads it."""

    def test_values_that_stand_for_many_weigh_as_many(self):
        hooks = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "calibration", "observe", "live",
                             "hooks")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(hooks, "stallcast_record.py"), folder)
            # A fifth of the samples take 9 s and are all measured; of the others, of 1 s, every eighth is.
            script = ("from stallcast_record import *\n"
                      "record.ready(); record.random = 1\n"
                      "for i in range(20000):\n"
                      "    if i % 5 == 0: record.add(10, -1, 9.0, 1)\n"
                      "    elif i % 40 == 1: record.add(10, -1, 1.0, 32)\n"
                      "at = record.slots[10, -1]\n"
                      "kept = [tuple(record.cells[at + SLOT_HEAD + 3 * i + j] for j in (1, 2)) for i in range(KEPT)]\n"
                      "nines = sum(w for v, w in kept if v == 9.0) / sum(w for _, w in kept)\n"
                      "print(record.cells[at + 2], record.cells[at + 3], nines)\n")
            out = subprocess.run([sys.executable, "-B", "-c", script], cwd=folder, capture_output=True, text=True,
                                 check=True).stdout.split()
        count, total, nines = map(float, out)
        self.assertEqual((count, total), (20000, 4000 * 9 + 16000))
        # Of 512 about 57 stand for 32 of 1 s each: their number varies by 7, the share of 9 s by 0.02.
        self.assertAlmostEqual(nines, 0.2, delta=0.08)


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

    @unittest.skipIf(shutil.which("strace") is None, "strace is not installed")
    def test_a_kept_trace_says_which_step_waits_for_which_batch(self):
        plant = {"id": "filer", "cluster": {"hosts": [{"id": "gpu", "count": 1}]},
                 "storage": [{"id": "nfs", "type": "nfs", "head": {"count": 1, "ops": "10 kops/s"}}]}
        for loader, workers in (("num_workers=WORKERS", 2), ("num_workers=WORKERS, persistent_workers=True", 3),
                                ("num_workers=WORKERS", 0),
                                ("num_workers=WORKERS, multiprocessing_context='spawn'", 2)):
            script = filled(TRAIN.replace("num_workers=WORKERS", loader), WORKERS=workers)
            if "spawn" in loader:
                script += "if __name__ == '__main__':\n    train()"
            else:
                script += "train()"
            files = {"job.py": script}
            with self.subTest(loader=loader, workers=workers):
                folder = tempfile.TemporaryDirectory()
                self.addCleanup(folder.cleanup)
                kept, on = os.path.join(folder.name, "t.strace"), os.path.join(folder.name, "plant.json")
                with open(on, "w", encoding="utf-8") as file:
                    json.dump(plant, file)
                with self.run_job([self.python, "-B", "job.py"], "--syscalls", "strace", "--keep-trace", kept,
                                  files=files) as run:
                    if "may not trace" in run.err:
                        self.skipTest("strace may not trace here")
                    self.assertEqual((run.code, run.out), (0, "trained 128\n"), run.err)
                    self.assertNotIn("hook_errors", self.check(run)["figures"])
                    data = os.path.join(run.folder.name, "data.bin")
                found = {}
                for service in ("0.1 ms", "100 ms"):
                    done = program.Run("replay", kept, "--on", on, "--under", data, "--format", "json", "--no-advice",
                                       "--set", "storage.nfs.head.service=" + service)
                    self.assertEqual(done.code, 0, done.err)
                    found[service] = json.loads(done.out)
                traced, slow = found["0.1 ms"]["traced"], found["100 ms"]["replayed"]
                self.assertEqual((traced["steps"]["count"], traced["waits"]["count"]), (16, 16))
                self.assertIn("16 of 16 batches", " ".join(found["100 ms"]["notes"]))
                # 128 samples of one turn each, half of them in memory the second time; read by the workers at once.
                self.assertGreater(slow["waits"]["time_s"], 0.3 * 64 * 0.1 / max(workers, 1))
                self.assertGreater(slow["waits"]["time_s"], traced["waits"]["time_s"])
                with open(kept, encoding="utf-8") as file:
                    self.assertNotIn('read(3, "\\', file.read())  # no data


if __name__ == "__main__":
    program.main()
