"""What verbs say of the calibration profile they were given, and of a prediction that leaves its range.

Usage: profile_test.py PATH_OF_STALLCAST [unittest options].
"""

import json
import os
import tempfile
import unittest

import program
from calibration_test import MEASURED, SWEEP, UTILIZATION
from program import Run

EXPECT = '"expect": [ { "id": "busy", "that": "%s >= 1 %%" } ], "run":' % UTILIZATION
DEEP = MEASURED.replace('"run":', EXPECT).replace('"workers": 4', '"workers": 32')
CASES = """{ "id": "ours", "title": "Ours", "cases": [
  { "id": "one", "scenario": "s.json", "source": "run 17", "measured": { "%s": "50 %%" } } ] }""" % UTILIZATION
REASON = "leaves the range its profile was fitted in"


class Profile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.profile = os.path.join(self.folder.name, "disk.json")
        made = Run("calibrate", SWEEP, "--id", "vm-disk", "-o", self.profile, "--draws", "20")
        self.assertEqual(made.code, 0, made.err)

    def strict(self, verb, *args, text=DEEP):
        return Run(verb, "FILE", *args, "--profile", self.profile, "--strict-range", "--no-advice", text=text)

    def test_run_names_the_range_as_the_reason(self):
        for form in ("text", "markdown"):
            run = self.strict("run", "--format", form)
            self.assertEqual(run.code, 3, run.err)
            self.assertIn("INCONCLUSIVE, it " + REASON, run.out)
            self.assertNotIn("did not finish", run.out)

    def test_check_counts_a_scenario_that_left_the_range_once(self):
        run = self.strict("check")
        self.assertEqual(run.code, 3, run.err)
        self.assertIn(REASON, " ".join(run.out.split()))
        self.assertIn("\n1 scenario unsure  model", run.out)
        counts = json.loads(self.strict("check", "--report", "json").out)["counts"]
        self.assertEqual({key: n for key, n in counts.items() if n}, {"unsure": 1})

    def test_diff_is_inconclusive_where_a_side_leaves_the_range(self):
        same = self.strict("diff", "FILE")
        self.assertEqual(same.code, 3, same.err)
        self.assertIn("nothing changed", same.out)
        changed = self.strict("diff", "FILE", "--set", "jobs.train.step.compute=50 ms")
        self.assertEqual(changed.code, 3, changed.err)
        self.assertIn("compute", changed.out)
        inside = self.strict("diff", "FILE", text=MEASURED)
        self.assertEqual(inside.code, 0, inside.err)

    def test_run_says_which_profile_it_went_by_and_how_many_values_are_its(self):
        for form in ("text", "markdown", "html"):
            run = Run("run", "FILE", "--profile", self.profile, "--no-advice", "--format", form, text=MEASURED)
            self.assertEqual(run.code, 0, run.err)
            self.assertIn("vm-disk" if form == "html" else "Calibrated by profile vm-disk: 14 values.", run.out)
        stated = MEASURED.replace('"type": "measured"', '"type": "measured", "read": { "rate": "1 GB/s" }')
        run = Run("run", "FILE", "--profile", self.profile, "--no-advice", text=stated)
        self.assertIn("Calibrated by profile vm-disk: 13 values.", run.out)

    def test_a_missing_field_says_that_the_profile_refused_the_fit_of_it(self):
        records = {"schema": "stallcast.measurements/1", "tool": "mine", "measurements": [
            {"subject": "io", "operation": "read", "pattern": "random", "size": size, "depth": 1, "ops": 1000}
            for size in (4096, 65536)]}
        measured = os.path.join(self.folder.name, "two.json")
        with open(measured, "w", encoding="utf-8") as file:
            json.dump(records, file)
        Run("calibrate", measured, "-o", self.profile, "--id", "two")
        run = Run("run", "FILE", "--profile", self.profile, text=MEASURED)
        self.assertEqual(run.code, 2)
        self.assertIn('"disk" has no "read.latency"', run.err)
        self.assertIn('warning: the profile "two" sets no field by io.read.random, which it refused: too few sizes',
                      run.err)

    def test_cases_are_validated_by_the_profile_with_its_draws_and_its_range(self):
        for name, text in (("s.json", MEASURED), ("cases.json", CASES)):
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                file.write(text)

        def validate(*args):
            return Run("validate", os.path.join(self.folder.name, "cases.json"), *args)

        self.assertEqual(validate().code, 2)  # a measured storage system is nothing without its figures
        by_profile = json.loads(validate("--format", "json", "--profile", self.profile).out)
        run = json.loads(Run("run", "FILE", "--profile", self.profile, "--no-advice", "--draws", "0", "--format",
                             "json", text=MEASURED).out)
        self.assertEqual(by_profile["cases"][0]["predicted"][UTILIZATION]["value"],
                         run["metrics"][UTILIZATION]["value"])
        self.assertEqual(by_profile["tool"]["profile"], run["tool"]["profile"])
        self.assertIn("Calibrated by profile vm-disk.", validate("--profile", self.profile).out)
        # Draws of the profile move what depends on nothing else.
        drawn = json.loads(validate("--profile", self.profile, "--draws", "8", "--format", "json").out)
        low, high = drawn["cases"][0]["predicted"][UTILIZATION]["ci90"]
        self.assertLess(low, high)
        # Outside of the range that was fitted.
        strict = ("--profile", self.profile, "--strict-range")
        self.assertEqual(validate(*strict).code, 0)
        self.assertEqual(validate(*strict, "--set", "jobs.train.loader.workers=32").code, 3)
        self.assertEqual(validate("--profile", os.path.join(self.folder.name, "none.json")).code, 2)


if __name__ == "__main__":
    program.main()
