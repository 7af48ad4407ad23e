#!/usr/bin/env python3
"""Why a plan needs as many: what the next unit relieves, what decided, and what stands open.

Usage: plan_reason_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""
import json
import re
import unittest

import program
from program import Run

# Saves of 500 GB are to stall for no more than so much; the budget is nearer to its limit, and more OSTs only cost.
SAVING = {
    "id": "saving",
    "cluster": {"hosts": [{"id": "gpu", "count": 4, "use": "host/dgx-h100"}]},
    "storage": [{"id": "fs", "type": "lustre", "oss": {"count": 2}, "mdt": {"count": 1}, "stripe": {"count": 0},
                 "ost": {"count": 8, "read": "2 GB/s", "write": "1 GB/s", "price": "1 MUSD"}}],
    "jobs": [{"id": "train", "hosts": "gpu", "step": {"compute": "1 s"},
              "checkpoint": {"to": "fs", "size": "100 GB", "every": "1 min"}}],
    "run": {"duration": "10 min", "seed": 1, "replicas": 1},
    "plan": {"tornado": 0},
    "expect": [{"id": "stall", "that": "job.train.checkpoint.stall <= 14 s"},
               {"id": "capex", "that": "cost.capex <= %s MUSD"}]}


def plan(*options, text, code=0):
    run = Run("plan", "FILE", *options, text=text)
    assert run.code == code, (run.code, run.out, run.err)
    return " ".join(run.out.split())


class Reason(unittest.TestCase):
    def test_drives_that_wear_are_named(self):
        text = Run("init", "worn-drives").out
        told = plan("--tornado", "0", text=text)
        self.assertIn("needs 10 backends (storage scratch) by wear (endurance of the drives of scratch): with 9 backends", told)
        missed = json.loads(Run("run", "FILE", "--set", "storage.scratch.backend.count=9", "--format", "json", text=text).out)
        self.assertEqual(missed["assertions"][0]["limited_by"], "storage.scratch.wear")

    def test_what_the_next_unit_relieves_is_the_reason(self):
        """A save waits for its serialization most, and for the NSDs: the seventh server gives more of these."""
        found = Run("plan", "FILE", "--tornado", "0", "--set", "jobs[train].checkpoint.every=4 min", "--format", "json",
                    text=Run("init", "gpfs-llm-ckpt").out)
        reason = json.loads(found.out)["plan"]["reason"]
        self.assertEqual((reason["by"], reason["resource"]), ("bandwidth", "storage.scratch.nsd.write"))

    def test_room_is_no_limit_that_could_be_softer(self):
        """The save before the one that is kept is there until that is written: 200 GB in OSTs of 20 GB."""
        roomy = json.loads(json.dumps(SAVING))
        roomy["storage"][0]["ost"]["capacity"] = "20 GB"
        roomy["jobs"][0]["checkpoint"]["keep"] = {"last": 1}
        told = plan(text=json.dumps(roomy) % 99)
        self.assertIn("by capacity (room of fs)", told)
        self.assertNotIn("Softer targets", told)
        self.assertIn("Softer targets", plan(text=json.dumps(SAVING) % 99))

    def test_one_more_tells_of_the_target_that_decided(self):
        needed = json.loads(Run("plan", "FILE", "--format", "json", text=json.dumps(SAVING) % 99).out)["plan"]["required"]
        told = plan(text=json.dumps(SAVING) % (needed + 0.1))
        gained = told[told.index("What one more than the answer would gain"):]
        self.assertRegex(gained, r"^What one more than the answer would gain 1 OST more: [^;]*, stall [\d.]+ m?s better; misses capex")


class Open(unittest.TestCase):
    def test_options_are_refused_as_options(self):
        text = json.dumps({key: value for key, value in SAVING.items() if key != "plan"} | {"expect": SAVING["expect"][:1]})
        text = text.replace(', "price": "1 MUSD"', "")
        two = Run("plan", "FILE", "--over", "osts", "--over", "mdts", text=text)
        self.assertEqual(two.code, 2)
        self.assertNotIn("/plan/minimize", two.err)
        self.assertIn("a plan of several things needs something to minimize", two.err)
        self.assertIn("--minimize storage.fs.ost.count", two.err)
        named = Run("plan", "FILE", "--over", "osts=20..21", "--over", "mdts=1..2", "--minimize", "storage.fs.ost.count", text=text)
        self.assertEqual(named.code, 0, named.err)
        own = json.loads(text) | {"plan": {"over": ["osts", "mdts"]}}
        self.assertIn("/plan/minimize: a plan of several", Run("plan", "FILE", text=json.dumps(own)).err)

    def test_what_is_undecided_at_the_largest_says_what_limits_it_and_what_would_tell(self):
        scenario = json.loads(json.dumps(SAVING) % 99)
        scenario["jobs"][0]["step"] |= {"jitter": "5 %"}
        scenario["run"]["replicas"] = 4
        run = json.loads(Run("run", "FILE", "--no-advice", "--format", "json", text=json.dumps(scenario)).out)
        mean = run["metrics"]["job.train.gpu.utilization"]["value"]
        scenario["expect"] = [{"id": "busy", "that": f"job.train.gpu.utilization >= {100 * mean:.6f} %"}]
        told = plan("--over", "osts=8", "--replicas", "4", text=json.dumps(scenario), code=3)
        after, more = re.search(r"with 8 OSTs busy is undecided after (\d+) replicas: --replicas (\d+) halves its interval", told).groups()
        self.assertEqual(int(more), 4 * int(after))
        self.assertRegex(told, "with 8 OSTs, [a-z ]+ for the OSTs of fs")


if __name__ == "__main__":
    program.main()
