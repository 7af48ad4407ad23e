#!/usr/bin/env python3
"""Observed runs calibrated with a profile: what it measured is carried on, and a run observed before is what is known."""
import json
import math
import os
import statistics
import tempfile
import unittest

import program
from calibration_test import MEASURED, SWEEP, UTILIZATION
from draws_test import STEP, TENTH, compute
from observed_test import EXAMPLES, PRIOR, SIMULATED_ANEW, WIDE
from program import Run

# Its 16 ranks meet at barriers that a profile knows.
MEETING = """{
  "id": "meets",
  "cluster": { "hosts": [ { "id": "gpu", "count": 2, "gpus": 8 } ] },
  "jobs": [ { "id": "train", "hosts": "gpu", "discrepancy": { "step": "0.01 %" },
              "step": { "compute": "100 ms +- 10 %", "jitter": "0 %", "overhead": "0 s", "sharing": "0 %" } } ],
  "run": { "duration": "2 s", "replicas": 2 }
}"""


class ObservedProfile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def file(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)
        return self.path(name)

    def calibrate(self, text, seen, to, *extra):
        observed = self.file(to + ".csv", "metric,value,low,high\n" + seen + "\n")
        run = Run("calibrate", "--scenario", self.file(to + ".scenario.json", text), "--observed", observed,
                  "-o", self.path(to), *extra, env=SIMULATED_ANEW)
        self.assertEqual(run.code, 0, run.out + run.err)
        return run

    def profile(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def metric(self, name, text, profile, *extra):
        run = Run("run", "FILE", "--profile", self.path(profile), "--no-advice", "--format", "json", *extra, text=text)
        self.assertIn(run.code, (0, 1), run.err)
        return json.loads(run.out)["metrics"][name]

    def measured_barriers(self):
        """Barriers of 2 ms and 5 ms times the root of the ranks, which differ by a tenth."""
        runs = [{"subject": "training", "operation": "barrier", "processes": n,
                 "latency": factor * (0.002 + 0.005 * n ** 0.5)} for n in (1, 4, 16, 64) for factor in (0.9, 1, 1.1)]
        records = self.file("barrier.json", json.dumps(
            {"schema": "stallcast.measurements/1", "tool": "log", "measurements": runs}))
        self.assertEqual(0, Run("calibrate", records, "-o", self.path("A")).code)

    def test_the_new_profile_alone_is_the_calibrated_prediction(self):
        self.assertEqual(0, Run("calibrate", SWEEP, "-o", self.path("A"), "--id", "disk").code)
        first = self.metric(UTILIZATION, MEASURED, "A", "--draws", "0")["value"]
        seen = 0.9 * first
        run = self.calibrate(MEASURED, f"{UTILIZATION},{seen},{seen - 0.005},{seen + 0.005}", "B", "--profile", self.path("A"))
        a, b = self.profile("A"), self.profile("B")
        self.assertEqual([one["field"] for one in a["values"]], [one["field"] for one in b["values"]])
        self.assertEqual([one.get("value") for one in a["values"]], [one.get("value") for one in b["values"]])
        self.assertEqual([one["id"] for one in a["fits"]], [one["id"] for one in b["fits"]][1:])
        self.assertEqual([a["inputs"][0]["sha256"]], [one["sha256"] for one in b["inputs"]][:1])
        self.assertIn("Fields it sets, as the profile that it was made with: 14", run.out)
        # Without the fields of A there is no such storage.
        self.assertAlmostEqual(self.metric(UTILIZATION, MEASURED, "B", "--draws", "0")["value"], seen, delta=0.02)

    def test_draws_of_what_was_measured_belong_to_those_of_inputs(self):
        self.measured_barriers()
        self.calibrate(MEETING, f"{STEP},130 ms,129.9 ms,130.1 ms", "B", "--profile", self.path("A"))
        b = self.profile("B")
        steps = [0.1 * compute + base + 4 * root for compute, base, root in zip(
            next(one["draws"] for one in b["narrowed"] if one["field"] == "compute"),
            *(next(one["draws"] for one in b["values"] if one["field"] == field)
              for field in ("barrier.base", "barrier.per_sqrt")))]
        # Compute and barrier differ by some per cent each, and together they are what was seen.
        self.assertLess(statistics.pstdev(steps), 0.0003)
        self.assertAlmostEqual(statistics.mean(steps), 0.13, delta=0.0003)
        said = self.metric(STEP, MEETING, "B", "--draws", "64")
        self.assertAlmostEqual(said["value"], 0.13, delta=0.0005)
        self.assertLess(said["ci90"][1] - said["ci90"][0], 0.001)

    def test_a_second_run_adds_its_precision_in_another_design_too(self):
        for step, scale in ((TENTH, 1), ('"200 ms +- 10 %"', 2)):
            self.calibrate(compute(TENTH), f"{STEP},104 ms,89.5136 ms,120.831 ms", "one")
            seen = [scale * x for x in (106, 91.235, 123.155)]
            self.calibrate(compute(step), f"{STEP},{seen[0]} ms,{seen[1]} ms,{seen[2]} ms", "two", "--profile", self.path("one"))
            found = [one for one in self.profile("two")["narrowed"] if one["field"] == "compute"]
            self.assertEqual(len(found), 1)
            precision = 1 / PRIOR ** 2 + 2 / WIDE ** 2
            middle = (math.log(1.04) + math.log(1.06)) / WIDE ** 2 / precision
            draws = [math.log(x) for x in found[0]["draws"]]
            # 128 draws tell a mean within a tenth of their width, and a width within a tenth.
            self.assertAlmostEqual(statistics.mean(draws), middle, delta=0.25 / math.sqrt(precision))
            self.assertAlmostEqual(statistics.pstdev(draws) * math.sqrt(precision), 1, delta=0.2)

    def test_runs_of_one_design_share_what_the_model_is_off_by(self):
        # Each is measured within 0.01 %, and all by a model that is off by e^0.15 nine times in ten: three say no more
        # than one does. A design of twice the step has an error of its own.
        prior = 0.4 / 1.645
        ends = '{{"value": "{0} ms", "low": "{1:.3f} ms", "high": "{2:.3f} ms"}}'
        def design(ms):
            return compute(ends.format(ms, ms * math.exp(-0.4), ms * math.exp(0.4))).replace(
                '"model"', '"discrepancy": { "step": "16.1834 %" }, "model"')
        def seen(ms):
            return f"{STEP},{ms} ms,{ms * 0.9999} ms,{ms * 1.0001} ms"
        def left(profile):
            draws = [math.log(x) for x in next(one["draws"] for one in self.profile(profile)["narrowed"] if one["field"] == "compute")]
            return statistics.mean(draws), statistics.pstdev(draws)
        self.calibrate(design(100), seen(104), "one")
        two = self.calibrate(design(100), seen(102), "two", "--profile", self.path("one"))
        self.assertIn("of this design was observed before", two.out)
        self.calibrate(design(100), seen(109), "three", "--profile", self.path("two"))
        other = self.calibrate(design(200), seen(210), "other", "--profile", self.path("one"))
        self.assertNotIn("of this design was observed before", other.out)
        for profile, logs, errors in (("two", (1.04, 1.02), 1), ("three", (1.04, 1.02, 1.09), 1), ("other", (1.04, 1.05), 2)):
            with self.subTest(profile):
                precision = 1 / prior ** 2 + errors / WIDE ** 2
                mean, width = left(profile)
                middle = statistics.mean(map(math.log, logs)) * errors / WIDE ** 2 / precision
                self.assertAlmostEqual(mean, middle, delta=0.25 / math.sqrt(precision))
                self.assertAlmostEqual(width * math.sqrt(precision), 1, delta=0.2)

    def test_readers_of_the_first_run_stay_known_after_a_second(self):
        volumes = os.path.join(EXAMPLES, "slow-volumes.json")
        use = "job.train.gpu.utilization"
        for seen, to, extra in ((f"{use},37.3 %", "one", ()),
                                (f"{use},74.3 %", "two", ("--profile", self.path("one"), "--set", "storage.filer.client.nconnect=2"))):
            observed = self.file(to + ".csv", "metric,value\n" + seen + "\n")
            run = Run("calibrate", "--scenario", volumes, "--observed", observed, "-o", self.path(to), *extra, env=SIMULATED_ANEW)
            self.assertEqual(run.code, 0, run.out + run.err)
        self.assertEqual(2, len(self.profile("two")["jobs"]))
        widths = {}
        for profile in ("one", "two"):
            run = Run("run", volumes, "--profile", self.path(profile), "--no-advice", "--draws", "32", "--format", "json")
            low, high = json.loads(run.out)["metrics"][use]["ci90"]
            widths[profile] = high - low
        self.assertLess(widths["two"], widths["one"], widths)

    def test_what_a_design_states_otherwise_is_calibrated_anew(self):
        self.calibrate(compute(TENTH), f"{STEP},104 ms,89.5136 ms,120.831 ms", "one")
        other = compute('"100 ms +- 20 %"')
        self.calibrate(other, f"{STEP},104.5 ms,104.3 ms,104.7 ms", "two", "--profile", self.path("one"))
        self.assertEqual(1, sum(one["field"] == "compute" for one in self.profile("two")["narrowed"]))
        low, high = self.metric(STEP, other, "two", "--draws", "64")["ci90"]
        self.assertTrue(0.104 < low < high < 0.105, (low, high))

    def test_a_second_run_that_few_rows_of_the_first_fit_draws_more(self):
        self.calibrate(compute(TENTH), f"{STEP},104 ms,89.5136 ms,120.831 ms", "one")
        run = self.calibrate(compute(TENTH), f"{STEP},108 ms,107.9 ms,108.1 ms", "two", "--profile", self.path("one"))
        self.assertNotIn("independent draws are left: intervals are rough", run.out)
        found = next(one for one in self.profile("two")["narrowed"] if one["field"] == "compute")
        for end in (found["low"], found["high"], found["value"]):
            self.assertAlmostEqual(end, 1.08, delta=0.002)
        self.assertGreater(len(set(found["draws"])), 30)

    def test_a_run_that_the_profile_was_made_with_does_not_count_again(self):
        self.calibrate(compute(TENTH), f"{STEP},104 ms,103 ms,105 ms", "one")
        run = Run("calibrate", "--scenario", self.path("one.scenario.json"), "--observed", self.path("one.csv"),
                  "--profile", self.path("one"))
        self.assertEqual(2, run.code, run.out)
        self.assertIn("it would count twice", run.err)

    def test_a_law_that_is_stated_over_a_fitted_one_is_told(self):
        self.assertEqual(0, Run("calibrate", SWEEP, "-o", self.path("A"), "--id", "disk").code)
        law = next(one["text"] for one in self.profile("A")["values"] if one["field"] == "read.law")
        other = "roofline" if law != "roofline" else "line"
        with_law = lambda law: Run("check", "FILE", "--profile", self.path("A"), "--set", "storage.read.law=" + law, text=MEASURED).err
        self.assertIn(f'"read.law" is "{other}" as it is stated here; the profile "disk" fitted "{law}", and its "read.latency"', with_law(other))
        self.assertNotIn("as it is stated here", with_law(law))

    def test_a_missing_field_says_that_the_profile_given_has_no_value_for_it(self):
        self.measured_barriers()
        run = Run("run", "FILE", "--profile", self.path("A"), text=MEASURED)
        self.assertEqual(2, run.code)
        self.assertIn(', and the profile "barrier" has no value for it', run.err)
        self.assertNotIn("has no value for it", Run("run", "FILE", text=MEASURED).err)


if __name__ == "__main__":
    program.main()
