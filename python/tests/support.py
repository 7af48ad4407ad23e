"""What the tests share: the program, scenarios, and both ways to ask."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

import stallcast  # noqa: E402

LUSTRE = os.path.join(ROOT, "examples", "lustre-512-gpus.json")

# Small: a simulation of it takes milliseconds.
SMALL = {
    "id": "small",
    "params": {"boxes": {"value": 2, "min": 1, "max": 8}},
    "cluster": {"hosts": [{"id": "gpu", "count": 4, "use": "host/dgx-h100"}]},
    "storage": [{"id": "scratch", "type": "lustre", "ost": {"count": "=4 * boxes", "read": "3 GB/s", "write": "3 GB/s"},
                 "oss": {"count": "=boxes"}}],
    "jobs": [{"id": "train", "hosts": "gpu", "step": {"compute": "200 ms"},
              "dataset": {"on": "scratch", "format": "tokens", "sample": "16 KiB", "size": "1 TB",
                          "files": 64},
              "loader": {"type": "pytorch", "workers": 4, "batch": 64},
              "checkpoint": {"to": "scratch", "size": "200 GB", "every": "30 s"}}],
    "run": {"duration": "5 min"},
    "plan": {"over": {"boxes": {}}, "minimize": "boxes"},
    "expect": [{"id": "stall", "that": "job.train.checkpoint.stall.max <= 10 s"}],
}


class Case(unittest.TestCase):
    """Each test begins with the warm process allowed, and the folder it began in."""

    def setUp(self):
        stallcast.use_server(True)
        folder = os.getcwd()
        self.addCleanup(os.chdir, folder)

    def small(self, **changes):
        return stallcast.from_dict({**SMALL, **changes}, name="small.json")

    def both_ways(self, ask):
        """What `ask` gives by the warm process, and by calls of the program."""
        stallcast.use_server(True)
        warm = ask()
        stallcast.use_server(False)
        cold = ask()
        stallcast.use_server(True)
        return warm, cold
