#!/usr/bin/env python3
"""What a plan searches where nothing says it, what it names where that does not do, and what moves its answer.

Usage: plan_elsewhere_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""
import json
import unittest

import program
from plan_answer_test import SCENARIO, plan
from program import Run


class Elsewhere(unittest.TestCase):
    """What is searched where several could be, and what is said where it does not do."""

    def test_of_several_storage_systems_the_one_that_is_missed_for_is_searched(self):
        scenario = json.loads(json.dumps(SCENARIO))
        scenario["storage"].append({"id": "home", "type": "nfs", "head": {"count": 2}})
        scenario["jobs"].append({"id": "dev", "hosts": "gpu", "step": {"compute": "1 s"}, "accelerators": 8,
                                 "checkpoint": {"to": "home", "size": "1 GB", "every": "1 min", "mode": "async"}})
        scenario["jobs"][0]["accelerators"] = 24
        scenario["jobs"][0]["checkpoint"]["every"] = "4 min"
        scenario["expect"] = [{"id": "util", "that": "job.train.gpu.utilization >= 85 %"}]
        found = json.loads(plan("--tornado", "0", "--format", "json", text=json.dumps(scenario)).out)["plan"]
        self.assertEqual(found["axes"][0]["path"], "storage[fs].ost.count")
        self.assertEqual(found["status"], "found")
        named = json.loads(plan("--tornado", "0", "--storage", "home", "--format", "json", text=json.dumps(scenario)).out)["plan"]
        self.assertEqual((named["axes"][0]["path"], named["status"]), ("storage[home].head.count", "infeasible"))
        self.assertIn("--storage fs", named["further"])

    def test_a_change_that_was_not_searched_is_named_where_it_meets_the_targets(self):
        text = (json.dumps(SCENARIO | {"expect": [{"id": "util", "that": "job.train.gpu.utilization >= 95 %"}]})
                .replace('"1 min"', '"10 min"').replace('"duration": "10 min"', '"duration": "45 min"'))
        options = ("--tornado", "0", "--over", "storage.fs.ost.count=1..2")
        run = plan(*options, "--format", "json", text=text)
        self.assertEqual(run.code, 1)
        instead = json.loads(run.out)["plan"]["instead"]
        self.assertEqual(instead["set"], "jobs[train].checkpoint.mode=async")
        said = " ".join(plan(*options, text=text).out.split())
        self.assertIn('they hold with 2 OSTs and asynchronous saves of train: --set jobs.train.checkpoint.mode="async"', said)
        again = Run("run", "FILE", "--draws", "0", "--no-advice", "--set", "storage.fs.ost.count=2",
                    "--set", "jobs.train.checkpoint.mode=async", text=text)
        self.assertEqual(again.code, 0, again.out)


class Tornado(unittest.TestCase):
    def swings(self, **plan_of):
        scenario = SCENARIO | {"plan": {"tornado": 50} | plan_of}
        text = json.dumps(scenario).replace('"write": "1 GB/s"', '"write": {"value": "1 GB/s", "low": "0.7 GB/s", "high": "1.1 GB/s"}').replace('"1 min"', '"4 min"')
        found = json.loads(plan("--over", "storage.fs.ost.count=4..8", "--format", "json", text=text).out)["plan"]
        return {swing["path"]: swing for swing in found["tornado"]}

    def test_inputs_vary_as_far_as_their_ranges_go(self):
        """Also one that is 0 as it stands, of which no share is anything."""
        swings = self.swings()
        write = swings["storage[fs].ost.write"]
        self.assertEqual((write["low"], write["high"]), ("700 MB/s", "1.1 GB/s"))
        coordinate = swings["jobs[train].checkpoint.coordinate"]
        self.assertEqual((coordinate["low"], coordinate["high"]), ("0 s", "2 s"))
        self.assertLess(coordinate["margin_at_high"], coordinate["margin_at_low"])

    def test_a_spread_that_is_given_goes_before_them(self):
        write = self.swings(spread="10 %")["storage[fs].ost.write"]
        self.assertEqual((write["low"], write["high"]), ("0.9 GB/s", "1.1 GB/s"))


if __name__ == "__main__":
    program.main()
