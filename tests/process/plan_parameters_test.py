#!/usr/bin/env python3
"""Plans over parameters of a scenario that carry the unit of what they set.

Usage: plan_parameters_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""
import unittest

import program
from program import Run

# A save of 100 GB over 24 OSTs of 4 GB/s takes some 2 s in any 40 to 80 s.
SCENARIO = """{
  "id": "small",
  "params": { "every": "60 s" },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 24, "read": "4 GB/s", "write": "4 GB/s" },
                 "oss": { "count": 4, "nic": "100 Gb/s" }, "stripe": { "count": 0 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
              "checkpoint": { "to": "scratch", "size": "100 GB", "every": "=every" } } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 1 },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= 50 %" } ]
}"""


class Parameters(unittest.TestCase):
    def test_a_parameter_that_carries_a_unit_is_a_number(self):
        def answer(values, wish):
            run = Run("plan", "FILE", "--over", "every=" + values, wish, "every", "--tornado", "0", "--quiet",
                      text=SCENARIO)
            return run.out.splitlines()[0]

        for values in ("40s..80s:3", "80s,60s,40s", "40s,60s,80s"):
            self.assertIn("every = 80", answer(values, "--maximize"), values)
            self.assertIn("every = 40", answer(values, "--minimize"), values)


if __name__ == "__main__":
    program.main()
