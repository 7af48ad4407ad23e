"""`stallcast observe` of loaders in unusual places: made anew, many at once, of other shapes, in short steps."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import program
from observed import FAKE, Case, Observed

HOOKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "calibration", "observe", "live", "hooks")
HEAD = """
import torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __init__(self, length=64): self.length = length
    def __len__(self): return self.length
    def __getitem__(self, index): return index
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
"""


class Loaders(Case):
    def seen(self, script, code=0):
        with Observed(HEAD + script) as run:
            self.assertEqual(run.code, code, run.err)
            seen = self.check(run)
            self.assertNotIn("hook_errors", seen["figures"])
            return seen

    def test_a_loader_for_each_epoch_is_one(self):
        seen = self.seen("kept = []\n"
                         "for epoch in range(7):\n"
                         "    kept.append(DataLoader(Data(), batch_size=8, shuffle=True))\n"
                         "    for _ in kept[-1]: optimizer.step()\n")
        self.assertEqual((seen["steps"]["count"], seen["steps"]["epochs"]), (56, 7))

    def test_samples_are_those_of_their_loader_and_so_is_their_number(self):
        seen = self.seen("train, valid = DataLoader(Data(), batch_size=8), DataLoader(Data(999), batch_size=9)\n"
                         "for epoch in range(2):\n"
                         "    for number, _ in enumerate(train):\n"
                         "        optimizer.step()\n"
                         "        if number == 3:\n"
                         "            for _ in valid: pass\n")
        self.assertEqual((seen["steps"]["count"], seen["loader"]["batch"]), (16, 8))
        self.assertEqual((seen["samples"]["count"], seen["figures"]["dataset_samples"]), (128, 64))

    def test_more_loaders_than_there_is_room_for_take_no_steps_away(self):
        seen = self.seen("train = DataLoader(Data(), batch_size=8)\n"
                         "for batch in range(1, 8):\n"
                         "    for _ in DataLoader(Data(), batch_size=batch): pass\n"
                         "    for _ in train: optimizer.step()\n")
        self.assertEqual((seen["steps"]["count"], seen["loader"]["batch"]), (56, 8))

    def test_a_loader_with_an_iterator_of_its_own_is_watched(self):
        seen = self.seen("from torch.utils.data.dataloader import _SingleProcessDataLoaderIter\n"
                         "class Stateful(DataLoader):\n"
                         "    def __iter__(self): return Iterator(self)\n"
                         "class Iterator(_SingleProcessDataLoaderIter):\n"
                         "    def __init__(self, loader):\n"
                         "        super().__init__(loader)\n"
                         "        self.given = 0\n"
                         "for _ in Stateful(Data(), batch_size=8): optimizer.step()\n")
        self.assertEqual((seen["steps"]["count"], seen["loader"]["batch"], seen["samples"]["count"]), (8, 8, 64))

    def test_an_iterator_that_is_used_again_begins_another_pass(self):
        seen = self.seen("from torch.utils.data import dataloader\n"
                         "class Iterator(dataloader._SingleProcessDataLoaderIter):\n"
                         "    pass\n"
                         "class Persistent(DataLoader):\n"
                         "    own = None\n"
                         "    def __iter__(self):\n"
                         "        if self.own is None: self.own = Iterator(self)\n"
                         "        else: self.own._reset(self)\n"
                         "        return self.own\n"
                         "loader = Persistent(Data(), batch_size=8)\n"
                         "for epoch in range(3):\n"
                         "    for _ in loader: optimizer.step()\n")
        self.assertEqual((seen["steps"]["count"], seen["steps"]["epochs"]), (24, 3))

    def test_what_lies_between_the_iterator_and_its_first_batch_is_no_wait(self):
        seen = self.seen("import stallcast_torch\n"
                         "real, later = stallcast_torch.clock, [0.0]\n"
                         "stallcast_torch.clock = lambda: real() + later[0]\n"
                         "iterator = iter(DataLoader(Data(), batch_size=8))\n"
                         "later[0] = 1000.0\n"
                         "for _ in iterator: optimizer.step()\n")
        self.assertLess(seen["steps"]["first_batch"]["maximum"], 1000)
        self.assertLess(seen["steps"]["wait"]["maximum"], 1000)

    def test_batches_of_short_steps_are_counted_though_few_are_measured(self):
        for mark, by in (("optimizer.step()", "optimizer.step"), ("pass", "batch")):
            seen = self.seen("for _ in DataLoader(Data(60000), batch_size=2): " + mark)
            self.assertEqual((seen["steps"]["count"], seen["steps"]["marked_by"]), (30000, by))
            self.assertEqual(seen["samples"]["count"], 60000)
            self.assertLess(seen["figures"]["steps_measured"], 15000)
            self.assertAlmostEqual(seen["steps"]["duration"]["count"], 30000, delta=3000)

    def test_a_save_between_short_steps_is_its_own(self):
        seen = self.seen("for number, _ in enumerate(DataLoader(Data(60000), batch_size=2)):\n"
                         "    optimizer.step()\n"
                         "    if number % 3000 == 2999: torch.save({}, 'a.pt')\n")
        self.assertEqual((seen["saves"]["count"], seen["saves"]["period_steps"]["minimum"],
                          seen["saves"]["period_steps"]["maximum"]), (10, 3000, 3000))
        self.assertEqual(seen["steps"]["count"], 30000)

    def test_a_stream_that_ends_within_a_batch_is_counted_to_its_end(self):
        seen = self.seen("class Stream(torch.utils.data.IterableDataset):\n"
                         "    def __iter__(self): return iter(range(50003))\n"
                         "for _ in DataLoader(Stream(), batch_size=10): optimizer.step()\n")
        self.assertEqual((seen["samples"]["count"], seen["steps"]["count"]), (50003, 5001))


class Opens(Case):
    def test_files_are_named_by_whatever_way_python_opens_them_and_open_is_as_it_was(self):
        script = ("import builtins, io, os, pathlib, torch\n"
                  "from torch.utils.data import DataLoader, Dataset\n"
                  "own = builtins.open, io.open, os.open\n"
                  "ways = [lambda: open('data.bin', 'rb'), lambda: io.open('data.bin', 'rb'),\n"
                  "        lambda: pathlib.Path('data.bin').open('rb'), lambda: os.fdopen(os.open('data.bin', os.O_RDONLY))]\n"
                  "class Data(Dataset):\n"
                  "    def __len__(self): return 8\n"
                  "    def __getitem__(self, index):\n"
                  "        if index == 7: raise IndexError(index)\n"
                  "        with ways[index % 4]() as file: return file.name\n"
                  "try:\n"
                  "    for _ in DataLoader(Data(), batch_size=1): pass\n"
                  "except IndexError:\n"
                  "    print(own == (builtins.open, io.open, os.open))\n")
        with Observed(script) as run:
            self.assertEqual((run.code, run.out), (0, "True\n"), run.err)
            files = self.check(run)["samples"]["files"]
            self.assertEqual((files["count"], files["minimum"], files["maximum"]), (7, 1, 1))


class Weights(unittest.TestCase):
    def test_steps_that_were_left_out_are_stood_for(self):
        """A clock that ticks a microsecond at each look; of twenty steps one takes 2 ms, the others 0.1 ms."""
        script = ("import stallcast_record as r\n"
                  "now = [0.0]\n"
                  "def clock():\n"
                  "    now[0] += 1e-6\n"
                  "    return now[0]\n"
                  "r.clock = clock\n"
                  "import stallcast_job as j, stallcast_sample, stallcast_torch as t\n"
                  "import torch, torch.utils.data.dataloader as d, torch.optim.optimizer as o\n"
                  "for name, module in (('torch.utils.data.dataloader', d), ('torch.optim.optimizer', o)):\n"
                  "    t.lay(name, module)\n"
                  "r.record.ready(); r.record.random = 1\n"
                  "class Data:\n"
                  "    def __len__(self): return 40000\n"
                  "    def __getitem__(self, index): return index\n"
                  "optimizer = torch.optim.SGD([], lr=0.1)\n"
                  "for number, _ in enumerate(d.DataLoader(Data())):\n"
                  "    now[0] += 2e-3 if number % 20 == 7 else 1e-4\n"
                  "    optimizer.step()\n"
                  "j.finish()\n"
                  "at = r.record.slots[j.STEP, 0]\n"
                  "cells = r.record.cells\n"
                  "print(cells[r.STEPS_OF], cells[at + 2], cells[at + 6], cells[at + 3] / cells[at + 2])\n")
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(HOOKS):
                if name.startswith("stallcast_"):
                    shutil.copy(os.path.join(HOOKS, name), folder)
            out = subprocess.run([sys.executable, "-B", "-c", script], cwd=folder, capture_output=True, text=True,
                                 check=True, env={**os.environ, "PYTHONPATH": FAKE}).stdout.split()
        counted, stood_for, measured, mean = map(float, out)
        self.assertEqual(counted, 40000)
        self.assertLess(measured, 20000)
        self.assertAlmostEqual(stood_for, 40000, delta=200)
        # One of 20 at 2 ms and the others at 0.1 ms: 0.195 ms; several thousand values of deviation 0.41 ms.
        self.assertAlmostEqual(mean, 0.195e-3, delta=0.03e-3)


if __name__ == "__main__":
    program.main()
