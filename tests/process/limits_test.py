"""What a report says limits a job is what the job would gain from.

Usage: limits_test.py PATH_OF_STALLCAST [unittest options].
"""
import json
import unittest

import program


class Limits(unittest.TestCase):
    def test_storage_behind_a_last_stage_that_is_mostly_idle(self):
        # 2 OSTs of 3.4 GB/s have nothing left; a GPU decodes a batch in 31 of the 141 ms that one takes to be read.
        text = program.Run("init", "dali-imagenet").out
        few = ["--set", "storage.scratch.ost.count=2", "--set", "storage.scratch.ost.read=3.4GB/s",
               "--set", "run.duration=15s", "--replicas", "1", "--format", "json"]
        done = json.loads(program.Run("run", "FILE", *few, "--no-advice", text=text).out)
        # Nothing was tried, so that it is waited for, and not said to limit.
        self.assertEqual(done["limit"]["kind"], "waited")
        self.assertEqual(done["assertions"][0]["most_waited_for"], "storage.scratch.ost.read")
        self.assertGreater(done["breakdown"]["train"]["data"], 0.10)
        # What GPUs decode of every batch takes 20 % of them: 6.1 of 141 ms, whoever limits.
        waited = done["metrics"]["job.train.waited.host.gpu.gpu.decode"]["value"]
        self.assertLess(waited / 15.0, 0.05)


if __name__ == "__main__":
    program.main()
