#!/usr/bin/env python3
"""What a run that was observed far outside the ranges of a scenario says of inputs that have no part in it."""
import json
import os
import tempfile
import unittest

import program
from program import Run


def calibrate(observed, scenario):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("runs.json", "seen.csv")]
        for path, text in zip(files, (scenario, observed)):
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        return Run("calibrate", "--scenario", files[0], "--observed", files[1])


class ObservedFar(unittest.TestCase):
    def test_inputs_that_have_no_part_keep_their_priors_however_far_the_run_is_outside(self):
        # The rate is 0.3 times what is stated, four widths of its range below. Nothing is saved or cached: the figures
        # are the same whatever sync, reserved memory and the cost of parsing cached bytes are.
        text = json.dumps({
            "cluster": {"hosts": [{"id": "h", "count": 1, "gpus": 4, "cpu": {"cores": 32}}]},
            "storage": [{"id": "v", "type": "measured", "scope": "shared", "request": "1 MiB", "open": {"latency": "0 s", "per_op": "0 s"},
                         "read": {"latency": "1 ms", "per_op": "0 s", "rate": "1 GB/s +- 40 %", "law": "line"}}],
            "jobs": [{"id": "j", "hosts": "h", "epochs": 1, "steps": 200, "step": {"compute": "100 ms", "jitter": "0 %"},
                      "dataset": {"on": "v", "format": "raw", "samples": 100000, "sample": "2 MB", "decode": "5 ms +- 50 %"},
                      "loader": {"type": "pytorch", "batch": 32, "workers": 8}}]})
        run = calibrate("metric,value\njob.j.steady.step.time,0.85446\njob.j.first_batch,7.19354\n", text)
        self.assertEqual(run.code, 0, run.err)
        listed = run.out[run.out.index("Inputs it narrows"):]
        self.assertIn("read.rate", listed)
        for field in ("sync", "memory.reserved", "parse_fixed"):
            self.assertNotIn(field, listed)


if __name__ == "__main__":
    program.main()
