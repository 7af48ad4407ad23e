"""`stallcast observe` of a training whose GPU works while Python goes on: fake_torch's, which keeps exact time."""

import program
from observed import Case, Observed

NEXT = 1e-9  # of differences of times
JOB = """
import time, torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, index):
        time.sleep(0.010)
        return index
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
number = 0
for batch in DataLoader(Data(), batch_size=4, num_workers=%(workers)s):
    number += 1
    %(body)s
%(after)s
"""


def job(body, workers=0, after="torch.cuda.synchronize()"):
    return JOB % {"body": body, "workers": workers, "after": after}


class Gpu(Case):
    def seen_of(self, script):
        with Observed(script) as run:
            self.assertEqual(run.code, 0, run.err)
            return self.check(run), run.err

    def test_work_that_goes_on_beside_python_is_the_gpus(self):
        seen, summary = self.seen_of(job("torch.cuda.launch(0.030); optimizer.step()"))
        steps = seen["steps"]
        # The GPU takes 30 ms of the 40 ms that Python waits for each batch without workers.
        self.assertGreaterEqual(steps["gpu"]["minimum"], 0.030 - NEXT)
        self.assertGreaterEqual(steps["gpu"]["count"], 9)  # the last one's end may come after that of Python
        self.assertGreaterEqual(steps["wait"]["minimum"], 0.040)
        self.assertIn("GPU ", summary)
        self.assertNotIn("hook_errors", seen["figures"])

    def test_a_gpu_behind_python_is_timed_from_when_it_comes_to_the_batch(self):
        seen, _ = self.seen_of(job("torch.cuda.launch(0.100); optimizer.step()", workers=2))
        # Queued behind the step before: its own 100 ms, not those before it.
        gpu = seen["steps"]["gpu"]
        self.assertAlmostEqual(gpu["minimum"], 0.100, places=6)
        self.assertNotIn("hook_errors", seen["figures"])

    def test_what_the_gpu_does_after_the_step_is_not_of_it(self):
        # A save copies from the GPU, a validation computes on it.
        body = ("torch.cuda.launch(0.030); optimizer.step()\n"
                "    if number % 3 == 0: torch.cuda.launch(0.200); torch.save({}, 'model.pt')")
        seen, _ = self.seen_of(job(body))
        self.assertGreaterEqual(seen["steps"]["gpu"]["minimum"], 0.030 - NEXT)
        self.assertLess(seen["steps"]["gpu"]["quantiles"]["0.5"], 0.200)
        self.assertEqual(seen["saves"]["count"], 3)

    def test_batches_of_one_step_add_up(self):
        seen, _ = self.seen_of(job("torch.cuda.launch(0.015)\n    if number % 2 == 0: optimizer.step()"))
        self.assertGreaterEqual(seen["steps"]["gpu"]["minimum"], 0.030 - NEXT)
        self.assertEqual(seen["steps"]["count"], 5)

    def test_batches_without_an_optimizer_have_their_own(self):
        seen, _ = self.seen_of(job("torch.cuda.launch(0.020)"))
        self.assertEqual(seen["steps"]["marked_by"], "batch")
        self.assertGreaterEqual(seen["steps"]["gpu"]["minimum"], 0.020 - NEXT)

    def test_a_job_without_a_gpu_has_none(self):
        seen, summary = self.seen_of(job("optimizer.step()"))
        self.assertNotIn("gpu", seen["steps"])
        self.assertNotIn("GPU ", summary)

    def test_work_that_is_captured_is_left_alone(self):
        # An event recorded into a graph would become part of it.
        body = "torch.cuda.launch(0.010); torch.cuda.capturing = number == 3; optimizer.step()"
        seen, _ = self.seen_of(job(body, after="torch.cuda.synchronize()\nassert torch.cuda.Event.made > 0"))
        self.assertNotIn("hook_errors", seen["figures"])
        self.assertGreaterEqual(seen["steps"]["gpu"]["minimum"], 0.010 - NEXT)

    def test_a_gpu_that_changes_within_a_step_gives_no_time(self):
        body = "torch.cuda.launch(0.010); torch.cuda.set_device(number % 2); optimizer.step()"
        seen, _ = self.seen_of(job(body))
        self.assertNotIn("hook_errors", seen["figures"])
        self.assertNotIn("gpu", seen["steps"])

    def test_events_that_fail_end_the_measurement_and_not_the_job(self):
        body = "torch.cuda.launch(0.010); torch.cuda.Event.record = None; optimizer.step()"
        seen, _ = self.seen_of(job(body))
        self.assertEqual(seen["steps"]["count"], 10)
        self.assertEqual(seen["figures"]["hook_errors"], 1)


if __name__ == "__main__":
    program.main()
