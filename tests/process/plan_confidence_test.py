#!/usr/bin/env python3
"""What `plan --confidence` finds: counts with a closed form, the same draws for every design, and when there is no answer.

Usage: plan_confidence_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""
import json
import math
import re
import unittest

import program
from program import Run

# A save of 100 GB is to take at most 10 s, and nothing limits it but the OSTs: 10 GB/s are needed. Every value that
# has a range by default is stated exactly where it counts here, so that one input is uncertain: what an OST takes.
SCENARIO = """{
  "id": "sure",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 8, "read": "1 GB/s", "write": %s, "service": "0 s" },
                 "oss": { "count": 1, "nic": "3200 Gb/s" }, "raid": { "parity": 0 }, "stripe": { "count": 0 },
                 "commit": "0 s", "lock": "0 s",
                 "client": { "stream": "100 GB/s", "stream_direct": "100 GB/s", "checksums": false } } ],
  "jobs": [ { "id": "train", "hosts": "gpu",
              "barrier": { "base": "0 s", "per_doubling": "0 s" },
              "step": { "compute": "1 s", "jitter": "0 %%" },
              "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s", "serializer": "none",
                              "coordinate": "0 s", "quiesce": "0 s" } } ],
  "run": { "duration": "5 min", "seed": 1, "replicas": 1 },
  "expect": [ { "id": "save", "that": "job.train.checkpoint.stall <= 10.2 s" } ]
}"""
RANGE = '{ "value": "0.4 GB/s", "low": "0.32 GB/s", "high": "0.5 GB/s", "why": "test" }'


def plan(*args, write=RANGE, code=0):
    run = Run("plan", "FILE", "--format", "json", "--tornado", "0", *args, text=SCENARIO % write)
    assert run.code == code, (run.code, run.out[-500:], run.err)
    return json.loads(run.out)["plan"]


class Confidence(unittest.TestCase):
    def test_the_count_follows_from_the_quantile_of_the_one_input(self):
        """n OSTs of x GB/s save in 100 / (n x) s: the target holds for x >= 100 / (10.2 n) (with 0.05 s for what else a save
        does). The lognormal prior of x has 0.4 in the middle and 0.32, 4 / 5 of it, at its 5 % quantile; the model leaves
        open as much as a factor of e^0.2 besides (uncertainty.md, table 1): the 10 % quantile of both is
        0.4 exp(-hypot(ln 0.8, 0.2) 1.2816 / 1.6449)."""
        found = plan("--confidence", "90%", "--draws", "128")
        ninety = 0.4 * math.exp(-math.hypot(math.log(0.8), 0.2) * 1.2816 / 1.6449)
        self.assertEqual(found["confidence"]["nominal_required"], math.ceil(100 / 10.15 / 0.4))
        self.assertEqual((found["required"], found["answer"]), (found["confidence"]["required"], found["confidence"]["answer"]))
        self.assertAlmostEqual(found["confidence"]["required"], math.ceil(100 / 10.15 / ninety), delta=1)
        self.assertGreaterEqual(found["confidence"]["probability"], 0.9)
        self.assertAlmostEqual(found["confidence"]["nominal_probability"], 0.5, delta=0.1)

    def test_a_run_of_the_answer_holds_as_the_plan_says(self):
        """The target's own confidence is what both go by. The model leaves open as much as a factor of e^0.2 besides the
        input (uncertainty.md, table 1): together their widths are the root of the sum of the squares."""
        text = (SCENARIO % RANGE).replace('<= 10.2 s"', '<= 10.2 s", "confidence": "90 %"')
        run = Run("plan", "FILE", "--format", "json", "--tornado", "0", text=text)
        sure = json.loads(run.out)["plan"]["confidence"]
        self.assertEqual(sure["asked"], 0.9)
        ninety = 0.4 * math.exp(-math.hypot(math.log(0.8), 0.2) * 1.2816 / 1.6449)
        self.assertAlmostEqual(sure["required"], math.ceil(100 / 10.15 / ninety), delta=1)
        for count, holds in ((sure["required"], True), (sure["required"] - 1, False)):
            again = Run("run", "FILE", "--format", "json", "--no-advice", "--draws", str(sure["draws"]),
                        "--set", f"storage.scratch.ost.count={count}", text=text)
            target = json.loads(again.out)["assertions"][0]
            self.assertEqual(target["status"], "pass" if holds else "fail", target)
            said = next(p for p in sure["points"] if p["count"] == count)
            self.assertAlmostEqual(said["probability"], target["probability"], places=9)

    def test_luck_counts_as_a_run_has_it(self):
        """20 h of work in 26 h, with a failure a day and restarts of 4 h and more: the mean is 25 h with 8 OSTs, and the one run
        that there will be has its luck (uncertainty.md, eq. 15). Counted by their means 41 of 64 draws hold with 6 OSTs,
        where a run says 56 of 100 cases: of every design the plan has the probability that a run of it has."""
        text = (SCENARIO % '"0.4 GB/s"').replace('"count": 4,', '"count": 8,').replace(
            '"hosts": "gpu",', '"hosts": "gpu", "run": { "steps": 72000 }, '
            '"recovery": { "detect": "1 min", "start": "250 min" },', 1).replace('"60 s"', '"10 min"').replace(
            '"run": { "duration": "5 min"', '"failures": [ { "id": "hw", "type": "host", "mtbf": "1600 h" } ],\n'
            '  "run": { "duration": "2 h"').replace("job.train.checkpoint.stall <= 10.2 s", "job.train.run.time <= 26 h")
        run = Run("plan", "FILE", "--format", "json", "--tornado", "0", "--confidence", "60%", "--draws", "32",
                  "--over", "osts=4..20", text=text)
        self.assertEqual(run.code, 0, run.err)
        sure = json.loads(run.out)["plan"]["confidence"]
        whole = [point for point in sure["points"] if point["draws"] == 32]
        self.assertGreater(len(whole), 2)
        for point in whole:
            again = Run("run", "FILE", "--format", "json", "--no-advice", "--draws", "32",
                        "--set", f"storage.scratch.ost.count={point['count']}", text=text)
            holds = json.loads(again.out)["assertions"][0]["probability"]
            self.assertAlmostEqual(point["probability"], holds, places=9)
            self.assertEqual(point["meets"], holds >= 0.6)
            self.assertLess(holds, 0.9)  # of the luck of the one run

    def test_a_target_that_says_the_same_again_takes_nothing_off(self):
        """The stall of a save, twice, and its bandwidth are one number: together they hold as often as the stricter of them."""
        one = plan("--confidence", "80%", "--draws", "32")
        text = (SCENARIO % RANGE).replace('<= 10.2 s" }', '<= 10.2 s" }, { "id": "laxer", "that": "job.train.checkpoint.stall <= 10.3 s" },'
                                          ' { "id": "rate", "that": "job.train.checkpoint.bandwidth >= 9 GB/s" }')
        run = Run("plan", "FILE", "--format", "json", "--tornado", "0", "--confidence", "80%", "--draws", "32", text=text)
        both = json.loads(run.out)["plan"]
        self.assertEqual(one["confidence"]["required"], both["confidence"]["required"])
        self.assertAlmostEqual(one["confidence"]["probability"], both["confidence"]["probability"], delta=0.01)

    def test_with_a_part_down_a_target_is_judged_as_a_run_with_that_down(self):
        text = (SCENARIO % RANGE).replace('<= 10.2 s"', '<= 10.2 s", "confidence": "90 %"')
        found = json.loads(Run("plan", "FILE", "--format", "json", "--tornado", "0", "--survive", "ost", text=text).out)["plan"]
        point = next(p for p in found["points"] if p["count"] == found["required"])
        down = ('{"id": "down", "type": "storage", "on": "scratch", "part": "target", "at": "0 s", "failover": "0 s", '
                '"takeover": "partner", "repair": "100000 d"}')
        for target, more in zip(point["targets"], ((), ("--set", "failures[+]=" + down))):
            again = Run("run", "FILE", "--format", "json", "--no-advice", "--draws", str(found["confidence"]["draws"]), "--set",
                        f"storage.scratch.ost.count={found['required']}", *more, text=text)
            holds = json.loads(again.out)["assertions"][0]["probability"]
            self.assertAlmostEqual(target["probability"], holds, places=9)
            self.assertEqual((target["status"], target["confidence"]), ("pass", 0.9))
        least = min(target["probability"] for target in point["targets"])
        self.assertAlmostEqual(found["confidence"]["probability"], least, places=9)
        words = Run("plan", "FILE", "--tornado", "0", "--survive", "ost", text=text).out
        self.assertRegex(" ".join(words.split()), r"save, ost of scratch down: [\d.]+ s against 10.2 s, margin \+[\d.]+ %, holds in 9")

    def test_a_run_of_the_answer_takes_as_many_draws(self):
        """Where hosts fail a design replays years, and draws replay fewer of them: both count what a draw costs."""
        text = ((SCENARIO % RANGE).replace('<= 10.2 s"', '<= 10.2 s", "confidence": "90 %"')
                .replace('"run":', '"failures": [ { "id": "hw", "type": "host", "mtbf": "2000 h" } ], "run":'))
        found = json.loads(Run("plan", "FILE", "--format", "json", "--tornado", "0", text=text).out)["plan"]
        again = Run("check", "FILE", "--set", f"storage.scratch.ost.count={found['required']}", text=text)
        self.assertEqual(again.code, 0, again.out)
        self.assertEqual(found["confidence"]["draws"], 64)

    def test_where_a_target_asks_the_answer_is_that_of_the_draws(self):
        text = (SCENARIO % RANGE).replace('<= 10.2 s"', '<= 10.2 s", "confidence": "90 %"')
        run = Run("plan", "FILE", "--format", "json", "--tornado", "0", text=text)
        self.assertEqual(run.code, 0, run.err)
        result = json.loads(run.out)
        found, sure = result["plan"], result["plan"]["confidence"]
        nominal = math.ceil(100 / 10.15 / 0.4)
        self.assertEqual(found["required"], sure["required"])
        self.assertEqual(found["answer"], sure["answer"])
        self.assertGreater(found["required"], nominal)
        self.assertEqual(sure["nominal_required"], nominal)
        self.assertTrue(sure["decides"])
        self.assertEqual(result["verdict"], "pass")
        self.assertEqual(result["assertions"][0]["status"], "pass")
        self.assertGreaterEqual(result["assertions"][0]["probability"], 0.9)
        for point in found["points"]:
            self.assertEqual(point["meets"], point["count"] >= found["required"] and point["meets"], point)
        words = Run("plan", "FILE", "--tornado", "0", text=text).out.splitlines()
        self.assertIn(f"needs {found['required']} OSTs", words[0])
        self.assertIn("for 90 % of all cases; nominally ", words[1])
        few = Run("plan", "FILE", "--format", "json", "--tornado", "0", "--over", "osts=20..26", text=text)
        self.assertEqual(few.code, 1, few.err)
        self.assertEqual(json.loads(few.out)["plan"]["status"], "infeasible")
        self.assertIsNone(json.loads(few.out)["plan"]["answer"])
        # Asked for by an option the plan has both, as before.
        self.assertFalse(plan("--confidence", "90%", "--draws", "16")["confidence"]["decides"])

    def test_an_option_that_asks_for_less_says_what_a_target_asks_for(self):
        text = (SCENARIO % RANGE).replace('<= 10.2 s"', '<= 10.2 s", "confidence": "90 %"')
        own = json.loads(Run("plan", "FILE", "--format", "json", "--tornado", "0", text=text).out)["plan"]["confidence"]
        args = ("plan", "FILE", "--confidence", "50%", "--tornado", "0", "--draws", str(own["draws"]))
        sure = json.loads(Run(*args, "--format", "json", text=text).out)["plan"]["confidence"]
        self.assertEqual((sure["required"], sure["asked"]), (own["required"], 0.9))
        self.assertIn("for 50 % to 90 % of all cases", Run(*args, text=text).out)

    def test_each_target_is_judged_by_its_own_confidence(self):
        """As run and check judge them: one that asks for none has to hold in the design as it is, one that asks for less in
        fewer draws. Asked of all together in nine of ten these would need more than the first alone."""
        sure = (SCENARIO % RANGE).replace('<= 10.2 s"', '<= 10.2 s", "confidence": "90 %"')
        alone = json.loads(Run("plan", "FILE", "--format", "json", "--tornado", "0", text=sure).out)["plan"]["required"]
        for limit, confidence in (("9 s", ""), ("9 s", ', "confidence": "60 %"')):
            quick = '{ "id": "quick", "that": "job.train.checkpoint.stall <= %s"%s }' % (limit, confidence)
            text = sure.replace('"90 %" }', '"90 %" }, ' + quick)
            run = Run("plan", "FILE", "--format", "json", "--tornado", "0", text=text)
            self.assertEqual(run.code, 0, run.err)
            found = json.loads(run.out)["plan"]
            self.assertEqual(found["required"], alone)
            check = Run("check", "FILE", "--set", f"storage.scratch.ost.count={alone}", text=text)
            self.assertEqual(check.code, 0, check.out)
            point = next(p for p in found["confidence"]["points"] if p["count"] == alone)
            self.assertIn(point["target"], ("save", "quick"))
        words = Run("plan", "FILE", "--tornado", "0", text=text).out
        self.assertIn("for 60 % to 90 % of all cases; nominally", " ".join(words.split()))
        self.assertRegex(" ".join(words.split()), r"with which (save|quick) holds in [\d.]+ of 100 cases")
        joint = Run("plan", "FILE", "--format", "json", "--tornado", "0", "--confidence", "90%", text=text)
        self.assertGreater(json.loads(joint.out)["plan"]["required"], alone)

    def test_what_a_run_says_is_of_all_targets_together(self):
        """The same target twice holds as often as once: it is one number, whatever is open of it (uncertainty.md, eq. 5b)."""
        twice = (SCENARIO % RANGE).replace('10.2 s" }', '10.2 s" }, { "id": "too", "that": "job.train.checkpoint.stall <= 10.2 s" }')
        args = ("plan", "FILE", "--format", "json", "--tornado", "0", "--confidence", "90%", "--draws", "64")
        one, two = (json.loads(Run(*args, text=text).out)["plan"]["confidence"] for text in (SCENARIO % RANGE, twice))
        self.assertEqual(one["required"], two["required"])
        shared = {p["count"]: p["probability"] for p in one["points"] if p["draws"] == 64}
        alone, both = next((shared[p["count"]], p["probability"]) for p in two["points"] if p["count"] in shared and p["draws"] == 64)
        self.assertAlmostEqual(both, alone, places=9)

    def test_more_draws_hold_with_more(self):
        points = plan("--confidence", "90%", "--draws", "64")["confidence"]["points"]
        whole = [p["probability"] for p in points if p["draws"] == 64]
        self.assertGreater(len(whole), 2)
        self.assertEqual(whole, sorted(whole))

    def test_an_exact_input_needs_no_more(self):
        found = plan("--confidence", "50%", "--draws", "16", write='"0.4 GB/s"')
        self.assertEqual(found["confidence"]["nominal_required"], found["required"])

    def test_the_same_draws_give_the_same_bytes(self):
        outputs = [plan("--confidence", "80%", "--draws", "16", "--jobs", jobs) for jobs in ("1", "2")]
        self.assertEqual(outputs[0], outputs[1])

    def test_where_no_design_is_sure_enough_it_is_infeasible(self):
        found = plan("--confidence", "90%", "--draws", "16", "--over", "osts=20..26", code=1)
        self.assertEqual((found["status"], found["answer"], found["required"]), ("infeasible", None, None))
        self.assertEqual(found["confidence"]["status"], "infeasible")
        self.assertEqual(found["confidence"]["nominal_required"], 25)
        whole = Run("plan", "FILE", "--format", "json", "--tornado", "0", "--confidence", "90%", "--draws", "16", "--over",
                    "osts=20..26", text=SCENARIO % RANGE)
        self.assertEqual((whole.code, json.loads(whole.out)["verdict"]), (1, "fail"))
        few = Run("plan", "FILE", "--tornado", "0", "--over", "osts=2..5", text=SCENARIO % RANGE)
        self.assertIn("searched: OSTs 2 to 5", " ".join(few.out.split()))
        self.assertIsNone(found["confidence"]["required"])
        near = Run("plan", "FILE", "--tornado", "0", "--confidence", "90%", "--draws", "16", "--over", "osts=20..26",
                   text=SCENARIO % RANGE).out
        words = " ".join(near.split())
        said = "no design that was looked at meets the targets in 90 % of all cases"
        why = r": with 26 OSTs save holds in ([\d.]+ of 100 cases); stallcast run --set storage.scratch.ost.count=26 says what moves it"
        self.assertRegex(words, "^sure: INFEASIBLE " + said + why + " without draws needs 25 OSTs ")
        self.assertRegex(words, r"26 OSTs: in [\d.]+ of 100 cases[^;]*; save by itself in [\d.]+ of 100 cases")
        surest = max(found["confidence"]["points"], key=lambda point: point["probability"])
        self.assertEqual(surest["least"]["target"], "save")
        self.assertGreaterEqual(surest["least"]["probability"], surest["probability"] - 1e-9)
        page = Run("plan", "FILE", "--tornado", "0", "--confidence", "90%", "--draws", "16", "--over", "osts=20..26",
                   "--format", "html", text=SCENARIO % RANGE).out
        self.assertIn('<span class="infeasible">infeasible</span>: ' + said, page)
        self.assertRegex(page, r"<h2>How often the targets hold</h2>\s*<p>25 OSTs: in ")
        told = near[near.index("How often the targets hold"):]
        self.assertRegex(told, r"26 OSTs: in [\d.]+ of 100 cases")  # the nearest to it

    def test_designs_that_hold_in_no_draw_are_counted_not_listed(self):
        worse = SCENARIO.replace('"commit": "0 s"', '"commit": { "value": "0 s", "low": "0 s", "high": "900 s", "why": "test" }')
        run = Run("plan", "FILE", "--tornado", "0", "--confidence", "90%", "--draws", "16", "--over", "osts=25",
                  "--over", "jobs.train.step.compute=1 s,2 s", "--minimize", "osts",
                  text=worse % RANGE.replace("0.5 GB/s", "0.4 GB/s"))
        self.assertIn("in less than 1 of 100 cases, the answer without draws; save by itself in less than 1 of 100 cases "
                      "1 other design: in less than 1 of 100 cases", " ".join(run.out.split()))

    def test_of_several_things_searched_the_nominal_answer_is_told_too(self):
        """One OSS of 6.25 GB/s is too few, two do. The second search begins with one and need not come by the nominal answer."""
        found = plan("--confidence", "90%", "--draws", "16", "--over", "osts=20..40", "--over", "oss=1..4", "--minimize", "osts",
                     "--set", "storage.scratch.oss.nic=50 Gb/s")
        sure, nominal = found["confidence"], {"storage[scratch].ost.count": str(math.ceil(100 / 10.15 / 0.4)),
                                              "storage[scratch].oss.count": "2"}
        self.assertEqual(found["answer"], sure["answer"])
        self.assertEqual(sure["nominal_answer"], nominal)
        self.assertEqual(sure["nominal_required"], math.ceil(100 / 10.15 / 0.4))
        self.assertAlmostEqual(sure["nominal_probability"], 0.5, delta=0.2)

    def test_the_text_has_both_answers(self):
        run = Run("plan", "FILE", "--tornado", "0", "--confidence", "90%", "--draws", "32", text=SCENARIO % RANGE)
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("for 90 % of all cases", run.out)
        words = " ".join(run.out.split())
        self.assertRegex(words, r"^sure: needs \d+ OSTs for 90 % of all cases without draws needs \d+ OSTs \(storage "
                                r"scratch\), with which the targets hold in [\d.]+ of 100 cases")
        stated = re.search(r"without draws needs (\d+ OSTs)", words)[1]
        self.assertIn(f" with {stated} limited by ", words)
        self.assertRegex(words, r"32 draws of \d+ uncertain inputs?\b")

    def test_what_is_no_share_is_refused(self):
        for wrong in ("110%", "0", "much"):
            run = Run("plan", "FILE", "--confidence", wrong, text=SCENARIO % RANGE)
            self.assertEqual(run.code, 2)


if __name__ == "__main__":
    program.main()
