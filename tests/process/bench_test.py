"""What bench/ measures still runs and is still the same job; how fast is never asked here.

Usage: bench_test.py PATH_OF_STALLCAST [unittest options]."""

import glob
import os
import sys
import unittest

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import exactness
import measure
import peers

FEW = {"jobs__train__steps": 10, "jobs__train__epochs": 1}


class BenchTest(unittest.TestCase):
    def setUp(self):
        measure.STALLCAST = program.STALLCAST
        peers.PEER, peers.LOOP = (os.path.join(os.path.dirname(program.STALLCAST), "../bench", name)
                                  for name in ("s4u_actors", "event_loop"))

    def test_every_scenario_of_the_bench_runs(self):
        paths = glob.glob(os.path.join(measure.SCENARIOS, "*.json"))
        self.assertGreater(len(paths), 3)
        for path in paths:
            with self.subTest(path):
                figures = measure.metrics(measure.run(measure.stallcast(path, **FEW)))
                self.assertEqual(figures["job.train.steps"], 10)

    def test_the_big_scenario_keeps_its_storage_busy(self):
        # What is measured is a simulation of storage: 12,500 hosts read 48 MiB each 0.85 s, 30 % of 2.4 TB/s.
        figures = measure.metrics(measure.run(measure.stallcast("100k-gpus", jobs__train__steps=1000)))
        self.assertGreater(figures["resource.storage.scratch.ost.utilization"], 0.2)
        self.assertLess(figures["resource.storage.scratch.ost.utilization"], 0.4)
        self.assertEqual(figures["job.train.checkpoint.count"], 1)

    def test_folding_and_fast_forward_leave_step_times_alone(self):
        for scenario in ("1000-hosts", "100k-gpus"):
            for option in ("--no-fold", "--no-fast-forward"):
                with self.subTest(f"{scenario} {option}"):
                    steps, _, _ = exactness.compare(scenario, option, {
                        "jobs__train__steps": 150, "cluster__hosts__gpu__count": 16})
                    self.assertLess(steps, 1e-9)

    def test_the_peers_simulate_the_same_job(self):
        found = peers.peers()
        if not found:
            self.skipTest("the target `bench` was not built, and there is no SimPy")
        for hosts in (16, 200):
            ours = measure.metrics(measure.run(peers.ours((), hosts, 150)))
            for peer, command in found.items():
                with self.subTest(f"{peer}, {hosts} hosts"):
                    figures = peers.peer_figures(measure.run([*command, str(hosts), "150"]).out)
                    for name in ("step.time", "step.time.max"):
                        self.assertAlmostEqual(figures[name] / ours["job.train." + name], 1.0, delta=1e-6)
                    self.assertEqual(figures["steps"], ours["job.train.steps"])


if __name__ == "__main__":
    program.main()
