"""How long published trainings take, by the templates that say their inputs: docs/models/whole-run.md."""
import json
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import program  # noqa: E402

DAY = 86400.0


def predicted(template, *options):
    text = program.Run("init", template).out
    done = program.Run("run", "FILE", *options, "--no-advice", "--format", "json", text=text)
    return json.loads(done.out)["metrics"]


def metrics(template):
    return {name: metric["value"] for name, metric in predicted(template).items()}


class WholeRun(unittest.TestCase):
    def test_llama_405b_takes_its_gpu_hours(self):
        found = metrics("llama-405b-days")
        self.assertAlmostEqual(found["job.train.run.time"] / (30.84e6 / 16384 * 3600.0), 1.0, delta=0.15)
        self.assertGreater(found["job.train.goodput"], 0.90)

    def test_opt_175b_computes_for_a_month(self):
        # 8 N D with recomputation: 143,000 steps of 2,097,088 tokens at 147 TFLOP/s of 992 GPUs are 33.3 days; the calendar's
        # 56 take what about 90 restarts cost, of which no more was published than "hours".
        found = metrics("opt-175b-days")
        computing = 8 * 175e9 * 143000 * 992 * 2114 / (992 * 147e12)
        self.assertAlmostEqual(found["job.train.run.time"] * found["job.train.goodput"] / computing, 1.0, delta=0.01)
        self.assertAlmostEqual(found["job.train.run.time"] / (56 * DAY), 1.0, delta=0.15)

    def test_what_nobody_published_of_opt_is_in_its_interval(self):
        low, high = predicted("opt-175b-days", "--draws", "64")["job.train.run.time"]["ci90"]
        self.assertTrue(low < 56 * DAY < high, (low / DAY, high / DAY))


# 20 h of steps, 25.1 s of save every 10 min, a failure a day, after which the job is back 10 h later.
LUCKY = {
    "id": "lucky",
    "cluster": {"hosts": [{"id": "gpu", "count": 4, "use": "host/dgx-h100"}], "fabric": {"use": "fabric/ndr400-rail-optimized"}},
    "storage": [{"id": "scratch", "type": "lustre", "ost": {"count": 10, "read": "2 GB/s", "write": "1 GB/s"},
                 "oss": {"count": 5, "nic": "400 Gb/s"}}],
    "jobs": [{"id": "train", "hosts": "gpu", "step": {"compute": "1 s", "jitter": "0 %"},
              "barrier": {"base": "0 s", "per_doubling": "0 s", "per_sqrt": "0 s"},
              "checkpoint": {"to": "scratch", "every": "10 min", "size": "200 GB", "mode": "sync", "serializer": "none"},
              "recovery": {"detect": "1 min", "start": "1 min", "init": "30 s", "restore": "10 h"},
              "run": {"steps": 72000}}],
    "failures": [{"id": "sw", "type": "process", "mtbf": "24 h"}],
    "run": {"duration": "2 h", "replicas": 1},
    "expect": [{"id": "day", "that": "job.train.run.time <= 25 h", "confidence": "90 %"}],
}


class Long(unittest.TestCase):
    def test_a_run_too_long_to_be_walked_keeps_the_share_of_a_shorter_one(self):
        """8e4 failures, and 8e7, of which one history would take minutes."""
        each = []
        for steps in (7.2e9, 7.2e12):
            text = json.dumps({**LUCKY, "jobs": [{**LUCKY["jobs"][0], "run": {"steps": int(steps)}}]})
            done = program.Run("run", "FILE", "--no-advice", "--format", "json", text=text)
            found = json.loads(done.out)["metrics"]
            each.append((found["job.train.run.time"]["value"] / steps, found["job.train.goodput"]["value"]))
        for short, long in zip(*each):
            self.assertAlmostEqual(long / short, 1.0, delta=0.02)


class Luck(unittest.TestCase):
    def setUp(self):
        done = program.Run("run", "FILE", "--draws", "64", "--no-advice", "--format", "json", text=json.dumps(LUCKY))
        self.found = json.loads(done.out)

    def test_a_run_is_as_long_as_without_a_failure_where_none_comes(self):
        # 119 saves: 20.83 h, and more than 30 h with one failure or more
        target, = self.found["assertions"]
        self.assertAlmostEqual(target["probability"], math.exp(-20.83 / 24.0), delta=0.03)
        low, high = self.found["metrics"]["job.train.run.time"]["ci90"]
        self.assertTrue(19.0 < low / 3600.0 < 20.9, low)  # the model may be better than stated
        self.assertGreater(high / 3600.0, 41.0)

    def test_goodput_and_time_are_of_one_run(self):
        value = {name: metric["value"] for name, metric in self.found["metrics"].items()}
        self.assertAlmostEqual(value["job.train.goodput"] * value["job.train.run.time"] / 72000.0, 1.0, delta=1e-6)
        self.assertGreaterEqual(value["job.train.checkpoint.best_interval.goodput"], value["job.train.goodput"])


class Outages(unittest.TestCase):
    def found(self, **fault):
        text = dict(LUCKY, failures=[dict({"id": "out", "type": "storage", "on": "scratch", "part": "service"}, **fault)], expect=[
            {"id": "soon", "that": "job.train.run.time <= 22 h"}])
        text["jobs"] = [dict(LUCKY["jobs"][0], dataset={"on": "scratch", "format": "webdataset", "sample": "1 MB", "shard": "256 MiB", "size": "10 TB"},
                             loader={"type": "pytorch", "batch": 16, "workers": 4})]
        done = program.Run("run", "FILE", "--draws", "64", "--no-advice", "--format", "json", text=json.dumps(text))
        return json.loads(done.out)

    def test_outages_at_random_take_their_share_of_a_whole_run(self):
        # 4 h of every 24: 4/20 of what it takes without them; none comes in two hours of seed 1
        found = self.found(mtbf="20 h", failover="4 h", repair="1 s")
        value = {name: metric["value"] for name, metric in found["metrics"].items()}
        without = value["job.train.run.time"] - value["job.train.run.outages"]
        self.assertAlmostEqual(value["job.train.run.outages"] / without, 0.2, delta=1e-4)
        # Nearly as good as without where none comes: exp(-20.9 / 20)
        target, = found["assertions"]
        self.assertAlmostEqual(target["probability"], math.exp(-without / 3600.0 / 20.0), delta=0.05)

    def test_repairs_that_are_left_out_are_warned_of(self):
        found = self.found(mtbf="200 h", failover="1 min", repair="50 h", left="50 %")
        self.assertTrue(any("20 % of the time it is repaired" in each for each in found["warnings"]), found["warnings"])


if __name__ == "__main__":
    program.main()
