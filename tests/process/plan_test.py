"""Plans as a person asks for them, compared with the same question asked in other ways.

Usage: plan_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""

import json
import os
import unittest

import program
from program import Run

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
EXERCISE = os.path.join(ROOT, "examples", "exercise-512-h100-async.json")

SCENARIO = """{
  "id": "small",
  "params": { "osts": { "value": 8, "min": 1, "max": 24 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": "=osts", "read": "4 GB/s", "write": "4 GB/s" },
                 "oss": { "count": 4, "nic": "100 Gb/s" }, "stripe": { "count": 0 } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" }
  } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 1 },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= 90 %" } ]
}
"""
# What workers gain and lose: they share the cores of their host.
LOADING = """{
  "id": "loading",
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 2, "cpu": { "cores": 12 } } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 4, "read": "0.5 GB/s", "write": "0.5 GB/s" } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" }, "steps": 100,
    "dataset": { "on": "scratch", "format": "tfrecord", "sample": "1 MB", "size": "20 GB",
                 "samples_per_file": 100, "decode": "20 ms" },
    "loader": { "type": "pytorch", "workers": 4, "prefetch": 2, "batch": 20 }
  } ],
  "run": { "seed": 1, "replicas": 1 },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= 70 %" } ]
}
"""


def plan(*args, text=SCENARIO, code=0):
    if "--tornado" not in args:
        args = ("--tornado", "0", *args)
    run = Run("plan", "FILE", "--format", "json", *args, text=text)
    assert run.code == code, (run.code, run.err)
    return json.loads(run.out)["plan"]


def table(*args, text=SCENARIO):
    """All points of a sweep, by their values: (meets, metrics)."""
    run = Run("sweep", "FILE", "--format", "json", "--metric", "job.*", *args, text=text)
    assert run.code == 0, run.err
    rows = json.loads(run.out)["points"]
    return rows


class Ends(unittest.TestCase):
    """Of a range: one that makes no valid design does not turn the search round."""

    def test_the_first(self):
        # Four stripes need four OSTs, and the scenario has more than the range.
        text = SCENARIO.replace('"value": 8, "min": 1, "max": 24', '"value": 40, "min": 1, "max": 99')
        text = text.replace('"stripe": { "count": 0 }', '"stripe": { "count": 4 }')
        for over in ("1..20", "20..1", "20,1,8", "1,8,20"):
            self.assertEqual(plan("--over", "osts=" + over, text=text)["required"], 8, over)

    def test_the_last(self):
        # "osts" is at most 24, and the scenario has fewer than the range.
        for over in ("4..30", "30..4", "30,4,8"):
            found = plan("--over", "osts=" + over, text=SCENARIO.replace('"value": 8', '"value": 2'))
            self.assertEqual(found["required"], 8, over)


class WhatDecides(unittest.TestCase):
    """Why there must be as many: room, bandwidth or metadata."""

    def by(self, text):
        found = plan("--storage", "scratch", text=text)
        return found["reason"]["by"], found["required"]

    def test_bandwidth(self):
        self.assertEqual(self.by(SCENARIO)[0], "bandwidth")

    def test_room(self):
        # 3 PB in OSTs of 100 TB x 0.97 x 0.85, and 2 TB of saves: the one kept, the one before it.
        data = """"step": { "compute": "1 s" }, "loader": {}, "dataset": {
            "on": "scratch", "format": "raw", "sample": "1 MB", "size": "3 PB" },"""
        text = SCENARIO.replace('"step": { "compute": "1 s" },', data)
        text = text.replace('"ost": {', '"ost": { "capacity": "100 TB",').replace('"max": 24', '"max": 99')
        text = text.replace(">= 90 %", ">= 10 %").replace('"size": "100 GB",', '"size": "1 TB", "keep": { "last": 1 },')
        self.assertEqual(self.by(text), ("capacity", 37))
        self.assertEqual(Run("run", "FILE", text=text).code, 1)
        lint = Run("lint", "FILE", text=text)
        self.assertEqual(lint.code, 2)
        self.assertIn("37 OSTs would hold it, not 8", lint.err)

    def test_wear(self):
        # 100 GB each minute are 144 TB a day; written once a day, OSTs of 10 TB last when there are 15.
        text = SCENARIO.replace('"ost": {', '"endurance": { "dwpd": 1 }, "ost": { "capacity": "10 TB",')
        text = text.replace("job.train.gpu.utilization >= 90 %", "storage.scratch.wear.life >= 1825 d")
        self.assertEqual(self.by(text), ("wear", 15))
        self.assertIn("15 OSTs would last", Run("lint", "FILE", text=text).err)
        # OSTs for room and OSTs for speed are one proposal, counted by the parameter that they are made of.
        run = Run("run", "FILE", text=text).out
        self.assertEqual(run.count("8 -> 15"), 1, run)
        self.assertIn("would meet all targets: osts 8 -> 15 (GPUs", run)

    def test_a_parameter_of_which_a_count_is_made_is_no_count(self):
        text = SCENARIO.replace('"osts":', '"shelves":').replace('"=osts"', '"=shelves * 4"')
        self.assertIn("needs 2 shelves (params.shelves)", Run("plan", "FILE", "--over", "shelves", text=text).out)
        self.assertIn(" OSTs (storage scratch)", Run("plan", "FILE", text=SCENARIO).out)


class ThreeWays(unittest.TestCase):
    """The 512-GPU exercise: plan, the Pareto front of a sweep, bisection by hand."""

    def test_they_agree_on_51_osts(self):
        run = Run("plan", EXERCISE, "--tornado", "0", "--format", "json")
        self.assertEqual(run.code, 0, run.err)
        planned = json.loads(run.out)["plan"]["required"]

        sweep = Run("sweep", EXERCISE, "--vary", "n_ost=40..70:31", "--metric", "params.n_ost:min",
                    "--format", "json")
        self.assertEqual(sweep.code, 0, sweep.err)
        front = [row for row in json.loads(sweep.out)["points"] if row["pareto"]]
        self.assertEqual(len(front), 1)
        swept = int(front[0]["set"]["params.n_ost"])

        low, high = 1, 4096  # low misses, high meets
        self.assertEqual(Run("run", EXERCISE, "--no-advice", "--set", "params.n_ost=4096").code, 0)
        while high - low > 1:
            middle = (low + high) // 2
            code = Run("run", EXERCISE, "--no-advice", "--set", f"params.n_ost={middle}").code
            self.assertIn(code, (0, 1))
            low, high = (low, middle) if code == 0 else (middle, high)
        self.assertEqual((planned, swept, high), (51, 51, 51))


class Parameters(unittest.TestCase):
    """A count that is a parameter with its limits is searched within them, by its step."""

    def test_the_answer_is_a_value_the_parameter_may_have(self):
        text = SCENARIO.replace('"min": 1, "max": 24', '"min": 1, "max": 24, "step": 10')
        best = plan()["required"]
        stepped = next(n for n in range(1, 25, 10) if n >= best)
        self.assertNotEqual(stepped, best)
        found = plan(text=text)
        self.assertEqual(found["required"], stepped)
        self.assertEqual(found["metric"], "storage.scratch.osts.required")
        self.assertEqual(found["answer"], {"params.osts": str(stepped)})
        for n, code in ((stepped, 0), (stepped - 10, 1)):
            run = Run("run", "FILE", "--no-advice", "--set", f"params.osts={n}", text=text)
            self.assertEqual(run.code, code, run.err)

    def test_beyond_its_largest_value_nothing_is_found(self):
        most = plan()["required"] - 1
        run = Run("plan", "FILE", "--tornado", "0", text=SCENARIO.replace(
            '"value": 8, "min": 1, "max": 24', f'"value": {most}, "min": 1, "max": {most}'))
        self.assertEqual(run.code, 1, run.err)

    def test_what_only_depends_on_parameters_is_counted_by_itself(self):
        found = plan(text=SCENARIO.replace('"=osts"', '"=2 * osts"'))
        self.assertEqual(list(found["answer"]), ["storage[scratch].ost.count"])


class BruteForce(unittest.TestCase):
    def meeting(self, rows):
        return [row for row in rows if row["verdict"] == "pass"]

    def test_two_counts_agree_with_all_designs(self):
        rows = table("--vary", "osts=2..20:10", "--vary", "storage.scratch.oss.count=1..6:6")
        self.assertEqual(len(rows), 60)
        good = self.meeting(rows)
        self.assertTrue(0 < len(good) < 60)
        for target, key in (("osts", "params.osts"), ("oss", "storage.scratch.oss.count")):
            best = min(int(row["set"][key]) for row in good)
            answer = plan("--over", "osts=2..20:10", "--over", "oss=1..6", "--minimize", target)
            values = {k.replace("storage[scratch]", "storage.scratch"): v
                      for k, v in answer["answer"].items()}
            self.assertEqual(int(values[key]), best)
            # The rest is as small as it can be then.
            self.assertIn(values, [row["set"] for row in good])
            self.assertLess(answer["search"]["simulated"], 60)

    def test_what_only_a_simulation_tells_is_least_of_all_designs(self):
        metric = "job.train.checkpoint.duration"
        rows = table("--vary", "osts=8,12,16,20", "--vary", "storage.scratch.oss.count=4..6:3")
        best = min(row["metrics"][metric]["value"] for row in self.meeting(rows))
        answer = plan("--over", "osts=8,12,16,20", "--over", "oss=4..6", "--minimize", metric)
        point = [p for p in answer["points"] if p["values"] == answer["answer"]][0]
        self.assertAlmostEqual(point["objective"], best, delta=1e-12)

    def test_workers_that_help_and_hinder_are_searched_one_by_one(self):
        vary = "jobs.train.loader.workers=1..12:12"
        rows = table("--vary", vary, text=LOADING)
        good = [int(r["set"]["jobs.train.loader.workers"]) for r in self.meeting(rows)]
        self.assertTrue(good)
        answer = plan("--over", "workers=1..12", text=LOADING)
        self.assertEqual(answer["required"], min(good))
        self.assertFalse(answer["axes"][0]["ordered"])


    def test_the_cheapest_design_is_that_of_all_designs(self):
        text = (SCENARIO.replace('"write": "4 GB/s" }', '"write": "4 GB/s", "price": "40 kUSD" }')
                .replace('"nic": "100 Gb/s" }', '"nic": "100 Gb/s", "price": "%s" }'))
        for price in ("1 kUSD", "90 kUSD", "300 kUSD"):
            priced = text.replace("%s", price)
            self.assertIn("40 kUSD", priced)
            rows = table("--vary", "osts=2..20:19", "--vary", "storage.scratch.oss.count=1..6:6",
                         "--metric", "cost.capex", text=priced)
            best = min(row["metrics"]["cost.capex"]["value"] for row in self.meeting(rows))
            answer = plan("--over", "osts=2..20", "--over", "oss=1..6", text=priced)
            self.assertEqual(answer["objective"]["name"], "cost.capex")
            point = [p for p in answer["points"] if p["values"] == answer["answer"]][0]
            self.assertAlmostEqual(point["objective"], best, delta=1e-6)
            self.assertLess(answer["search"]["simulated"], len(rows))
            # A budget below it leaves nothing; one at it, the same design.
            for budget, code in ((best, 0), (best - 1.0, 1)):
                held = priced.replace('"expect": [', '"expect": [ { "id": "budget", "that": '
                                      f'"cost.capex <= {budget:.6f} USD" }},')
                found = plan("--over", "osts=2..20", "--over", "oss=1..6", text=held, code=code)
                self.assertEqual(found["answer"], answer["answer"] if code == 0 else None)


class Questions(unittest.TestCase):
    def test_units_are_whole(self):
        single = plan()["required"]
        pairs = plan("--over", "osts", "--unit", "osts=4")
        self.assertEqual(pairs["required"], -(-single // 4) * 4)
        for point in pairs["points"]:
            self.assertEqual(point["count"] % 4, 0)
        text = SCENARIO.replace('"run":', '"plan": { "over": { "osts": { "unit": 4 } } }, "run":')
        self.assertEqual(plan(text=text)["required"], pairs["required"])

    def test_a_design_that_survives_needs_more(self):
        # 4 OSS of 100 Gb/s carry 50 GB/s; a partner with two shares halves that.
        whole = plan("--over", "oss")
        broken = plan("--over", "oss", "--survive", "oss")
        self.assertGreater(broken["required"], whole["required"])
        self.assertEqual(broken["survived"], ["oss of scratch"])
        whens = {t["when"] for p in broken["points"] for t in p["targets"]}
        self.assertEqual(whens, {"", "oss of scratch down"})

    def test_the_most_hosts_that_the_storage_supports(self):
        # Reads of 8 GPUs a host, each 2 GB/s, on 16 OSTs of 4 GB/s: 4 hosts and no more.
        text = (LOADING.replace('"count": 1, "gpus": 2', '"count": 2, "gpus": 8')
                .replace('"cpu": { "cores": 12 }', '"cpu": { "cores": 512 }')
                .replace('"count": 4, "read": "0.5 GB/s"', '"count": 16, "read": "4 GB/s"')
                .replace('"batch": 20', '"batch": 200, "handover": "0 ms"')
                .replace('"decode": "20 ms"', '"decode": "0.1 ms"').replace("20 GB", "200 GB")
                .replace('"workers": 4', '"workers": 8').replace(">= 70 %", ">= 60 %"))
        rows = table("--vary", "cluster.hosts.count=1..8:8", text=text)
        good = [int(r["set"]["cluster.hosts.count"]) for r in rows if r["verdict"] == "pass"]
        self.assertTrue(0 < max(good, default=0) < 8, rows)
        run = Run("plan", "FILE", "--format", "json", "--tornado", "0", "--maximize",
                  "accelerators", text=text)
        result = json.loads(run.out)
        self.assertEqual(result["plan"]["objective"]["goal"], "maximize")
        self.assertEqual(result["plan"]["required"], max(good))
        self.assertEqual(result["metrics"]["job.train.accelerators.supported"]["value"],
                         8 * max(good))
        # Each end of the search reads as what it is: more hosts are worse.
        said = Run("plan", "FILE", "--maximize", "accelerators", text=text).out
        self.assertIn(f"supports {max(good)} host", said)
        self.assertRegex(said, "1 host more: GPU utilization -")
        self.assertNotIn("saves 1 host", said)
        self.assertFalse(result["plan"]["at_least"])

    def test_where_nothing_computes_there_are_no_accelerators_to_search(self):
        tenants = """{
          "id": "reads", "cluster": { "hosts": [ { "id": "cpu", "count": 2 } ] },
          "storage": [ { "id": "fast", "type": "lustre", "oss": { "count": 4, "nic": "100 Gb/s" },
                         "ost": { "count": 4, "read": "4 GB/s", "write": "4 GB/s" } } ],
          "tenants": [ { "id": "r", "type": "fio", "on": "fast", "hosts": "cpu" } ],
          "run": { "duration": "10 s", "replicas": 1 },
          "expect": [ { "id": "l", "that": "tenant.r.latency <= 1 s" } ] }"""
        for asked in (("--maximize", "accelerators"), ("--over", "accelerators=1..4")):
            refused = Run("plan", "FILE", *asked, text=tenants)
            self.assertEqual(refused.code, 2, refused.out)
            self.assertIn('no job computes on the GPUs of "cpu"', refused.err)
        self.assertIn("hosts", Run("plan", "FILE", "--maximize", "hosts", text=tenants).out)

    def test_the_end_of_the_range_is_not_the_answer(self):
        text = SCENARIO.replace('"=osts"', "8").replace(
            '"params": { "osts": { "value": 8, "min": 1, "max": 24 } },', "")
        text = text.replace(">= 90 %", ">= 50 %")
        for over in ((), ("--over", "cluster.hosts[gpu].count=1..5")):
            most = ("--maximize", "accelerators", *over)
            found = plan(*most, text=text)
            self.assertTrue(found["at_least"], over)
            for form in ("text", "markdown", "csv", "html"):
                said = Run("plan", "FILE", "--tornado", "0", "--format", form, *most, text=text).out
                said = " ".join(said.split())
                self.assertIn(f"supports at least {found['required']} hosts", said)
                self.assertIn("--over cluster.hosts.gpu.count=1..", said)
        listed = plan("--maximize", "accelerators", "--over", "hosts=1,3", text=text)
        self.assertFalse(listed["at_least"])

    def test_an_option_that_is_wrong_is_named(self):
        for option, value in (("--unit", "osts=0"), ("--unit", "osts=1.5"), ("--over", "osts=")):
            done = Run("plan", "FILE", option, value, text=SCENARIO)
            self.assertEqual(done.code, 2)
            self.assertTrue(done.err.startswith(f"{option} {value}: "), done.err)
            self.assertNotIn(".json", done.err)

    def test_inputs_vary_within_their_limits(self):
        # A GET is of one part or more: there is nothing below it to vary.
        file = os.path.join(ROOT, "scenarios", "library", "minio-webdataset.json")
        result = json.loads(Run("plan", file, "--format", "json", "--tornado", "100").out)
        swings = {swing["path"]: swing for swing in result["plan"]["tornado"]}
        parallel = swings["storage[minio].get.parallel"]
        self.assertEqual((parallel["base"], parallel["low"], parallel["high"]), ("1", "1", "2"))
        self.assertEqual(parallel["low_needs"], "same")
        for path, swing in swings.items():
            for end in ("low", "high"):
                done = Run("resolve", file, "--set", f"{path}={swing[end]}")
                self.assertEqual(done.code, 0, (swing, done.err))

    def test_a_softer_target_saves_what_the_cheaper_neighbour_misses(self):
        answer = plan()
        price = answer["prices"][0]
        self.assertEqual((price["target"], price["saved"]), ("util", 1.0))
        softer = SCENARIO.replace("90 %", f"{100 * price['relaxed']:.9f} %")
        self.assertEqual(plan(text=softer)["required"], answer["required"] - 1)

    def test_the_tornado_says_whether_an_assumed_input_changes_the_answer(self):
        answer = plan("--tornado", "2")
        self.assertEqual(len(answer["tornado"]), 2)
        swings = [abs(t["margin_at_high"] - t["margin_at_low"]) for t in answer["tornado"]]
        self.assertEqual(swings, sorted(swings, reverse=True))
        for swing in answer["tornado"]:
            for end in ("low", "high"):
                text = SCENARIO
                args = ["--set", f"{swing['path']}={swing[end]}"]
                there = Run("plan", "FILE", "--format", "json", "--tornado", "0", *args, text=text)
                required = json.loads(there.out)["plan"]["required"]
                change = (required or 2**31) - answer["required"]  # none: no number is enough
                needs = "same" if change == 0 else "more" if change > 0 else "fewer"
                self.assertEqual(swing[end + "_needs"], needs, (swing, required))

    def test_where_jobs_fail_the_best_interval_is_told_and_judged(self):
        text = (SCENARIO.replace('"run":', '"failures": [ { "id": "gpu", "type": "host", '
                                 '"mtbf": "1000 h" } ], "run":').replace("90 %", "85 %"))
        interval = plan(text=text)["intervals"][0]
        self.assertEqual((interval["job"], interval["every"]), ("train", 60.0))
        self.assertGreater(interval["best"], 60.0)  # saves of some seconds, a failure every 31 h
        self.assertGreater(interval["best_goodput"], interval["goodput"])
        self.assertTrue(interval["meets"])

    def test_infeasible_shows_the_largest_design_and_ends_with_one(self):
        text = SCENARIO.replace("90 %", "99.99 %")
        answer = plan(text=text, code=1)
        self.assertEqual(answer["status"], "infeasible")
        largest = answer["points"][-1]["values"]
        self.assertEqual(largest, {"params.osts": answer["axes"][0]["to"]})

    def test_the_most_of_a_metric_where_more_is_better(self):
        answer = plan("--over", "osts=8,10,12", "--maximize", "job.train.gpu.utilization")
        self.assertEqual(answer["answer"], {"params.osts": "12"})

    def test_what_cannot_be_asked_is_said(self):
        for args, said in ((["--over", "ostss"], 'did you mean "osts"?'),
                           (["--over", "osts", "--over", "oss"], "minimize"),
                           (["--over", "osts=4..x"], "not a number"),
                           (["--over", "osts=4,x,8"], '"x" is not a whole number'),
                           (["--survive", "nothing"], "one of ost, oss, mdt"),
                           (["--unit", "osts=x"], "--unit osts=2"),
                           (["--minimize", "osts", "--maximize", "osts"], "either"),
                           (["--minimize", "job.train.gpu.utilisation"], "did you mean"),
                           (["--maximize", "job.train.step.time"], "--minimize job.train.step.time"),
                           (["--minimize", "job.train.gpu.utilization"],
                            "--maximize job.train.gpu.utilization"),
                           (["--maximize", "cost.capex"], "--minimize cost.capex"),
                           (["--maximize", "job.train.gpu.utilization"], "--over")):
            run = Run("plan", "FILE", *args, text=SCENARIO)
            self.assertEqual(run.code, 2, args)
            self.assertIn(said, run.err, args)
            self.assertIn("hint: ", run.err, args)
        run = Run("plan", "FILE", text=SCENARIO.replace('"run":', '"plan": { "ovr": "x" }, "run":'))
        self.assertEqual(run.code, 2)
        self.assertRegex(run.err, r"s\.json:\d+:\d+: /plan/ovr: ")

    def test_a_text_report_fits_80_columns(self):
        for args in ([], ["--over", "osts=2..20", "--over", "oss=1..6", "--minimize", "osts"],
                     ["--survive", "oss"]):
            run = Run("plan", "FILE", *args, text=SCENARIO)
            self.assertIn(run.code, (0, 1), run.err)
            self.assertLessEqual(max(map(len, run.out.splitlines())), 80, run.out)


if __name__ == "__main__":
    program.main()
