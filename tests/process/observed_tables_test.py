#!/usr/bin/env python3
"""Tables of observed runs: their columns, results of a run, and what is said twice or contradicts itself."""
import json
import os
import tempfile
import unittest

import program
from draws_test import TENTH, compute
from program import Run

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


class ObservedTables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.scenario = self.file("runs.json", compute(TENTH))

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def calibrate(self, *files):
        """What it says, and the profile; none where it was refused."""
        profile = os.path.join(self.folder.name, "profile.json")
        if os.path.exists(profile):
            os.remove(profile)
        observed = [part for path in files for part in ("--observed", path)]
        run = Run("calibrate", "--scenario", self.scenario, *observed, "-o", profile)
        if not os.path.exists(profile):
            return run, None
        with open(profile, encoding="utf-8") as file:
            return run, json.load(file)

    def test_a_column_of_units_is_read_and_one_that_is_not_is_warned_of(self):
        _, plain = self.calibrate(self.file("seen.csv", "metric,value,low,high\njob.train.step.time,104 ms,103.9 ms,104.1 ms\n"))
        run, apart = self.calibrate(
            self.file("seen.csv", "metric,value,unit,low,high,note\njob.train.step.time,104,ms,103.9,104.1,night\n"))
        self.assertEqual(apart["narrowed"], plain["narrowed"])
        self.assertIn('column "note" is not read', run.err)
        run, _ = self.calibrate(self.file("seen.csv", "metric,value,unit\njob.train.step.time,104,GB\n"))
        self.assertEqual(run.code, 2)
        self.assertIn('"104 GB" in column "value" does not fit "job.train.step.time", which is in s', run.err)

    def test_a_result_as_a_table_is_read_as_its_json_is(self):
        cells = []
        for name in ("csv", "json"):
            seen = Run("run", self.scenario, "--format", name, "--draws", "0", "--no-advice")
            _, profile = self.calibrate(self.file("seen." + name, seen.out))
            cells.append([one["cell"] for one in profile["fits"][0]["residuals"]])
        self.assertEqual(*cells)

    def test_one_statement_in_other_words_is_said_to_count_again(self):
        table = "metric,value\njob.train.step.time,104 ms\n"
        run, _ = self.calibrate(self.file("seen.csv", table + "job.train.steady.step.time,104 ms\n"))
        self.assertIn("job.train.step.time and job.train.steady.step.time of one run all follow", " ".join(run.out.split()))
        run, _ = self.calibrate(self.file("seen.csv", table))
        self.assertNotIn("all follow", run.out)

    def test_an_observation_counts_its_utilization_by_its_steps_alone(self):
        with open(os.path.join(EXAMPLES, "loop", "loop.observation.json"), encoding="utf-8") as file:
            observation = json.load(file)
        observation.setdefault("figures", {})["au_ratio"] = 0.42  # as DLIO writes it
        seen = self.file("loop.json", json.dumps(observation))
        self.scenario = os.path.join(self.folder.name, "job.json")
        self.assertEqual(0, Run("import", "observation", seen, "--no-check", "-o", self.scenario).code)
        run, profile = self.calibrate(seen)
        self.assertIn(run.code, (0, 1), run.err)
        self.assertEqual(["job.train.first_batch", "job.train.steady.step.time", "job.train.steady.wait"],
                         sorted(one["cell"] for one in profile["fits"][0]["residuals"]))
        self.assertNotIn("all follow", run.out)

    def test_two_files_that_contradict_each_other_are_named(self):
        run, _ = self.calibrate(*(self.file(f"{step}.csv", f"metric,value\njob.train.step.time,{step} ms\n") for step in (88, 118)))
        self.assertEqual(run.code, 1, run.out)
        text = " ".join(run.out.split())
        self.assertRegex(text, r"no one system gives 88 ms \(\S*88\.csv:2:1\) and 118 ms \(\S*118\.csv:2:1\)")
        self.assertNotIn("wider ranges", text)


if __name__ == "__main__":
    program.main()
