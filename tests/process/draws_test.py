#!/usr/bin/env python3
"""What draws say: intervals with a closed form, shares, probabilities of targets, and when there are none."""
import json
import math
import re
import unittest

import program
from program import Run

# A job that only computes: its step takes what step.compute says and nothing else.
COMPUTE = """{
  "id": "compute",
  "cluster": { "hosts": [ { "id": "gpu", "count": 2, "gpus": 8 } ] },
  "storage": [ { "id": "fast", "type": "local", "drive": { "read": "5 GB/s", "write": "5 GB/s", "count": 1 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "model": { "parameters": 1e6 },
              "barrier": { "base": "0 s", "per_doubling": "0 s", "per_sqrt": %s },
              "step": { "compute": %s, "jitter": "0 %%", "overhead": "0 s", "sharing": "0 %%" } } ],
  "run": { "duration": "20 s", "seed": 1, "replicas": 2 },
  "expect": [ { "id": "fast", "that": "job.train.step.time <= 105 ms" } ]
}"""
NONE = '"0 s"'
TENTH = '"100 ms +- 10 %"'
STEP = "job.train.step.time"


# A save of 80 GB each minute at 10 GB/s or half of it or twice that.
SAVING = """{
  "id": "saving",
  "cluster": { "hosts": [ { "id": "gpu", "count": 2, "gpus": 8 } ] },
  "storage": [ { "id": "fast", "type": "lustre", "ost": { "count": 10, "read": "1 GB/s", "write": "1 GB/s +- 50 %" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "model": { "parameters": 1e6 },
              "step": { "compute": "1 s", "jitter": "0 %" },
              "checkpoint": { "to": "fast", "size": "80 GB", "every": "60 s", "serializer": "none" } } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 2 },
  "expect": [ { "id": "busy", "that": "job.train.gpu.utilization >= 80 %" } ]
}"""


# A job that may read 1 GB/s of the 16 it could use.
HELD = """{
  "id": "held",
  "cluster": { "hosts": [ { "id": "gpu", "count": 2, "gpus": 8 } ] },
  "storage": [ { "id": "fs", "type": "lustre", "ost": { "count": 10, "read": "3 GB/s", "write": "3 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "limit": "1 GB/s", "step": { "compute": "100 ms" },
              "dataset": { "on": "fs", "format": "webdataset", "sample": "1 MB", "size": "10 TB" },
              "loader": { "type": "pytorch", "batch": 100, "workers": 4 } } ],
  "run": { "duration": "5 min", "seed": 1, "replicas": 1 },
  "expect": [ { "id": "more", "that": "job.train.throughput.bytes >= 1.05 GB/s", "level": "warn" },
              { "id": "busy", "that": "job.train.gpu.utilization >= 6.6 %", "level": "warn" } ]
}"""


def compute(step, barrier=NONE):
    return COMPUTE % (barrier, step)


# A save of 4 s every 20 min, a failure every 27 h, and the goodput of the worst of 20 runs of 40 h.
FAILING = """{
  "id": "failing",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 } ] },
  "storage": [ { "id": "fs", "type": "measured", "scope": "shared", "read": { "latency": "0 s", "rate": "20 GB/s" }, "write": { "latency": "0 s", "rate": "20 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "2 s" }, "run": { "steps": 60000 },
              "checkpoint": { "to": "fs", "every": "20 min", "size": "80 GB" }, "recovery": { "restore": "130 s" } } ],
  "failures": [ { "type": "host", "mtbf": "860 h", "per": "gpu" } ],
  "run": { "duration": "4 h", "seed": 1, "replicas": 1 }
}"""


def resolved_exactly(text):
    """The scenario with all its defaults, and no range of any."""
    def exact(node):
        """Without ranges: what is left of an object of value, low and high."""
        if isinstance(node, list):
            return [exact(one) for one in node]
        if not isinstance(node, dict):
            return re.sub(r" *(\+-|\.\.).*$|^up to ", "", node) if isinstance(node, str) else node
        if "value" in node and ("low" in node or "high" in node):
            return node["value"]
        return {key: exact(one) for key, one in node.items()}

    return json.dumps(exact(json.loads(Run("resolve", "FILE", text=text).out)))


class Draws(unittest.TestCase):
    def result(self, *args, text):
        run = Run("run", "FILE", "--format", "json", "--no-advice", *args, text=text)
        self.assertIn(run.code, (0, 1), run.err)
        return json.loads(run.out)

    def test_the_interval_is_that_of_the_input_where_nothing_else_counts(self):
        found = self.result("--draws", "64", text=compute(TENTH))
        low, high = found["metrics"][STEP]["ci90"]
        self.assertAlmostEqual(low, 0.090, delta=0.0015)
        self.assertAlmostEqual(high, 0.110, delta=0.0015)
        self.assertAlmostEqual(found["metrics"][STEP]["median"], 0.100, delta=0.001)
        self.assertAlmostEqual(found["metrics"][STEP]["value"], 0.100, delta=1e-6)

    def test_no_outcome_is_beyond_a_jobs_own_limit(self):
        """At full utilization 16 ranks read 16 GB/s: 1 GB/s is 6.25 %, however wrong the model is."""
        found = self.result("--draws", "32", text=HELD)
        metrics = found["metrics"]
        self.assertAlmostEqual(metrics["job.train.throughput.bytes"]["ci90"][1], 1e9, delta=1e6)
        self.assertLessEqual(metrics["job.train.gpu.utilization"]["ci90"][1], 0.0625 + 1e-9)
        self.assertLess(metrics["job.train.gpu.utilization"]["ci90"][0], 0.05)  # below it the model is as unsure as ever
        self.assertEqual([target["probability"] for target in found["assertions"]], [0.0, 0.0])

    def test_au_leaves_saves_out_and_may_be_beyond_the_limit_that_holds_utilization(self):
        """12 of 16 GB/s are 75 % at most; AU counts no saves, and loaders read during them."""
        text = HELD.replace('"limit": "1 GB/s"', '"limit": "12 GB/s", "checkpoint": { "to": "fs", "every_steps": 30, "size": "40 GB" }')
        metrics = self.result("--draws", "32", text=text)["metrics"]
        low, high = metrics["job.train.au"]["ci90"]
        self.assertLessEqual(low, metrics["job.train.au"]["median"])
        self.assertLessEqual(metrics["job.train.au"]["median"], high)
        self.assertLessEqual(metrics["job.train.gpu.utilization"]["ci90"][1], 0.75 + 1e-9)
        self.assertGreater(high, 0.75)

    def test_a_target_holds_as_often_as_the_input_allows(self):
        found = self.result("--draws", "64", text=compute(TENTH))
        # 105 ms is at ln 1.05 / ln 1.1 of the way to the 95 % quantile: 0.842 standard deviations
        self.assertAlmostEqual(found["assertions"][0]["probability"], 0.80, delta=0.03)

    def test_the_input_that_decides_is_named_with_its_share(self):
        found = self.result("--draws", "64", text=compute(TENTH))
        rows = [row for row in found["uncertainty"] if row["metric"] == STEP]
        self.assertEqual(rows[0]["input"], "jobs[train].step.compute")
        self.assertGreater(rows[0]["share"], 0.9)
        self.assertLessEqual(sum(row["share"] for row in rows), 1.0 + 1e-9)
        self.assertTrue(rows[0]["measure_with"])

    def test_two_inputs_share_the_variance_as_their_squares(self):
        # 4 ranks an octave: sqrt(16) x 2.5 ms is as much as a tenth of the step
        text = compute(TENTH, '{ "value": "2.5 ms", "low": "1.25 ms", "high": "3.75 ms" }')
        found = self.result("--draws", "128", text=text)
        shares = {row["input"]: row["share"] for row in found["uncertainty"] if row["metric"] == STEP}
        compute_half, barrier_half = 10.0, 4 * 1.25
        expected = compute_half ** 2 / (compute_half ** 2 + barrier_half ** 2)
        self.assertAlmostEqual(shares["jobs[train].step.compute"], expected, delta=0.12)
        self.assertAlmostEqual(shares["jobs[train].barrier.per_sqrt"], 1 - expected, delta=0.12)

    def test_an_exact_value_has_no_width(self):
        found = self.result("--draws", "16", text=compute('"100 ms"'))
        low, high = found["metrics"][STEP]["ci90"]
        self.assertAlmostEqual(low, high, delta=1e-9)
        self.assertIn(found["assertions"][0]["probability"], (0, 1))

    def test_what_no_draw_moves_has_its_own_value_as_both_ends(self):
        priced = compute(TENTH).replace('"gpus": 8', '"gpus": 8, "price": "2.68 MUSD"')
        found = self.result("--draws", "64", text=priced)["metrics"]["cost.capex"]
        self.assertGreaterEqual(found["value"], 5.36e6)
        self.assertEqual(found["ci90"], [found["value"], found["value"]])

    def test_without_an_uncertain_input_a_design_is_its_own_interval(self):
        found = self.result("--draws", "16", text=resolved_exactly(compute('"100 ms"')))
        self.assertEqual(found["draws"]["inputs"], 0)
        self.assertEqual(found["draws"]["count"], 4)
        low, high = found["metrics"][STEP]["ci90"]
        self.assertAlmostEqual(low, high, delta=1e-9)

    def test_the_worst_twentieth_is_in_its_own_interval_which_has_the_luck_of_so_many_histories(self):
        scenario = json.loads(resolved_exactly(FAILING))
        scenario["jobs"][0]["discrepancy"] = {"utilization": 0.0001}
        found = self.result("--draws", "4", text=json.dumps(scenario))["metrics"]["job.train.goodput.p5"]
        low, high = found["ci90"]
        self.assertTrue(low < found["value"] < high, found)
        # The goodput of draws is of fewer histories, too.
        self.assertAlmostEqual(found["median"], found["value"], delta=1e-3)
        self.assertGreater(high - low, 0.001)
        self.assertLess(high - low, 0.05)

    def test_none_are_taken_where_none_are_wanted(self):
        found = self.result("--draws", "0", text=compute(TENTH))
        self.assertNotIn("ci90", found["metrics"][STEP])
        self.assertNotIn("uncertainty", found)
        self.assertNotIn("probability", found["assertions"][0])

    def test_the_same_draws_give_the_same_bytes(self):
        outputs = [self.result("--draws", "16", "--jobs", jobs, text=compute(TENTH)) for jobs in ("1", "2", "2")]
        for output in outputs:
            del output["scenario"]["file"]
        self.assertEqual(len({json.dumps(output) for output in outputs}), 1)

    def test_more_draws_keep_the_nominal_figures(self):
        few, many = (self.result("--draws", n, text=compute(TENTH))["metrics"][STEP]["value"] for n in ("8", "64"))
        self.assertEqual(few, many)

    def test_the_middle_is_inside_and_is_printed_where_the_stated_figure_is_not(self):
        # The step can only take longer than stated: 100 ms is the least of what it may be.
        text = compute('{ "value": "100 ms", "low": "100 ms", "high": "150 ms" }')
        for draws in ("8", "64"):
            found = self.result("--draws", draws, text=text)
            for name, figure in found["metrics"].items():
                if "ci90" in figure:
                    low, high = figure["ci90"]
                    self.assertTrue(low <= figure["median"] <= high, (name, figure))
        head = found["metrics"]["job.train.gpu.utilization"]
        self.assertTrue(head["ci90"][0] <= head["value"] <= head["ci90"][1])
        self.assertLess(found["metrics"][STEP]["value"], found["metrics"][STEP]["ci90"][0])
        full = " ".join(Run("run", "FILE", "-v", "--draws", "64", "--no-advice", text=text).out.split())
        self.assertRegex(full, r"step 100 ms \(90 % of outcomes [\d.]+ ms to [\d.]+ ms, middle [\d.]+ ms\)")

    def test_resolving_keeps_what_values_may_be(self):
        text = compute(TENTH)
        resolved = Run("resolve", "FILE", text=text)
        self.assertEqual(resolved.code, 0, resolved.err)
        self.assertEqual(self.result("--draws", "32", text=text)["metrics"],
                         self.result("--draws", "32", text=resolved.out)["metrics"])

    def test_a_ceiling_pulls_the_outcomes_to_its_side(self):
        text = compute('"100 ms"').replace('"read": "5 GB/s"', '"read": "up to 5 GB/s"')
        text = text.replace('"barrier"', '"dataset": { "on": "fast", "format": "npz", "sample": "100 MB", "samples": 4000 },'
                                         ' "loader": { "type": "pytorch", "batch": 1, "workers": 4 }, "barrier"')
        found = self.result("--draws", "32", text=text)
        metric = found["metrics"]["job.train.gpu.utilization"]
        self.assertLess(metric["median"], metric["value"])

    def test_a_laxer_limit_is_never_less_probable_where_some_draws_give_nothing(self):
        # The next save has to wait for the one before where writing takes longer than the interval: in some draws.
        text = compute(TENTH).replace('"write": "5 GB/s"', '"write": { "value": "5 GB/s", "low": "2 GB/s", "high": "9 GB/s" }')
        text = text.replace('"model": { "parameters": 1e6 }', '"model": { "parameters": 3e9 }, "checkpoint": '
                            '{ "to": "fast", "every": "4 s", "mode": "async", "size": "36 GB" }')
        metric = "job.train.checkpoint.backpressure.max"
        limits = ["<= 0 s"] + [f"<= {ms} ms" for ms in (1, 10, 100, 1000, 4000)]
        ranges = [f"in [0 s, {ms} ms]" for ms in (1, 10, 100, 1000, 4000)]
        document = json.loads(text)
        document["expect"] = [{"id": f"t{i}", "that": f"{metric} {limit}"} for i, limit in enumerate(limits + ranges)]
        found = self.result("--draws", "32", text=json.dumps(document))
        probable = [target["probability"] for target in found["assertions"]]
        lax, within = probable[:len(limits)], probable[len(limits):]
        self.assertEqual(lax, sorted(lax))
        self.assertTrue(0.1 < lax[0] < lax[-1] < 1.0 + 1e-9, lax)
        self.assertEqual(within, lax[1:], "0 s belongs to the range")

    def test_a_target_may_ask_to_hold_in_most_cases(self):
        for confidence, verdict in (("70 %", "pass"), ("90 %", "fail")):
            text = compute(TENTH).replace('105 ms"', f'105 ms", "confidence": "{confidence}"')
            found = self.result("--draws", "64", text=text)
            self.assertEqual(found["assertions"][0]["status"], verdict)
            self.assertEqual(found["verdict"], verdict)
            check = Run("check", "FILE", "--no-advice", text=text)
            self.assertEqual(check.code, int(verdict == "fail"), check.out + check.err)
            again = Run("check", "FILE", "--no-advice", text=Run("resolve", "FILE", text=text).out)
            self.assertEqual(again.code, check.code, again.err)
            self.assertRegex(" ".join(check.out.split()), r"\(need <= 105 ms\), holds in 8\d of 100 cases \(need [79]0\)")
            told = json.loads(Run("check", "FILE", "--no-advice", "--format", "json", text=text).out)
            target = told["scenarios"][0]["assertions"][0]
            self.assertEqual(target["confidence"], float(confidence.split()[0]) / 100)
            self.assertAlmostEqual(target["probability"], 0.80, delta=0.03)
            junit = Run("check", "FILE", "--no-advice", "--format", "junit", text=text).out
            self.assertEqual("of 100 cases (need 90)" in junit, verdict == "fail")
        wrong = Run("lint", "FILE", text=compute(TENTH).replace('105 ms"', '105 ms", "confidence": "200 %"'))
        self.assertEqual(wrong.code, 2)
        self.assertIn("/expect/0/confidence", wrong.err)

    def test_without_draws_a_confidence_is_not_judged(self):
        for step in (TENTH, '"120 ms +- 10 %"'):  # whether or not the design as it is holds
            text = compute(step).replace('105 ms"', '105 ms", "confidence": "70 %"')
            run = Run("run", "FILE", "--draws", "0", "--no-advice", "--format", "json", text=text)
            self.assertEqual(run.code, 3, run.err)
            told = json.loads(run.out)
            self.assertEqual(told["verdict"], "inconclusive")
            self.assertEqual(told["assertions"][0]["status"], "inconclusive")
            self.assertIn("only draws judge it", told["warnings"][0])
        # Replicas that end in a moment and draws that cannot: none of them starts in no time at all.
        cut = Run("check", "FILE", "--time-limit", "1 ms", text=text)
        self.assertEqual(cut.code, 3, cut.out)
        self.assertNotIn("PASS", cut.out)

    def test_no_other_verb_calls_a_design_good_whose_confidence_draws_have_not_judged(self):
        """The design as it is holds, and in 80 of 100 cases: 90 are asked for."""
        text = compute(TENTH).replace('105 ms"', '105 ms", "confidence": "90 %"')
        vary = ("sweep", "FILE", "--vary", "jobs.train.step.overhead=0 s,1 us", "--need-pass")
        swept = Run(*vary, text=text)
        self.assertEqual(swept.code, 3, swept.out + swept.err)
        self.assertIn("0 meet the targets, 2 unsure", swept.out)
        self.assertIn("only draws judge it", swept.err)
        drawn = Run(*vary, "--draws", "32", text=text)
        self.assertEqual(drawn.code, 1, drawn.out + drawn.err)
        self.assertIn("0 meet the targets", drawn.out)
        self.assertEqual(drawn.err, "")
        grow = ("grow", "FILE", "--of", "jobs.train.step.overhead=+1us/month", "--until", "3mo")
        grown = Run(*grow, text=text)
        self.assertEqual(grown.code, 3, grown.out + grown.err)
        self.assertIn("but fast is not judged: no draws", " ".join(grown.out.split()))
        self.assertEqual(Run(*grow, text=compute(TENTH)).code, 0)
        missed = Run(*grow, text=text.replace("100 ms", "107 ms"))
        self.assertEqual(missed.code, 3)
        self.assertIn("is missed nominally", " ".join(missed.out.split()))
        self.assertEqual(Run(*grow, text=text.replace("100 ms", "107 ms").replace(', "confidence": "90 %"', "")).code, 1)

    def test_explain_draws_where_only_draws_tell_what_is_missed(self):
        sure = SAVING.replace('gpu.utilization >= 80 %"', 'checkpoint.stall <= 10 s", "confidence": "95 %"')
        told = [" ".join(Run(*verb, "--no-color", text=sure).out.split())
                for verb in (("run", "FILE", "--draws", "32"), ("explain", "FILE"))]
        for words in told:
            self.assertIn(", target busy", words)

    def test_changes_tried_without_draws_do_not_meet_a_confidence(self):
        """Advice is simulated as it is: where the target asks for a confidence, nothing is said to meet it, nor is it a
        fix of `check`."""
        sure = SAVING.replace('>= 80 %"', '>= 80 %", "confidence": "95 %"')
        for text, words in ((SAVING.replace("80 %", "97 %"), "meets all targets"), (sure, "nominally meets all")):
            told = " ".join(Run("explain", "FILE", "--no-color", text=text).out.split())
            self.assertIn(", " + words, told)
            self.assertEqual(", meets all targets" in told, words == "meets all targets")
        run = Run("run", "FILE", "--draws", "32", "--no-color", text=sure)
        self.assertEqual(run.code, 1, run.out)
        self.assertIn("would meet all targets nominally, draws not tried: ", " ".join(run.out.split()))
        checked = json.loads(Run("check", "FILE", "--format", "json", text=sure).out)
        self.assertEqual([a.get("fix") for s in checked["scenarios"] for a in s["assertions"]], [None])

    def test_a_statistic_of_several_jobs_has_a_confidence_too(self):
        document = json.loads(compute(TENTH))
        document["expect"] = [{"id": f"{s}-{c}", "that": f"{s}job.*.step.time{e} <= 105 ms", "confidence": f"{c} %"}
                              for s, e in (("max(", ")"), ("min(", ")"), ("", "")) for c in (70, 90)]
        found = self.result("--draws", "64", text=json.dumps(document))
        self.assertEqual([t["status"] for t in found["assertions"]], ["pass", "fail"] * 3)
        self.assertEqual(len({t["probability"] for t in found["assertions"]}), 1)

    def test_the_report_says_of_what_the_interval_is(self):
        run = Run("run", "-v", "FILE", "--draws", "64", "--no-color", "--set", "jobs.train.step.compute=100 ms +- 10 %",
                  text=compute('"100 ms"'))
        self.assertIn("90 % of outcomes", run.out)
        self.assertIn(" inputs", run.out)
        self.assertIn("What to measure first", run.out)
        self.assertRegex(run.out, r"64 draws of \d+ uncertain inputs")
        self.assertIn("of 100 cases", " ".join(run.out.split()))
        self.assertTrue(all(len(line) <= 80 for line in run.out.splitlines()))

    def test_what_would_remain_is_what_comes_of_knowing_the_input(self):
        metric, read = "job.train.gpu.utilization", "storage[fast].ost.write"
        asked = self.result("--draws", "64", text=SAVING)
        row = next(r for r in asked["uncertainty"] if (r["metric"], r["input"]) == (metric, read))
        known = self.result("--draws", "64", text=SAVING.replace("1 GB/s +- 50 %", "1 GB/s"))
        (low, high), (least, most) = row["remains"], known["metrics"][metric]["ci90"]
        self.assertAlmostEqual((high - low) / (most - least), 1.0, delta=0.25)
        self.assertTrue(low < asked["metrics"][metric]["median"] < high)

    def test_an_input_that_narrows_nothing_is_not_to_be_measured(self):
        """What is left open of a known save is the model's, whatever the inputs' shares are of what they do."""
        known = SAVING.replace("1 GB/s +- 50 %", "1 GB/s")
        known = known.replace('"serializer"', '"coordinate": "0 s", "quiesce": "0 s", "serializer"')
        target = known.replace("gpu.utilization >= 80 %", "checkpoint.stall <= 10 s")
        run = Run("run", "FILE", "-v", "--draws", "64", "--no-advice", "--no-color", text=target)
        self.assertNotIn("What to measure first", run.out)
        self.assertIn("by being known: seeds and the model make its width", " ".join(run.out.split()))

    def test_draws_that_tell_no_input_say_how_many_may(self):
        few = Run("run", "FILE", "--draws", "16", "--no-advice", "--no-color", text=compute(TENTH))
        self.assertRegex(" ".join(few.out.split()), r"these do not tell which inputs move .*, --draws 64 may")
        self.assertEqual(self.result("--draws", "16", text=compute(TENTH))["draws"]["ask_for"], 64)
        self.assertNotIn("ask_for", self.result("--draws", "64", text=compute(TENTH))["draws"])

    def test_figures_that_say_the_same_are_as_sure(self):
        exact = SAVING.replace("1 GB/s +- 50 %", "1 GB/s").replace('"serializer"', '"coordinate": "0 s", "quiesce": "0 s", "serializer"')
        found = self.result("--draws", "32", text=exact)["metrics"]
        low, high = found["job.train.checkpoint.stall"]["ci90"]
        for figure in ("bandwidth", "stall.total"):
            least, most = found[f"job.train.checkpoint.{figure}"]["ci90"]
            self.assertAlmostEqual(math.log(most / least) / math.log(high / low), 1.0, delta=0.05)
        least, most = found["job.train.checkpoint.overhead"]["ci90"]
        odds = math.log(most / (1 - most)) - math.log(least / (1 - least))
        self.assertAlmostEqual(odds / math.log(high / low), 1.0, delta=0.05)
        # The clock ends the run.
        least, most = found["job.train.time.wall"]["ci90"]
        self.assertLess(most / least, 1.05)

    def test_a_number_of_draws_is_a_number(self):
        run = Run("run", "FILE", "--draws", "-1", text=compute(TENTH))
        self.assertEqual(run.code, 2)
        self.assertIn("--draws", run.err)
        few = Run("run", "FILE", "--draws", "2", text=compute(TENTH))
        self.assertEqual(few.code, 2)
        self.assertIn("take 4 or more", few.err)


if __name__ == "__main__":
    program.main()
