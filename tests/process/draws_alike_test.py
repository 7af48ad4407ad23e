#!/usr/bin/env python3
"""What is another figure times a number is as sure as that, and a slide's ends of a range are what they give.

Usage: draws_alike_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""
import itertools
import json
import re
import unittest

import program
from program import Run

# It reads, computes and saves for ten minutes by the clock.
READING = {
    "id": "reading",
    "cluster": {"hosts": [{"id": "gpu", "count": 2, "use": "host/dgx-a100"}]},
    "storage": [{"id": "fs", "type": "lustre", "ost": {"count": 6, "read": "3 GB/s", "write": "2 GB/s"}}],
    "jobs": [{"id": "j", "hosts": "gpu", "model": {"parameters": "1B"}, "step": {"compute": "200 ms"},
              "dataset": {"on": "fs", "format": "webdataset", "shard": "1 GiB", "sample": "1 MB", "size": "50 TB", "decode": "5 ms"},
              "loader": {"batch": 32, "workers": 6}, "checkpoint": {"to": "fs", "every": "2 min"}}],
    "run": {"duration": "10 min", "replicas": 1},
    "expect": [{"id": "run", "that": "job.j.gpu.utilization >= 92 %"},
               {"id": "long", "that": "job.j.lasting.utilization >= 92 %"},
               {"id": "computes", "that": "job.j.time.compute >= 552 s"}]}


def result(scenario, *args):
    run = Run("run", "FILE", "--no-advice", "--format", "json", *args, text=json.dumps(scenario))
    assert run.code in (0, 1), (run.code, run.err)
    return json.loads(run.out)


class Alike(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = result(READING, "--draws", "64")
        cls.of = cls.figures(cls.found)

    @staticmethod
    def figures(found):
        """But for what is waited for a resource, by reads and saves alike: that is of no class."""
        return {name[len("job.j."):]: figure for name, figure in found["metrics"].items()
                if name.startswith("job.j.") and not name.startswith("job.j.waited.") and "ci90" in figure}

    def test_figures_that_say_the_same_have_the_same_interval(self):
        twins = [("lasting.utilization", "gpu.utilization"), ("lasting.useful", "goodput"), ("time.compute", "gpu.utilization"),
                 ("steps", "throughput.samples")] + [(f"time.{cause}", f"stall.{cause}") for cause in ("data", "cpu", "metadata")]
        for one, other in twins:
            times = self.of[one]["median"] / self.of[other]["median"]
            for end, twin in zip(self.of[one]["ci90"], self.of[other]["ci90"]):
                self.assertAlmostEqual(end / (times * twin), 1.0, delta=2e-3, msg=(one, other))

    def test_of_all_figures_those_that_go_together_are_as_wide(self):
        """Those whose stated figure and middle are in one proportion with either seed, whatever they are called; of what is
        computed over a utilization to the second order of the scales (equation 12)."""
        seeds = [self.of, self.figures(result(READING, "--draws", "64", "--set", "run.seed=7"))]

        def go_together(of, one, other):
            values = [of[name][key] for name in (one, other) for key in ("value", "median")]
            if min(values) <= 0 or abs(values[0] / values[1] - 1) < 1e-3:
                return False
            return abs(values[0] / values[1] / (values[2] / values[3]) - 1) < 4e-4

        compared = 0
        for one, other in itertools.combinations(self.of, 2):
            if not all(one in of and other in of and go_together(of, one, other) for of in seeds):
                continue
            times = self.of[one]["median"] / self.of[other]["median"]
            for end, twin in zip(self.of[one]["ci90"], self.of[other]["ci90"]):
                self.assertAlmostEqual(end / (times * twin), 1.0, delta=0.05, msg=(one, other))
            compared += 1
        self.assertGreater(compared, 20)

    def test_starts_are_as_wide_as_the_first_batch(self):
        width = {name: self.of[name]["ci90"][1] / self.of[name]["ci90"][0] for name in ("first_batch", "epoch.begin", "start.once")}
        for name in ("epoch.begin", "start.once"):
            self.assertAlmostEqual(width[name] / width["first_batch"], 1.0, delta=0.05)

    def test_targets_on_them_are_as_probable(self):
        run, long, computes = (target["probability"] for target in self.found["assertions"])
        self.assertTrue(0.05 < run < 0.95, run)
        self.assertAlmostEqual(long, run, delta=0.01)
        self.assertAlmostEqual(computes, run, delta=0.01)

    def test_a_whole_run_that_is_kept_has_the_luck_of_its_time(self):
        scenario = json.loads(json.dumps(READING | {"expect": [], "failures": [{"type": "host", "mtbf": "2000 h", "per": "gpu"}]}))
        scenario["jobs"][0] |= {"run": {"steps": 1000000}, "step": {"compute": "200 ms", "warm_up": "30 s"}}
        found = result(scenario, "--draws", "32")["metrics"]
        low, high = found["job.j.lasting.useful"]["ci90"]
        least, most = found["job.j.goodput"]["ci90"]
        self.assertAlmostEqual((high - low) / (most - least), 1.0, delta=0.1)


class Ends(unittest.TestCase):
    def test_the_end_of_a_range_that_is_stated_gives_what_is_predicted(self):
        scenario = {"id": "compute", "cluster": {"hosts": [{"id": "gpu", "count": 8, "gpus": 8}]},
                    "jobs": [{"id": "train", "hosts": "gpu", "step": {"compute": "100 ms"}}],
                    "run": {"duration": "20 s", "seed": 1, "replicas": 3}}
        slide = Run("run", "FILE", "--format", "slide", text=json.dumps(scenario)).out
        use = [Run("run", "FILE", "--no-advice", "--format", "json", "--set", f"jobs.train.barrier.per_sqrt={end}",
                   text=json.dumps(scenario)).out for end in ("0 s", "1 ms")]
        low, high = (json.loads(out)["metrics"]["job.train.gpu.utilization"]["value"] for out in use)
        told = re.search(r"0 s, may be 0 s to 1 ms: GPU utilization then <b class=.ends.>([\d.]+) % to ([\d.]+) %<", slide)
        self.assertAlmostEqual(float(told[1]), 100 * low, delta=0.051)
        self.assertAlmostEqual(float(told[2]), 100 * high, delta=0.15)  # of one replica


if __name__ == "__main__":
    program.main()
