"""Which values a sweep takes. Usage: sweep_values_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import unittest

import program
from sweep_test import Folder, SCENARIO, SweepTest


class Sampling(SweepTest):
    def test_samples_are_of_whole_counts_and_the_same_each_time(self):
        vary = ["--vary", "storage.ost.count=4..64",
                "--vary", "jobs.train.checkpoint.every=30 s..2 min:log"]
        for mode in ("latin:8", "sobol:8"):
            with Folder(SCENARIO.replace('"=osts"', "8").replace(
                    '"params": { "osts": { "value": 8, "min": 1, "max": 4096 } },', "")
                        % "null") as folder:
                args = ["s.json", *vary, "--mode", mode, "--format", "json"]
                first = json.loads(self.code(0, folder, *args).out)
                counts = [int(p["set"]["storage.ost.count"]) for p in first["points"]]
                self.assertEqual(len(set(counts)), 8)
                self.assertTrue(all(4 <= n <= 64 for n in counts))
                self.assertEqual(first, json.loads(self.code(0, folder, *args).out))
                other = json.loads(self.code(0, folder, *args, "--sample-seed", "5").out)
                self.assertNotEqual(first["points"], other["points"])

    def test_a_range_of_a_parameter_that_makes_counts_is_of_whole_numbers(self):
        def values(text, vary):
            with Folder(text) as folder:
                points = json.loads(self.code(0, folder, "s.json", "--vary", vary, "--format", "json").out)["points"]
                return [p["set"]["params.osts"] for p in points]

        plain = SCENARIO % "null"
        self.assertEqual(values(plain, "osts=4..8:4"), ["4", "5", "7", "8"])
        self.assertEqual(values(plain.replace("=osts", "=2 * osts"), "osts=8..7:5"), ["8", "7"])
        # What rounds by itself takes any number, and so does what counts nothing.
        self.assertEqual(values(plain.replace("=osts", "=ceil(osts)"), "osts=4..5:3"), ["4", "4.5", "5"])


if __name__ == "__main__":
    program.main()
