"""How long published trainings take, by the templates that say their inputs: docs/models/whole-run.md."""
import json
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


if __name__ == "__main__":
    program.main()
