"""Sweeps that say how sure each point is. Usage: sweep_draws_test.py PATH_OF_STALLCAST [unittest options]."""

import csv
import io
import json
import os
import subprocess
import unittest

import program
from sweep_test import Folder, SweepTest, UTILIZATION


class Draws(SweepTest):
    def test_a_point_with_draws_has_the_interval_that_run_says(self):
        with Folder() as folder:
            asked = ("--draws", "16", "--metric", UTILIZATION)
            sweep = json.loads(self.code(0, folder, "s.json", *asked, "--format", "json").out)
            self.assertEqual(sweep["draws"], 16)
            run = subprocess.run([program.STALLCAST, "run", "s.json", "--set", "params.osts=16",
                                  "--no-advice", "--draws", "16", "--format", "json"], cwd=folder.path, text=True,
                                 capture_output=True, check=True, timeout=program.patience(120))
            point = sweep["points"][2]["metrics"][UTILIZATION]
            self.assertEqual(point, json.loads(run.stdout)["metrics"][UTILIZATION])
            low, high = point["ci90"]
            self.assertLess(low, high)
            wide = self.code(0, folder, "s.json", *asked, "--format", "csv", "--wide").out
            row = list(csv.DictReader(io.StringIO(wide)))[2]
            self.assertEqual(float(row[UTILIZATION + ".ci90.low_ratio"]), low)
            self.assertEqual(float(row[UTILIZATION + ".median_ratio"]), point["median"])
            tidy = self.code(0, folder, "s.json", *asked, "--format", "csv").out
            ends = [float(r["value"]) for r in csv.DictReader(io.StringIO(tidy))
                    if r["run"] == "3" and r["stat"] == "mean.ci90.high"]
            self.assertEqual(ends, [high])
            self.assertIn(f"({100 * low:.1f} % to {100 * high:.1f} %)", self.code(0, folder, "s.json", *asked).out)

    def test_draws_are_part_of_a_plan_and_its_parts(self):
        with Folder() as folder:
            self.code(0, folder, "s.json", "--draws", "8", "-o", "whole.db")
            self.code(0, folder, "plan", "s.json", "--draws", "8", "-o", "s.db")
            for shard in ("1/2", "2/2"):
                self.code(0, folder, "run", "s.db", "--shard", shard)
            self.code(0, folder, "collect", "s.db")
            self.assertEqual(folder.content("s.db"), folder.content("whole.db"))
            self.assertIn("another sweep", self.code(2, folder, "s.json", "--draws", "16", "-o", "s.db").err)
            self.assertIn("another sweep", self.code(2, folder, "s.json", "-o", "s.db").err)
            self.assertIn("at least 4", self.code(2, folder, "s.json", "--draws", "3").err)


if __name__ == "__main__":
    program.main()
