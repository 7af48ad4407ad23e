#!/usr/bin/env python3
"""`stallcast replay` of traces that mark the batches of a loader: steps wait for them, by closed forms.

    replay_steps_test.py STALLCAST REPO
"""

import sys
import unittest

from replaying import Case, dlio, loader, marked, read_time, strace


class Steps(Case):
    def test_steps_wait_for_their_batches(self):
        # Of as fast a store as was traced, a faster and a slower one: the protocol says when each step ends. Once the
        # queue is full a step takes max(c, samples t / W).
        for workers, queue, compute in ((1, 2, 0.01), (4, 8, 0.01), (4, 8, 0.05), (2, 2, 0.03), (3, 7, 0.02)):
            service = 0.02
            made = loader(workers, queue, 60, read_time(service), compute)
            path = self.write("t", dlio(made, workers, read_time(service)))
            for other in (service, service / 4, service * 4):
                with self.subTest(workers=workers, queue=queue, compute=compute, service=other):
                    found = self.on_service(path, other)
                    again = loader(workers, queue, 60, read_time(other), compute)
                    self.assertAlmostEqual(found["traced"]["makespan_s"], made[-1]["end"] - 0.1, delta=1e-5)
                    self.assertAlmostEqual(found["replayed"]["makespan_s"], again[-1]["end"] - 0.1, delta=1e-3)
                    self.assertEqual(found["replayed"]["steps"]["count"], 60)
                    wait = sum(b["taken"] - (again[i - 1]["end"] if i else 0.1) for i, b in enumerate(again))
                    self.assertAlmostEqual(found["replayed"]["waits"]["time_s"], wait, delta=2e-3)
                    late = max(compute, 2 * read_time(other) / workers)
                    steps = [b["end"] for b in again]
                    self.assertAlmostEqual((steps[-1] - steps[-1 - 3 * workers]) / (3 * workers), late, delta=1e-3)

    def test_marks_of_strace_are_those_of_the_loader(self):
        for workers, queue, compute in ((1, 2, 0.011), (3, 6, 0.01), (2, 4, 0.05), (3, 7, 0.021)):
            made = loader(workers, queue, 40, read_time(0.02), compute)
            path = self.write("t", marked(made, workers, queue, read_time(0.02)))
            for service in (0.02, 0.005, 0.09):
                with self.subTest(workers=workers, queue=queue, compute=compute, service=service):
                    found = self.on_service(path, service)
                    again = loader(workers, queue, 40, read_time(service), compute)
                    self.assertAlmostEqual(found["replayed"]["makespan_s"], again[-1]["end"] - 0.1, delta=1e-3)
                    self.assertEqual(found["replayed"]["steps"]["count"], 40)
                    self.assertIn("40 of 40 batches", " ".join(found["notes"]))
                    self.assertEqual(found["traced"]["kinds"]["read"]["operations"], 80)

    def test_without_workers_the_reads_are_the_wait(self):
        made = loader(1, 1, 20, read_time(0.02), 0.01)
        # One after the other: a batch is read when the step before has ended.
        for b, batch in enumerate(made):
            begun = made[b - 1]["end"] if b else 0.5
            batch.update(start=begun, ready=begun + 2 * read_time(0.02), taken=begun + 2 * read_time(0.02))
            batch["end"] = batch["taken"] + 0.01
        found = self.on_service(self.write("t", marked(made, 0, 1, read_time(0.02), own=True)), 0.04)
        self.assertAlmostEqual(found["replayed"]["waits"]["time_s"] - found["traced"]["waits"]["time_s"],
                               40 * 0.02, delta=1e-3)
        self.assertAlmostEqual(found["replayed"]["steps"]["latency_s"]["p50"], 0.01 + 2 * read_time(0.04), delta=1e-4)

    def test_a_batch_that_nobody_marked_keeps_its_wait(self):
        made = loader(2, 4, 20, read_time(0.02), 0.01)
        lines = marked(made, 2, 4, read_time(0.02)).splitlines()
        cut = "\n".join(line for line in lines if "ready/11/0/6" not in line) + "\n"
        found = self.on_service(self.write("t", cut), 0.02)
        self.assertIn("1 batch not in the trace", " ".join(found["notes"]))
        self.assertAlmostEqual(found["replayed"]["makespan_s"], made[-1]["end"] - 0.1, delta=1e-3)

    def test_a_faster_store_brings_no_batch_before_the_queue_has_room(self):
        # A store without cost: the job takes its steps, and workers are held back as the queue was.
        made = loader(4, 4, 40, read_time(0.02), 0.05)
        found = self.on_service(self.write("t", dlio(made, 4, read_time(0.02))), 1e-6)
        last = loader(4, 4, 40, read_time(1e-6), 0.05)
        self.assertAlmostEqual(found["replayed"]["makespan_s"], last[-1]["end"] - 0.1, delta=1e-3)
        self.assertIn("at most 4 batches", " ".join(found["notes"]))

    def test_slower_is_never_shorter(self):
        made = loader(3, 6, 50, read_time(0.02), 0.015)
        path = self.write("t", dlio(made, 3, read_time(0.02)))
        spans = [self.on_service(path, 0.001 * 1.7 ** i)["replayed"]["makespan_s"] for i in range(12)]
        self.assertEqual(spans, sorted(spans))

    def test_batches_out_of_turn_are_not_guessed(self):
        # Worker numbers against the order in which batches are dealt: the first step would have a batch that was not
        # ready.
        made = [{"start": 0.5, "taken": 0.6, "end": 0.61}, {"start": 0.96, "taken": 1.1, "end": 1.2}]
        for lanes, turn in (([11, 12], True), ([12, 11], False)):
            found = self.on_service(self.write("t", dlio(made, 2, read_time(0.02), lanes=lanes)), 0.02)
            self.assertEqual("do not come from the workers in turn" not in " ".join(found["notes"]), turn)
            self.assertAlmostEqual(found["replayed"]["makespan_s"], 1.1, delta=1e-3)
            self.assertEqual(found["replayed"]["steps"]["count"], 2)

    def test_threads_without_marks_are_said_to_be_unknown(self):
        lines = strace(5, 4096, 0.001, 0.001)
        found = self.replay(self.write("t", lines + lines.replace("7 17", "8 17")))
        self.assertIn("does not say which thread waits for which", " ".join(found["notes"]))
        self.assertNotIn("steps", found["traced"])
        self.assertNotIn("waits for which", " ".join(self.replay(self.write("t", lines))["notes"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
