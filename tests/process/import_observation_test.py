#!/usr/bin/env python3
"""`stallcast import observation` as a user runs it, and what the other verbs make of its scenario.

Usage: import_observation_test.py PATH_OF_STALLCAST [unittest options].
"""

import json
import os
import random
import re
import tempfile
import unittest

import program
from program import Run

STEPS, BATCH = 300, 8


def spread(values):
    """A distribution as observations have them."""
    ordered = sorted(values)

    def quantile(share):
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return {"count": len(values), "mean": sum(values) / len(values), "minimum": ordered[0], "maximum": ordered[-1],
            "quantiles": {str(s): quantile(s) for s in (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)}, "sample": values[:512]}


def job(rank=None, ranks=1, seed=1):
    """A job that waits for its storage: 8 samples a step, of 15 ms each in two workers, for steps of 40 ms."""
    draw = random.Random(seed)
    compute = [draw.lognormvariate(0, 0.03) * 0.04 for _ in range(STEPS)]
    wait = [0.3] + [draw.uniform(0.01, 0.03) for _ in range(STEPS - 1)]
    samples = STEPS * BATCH
    process = {"pid": 1, "steps": STEPS}
    if rank is not None:
        process["rank"] = rank
    return {
        "schema": "stallcast.observation/1",
        "source": {"format": "observe", "inputs": [{"name": "ring", "records": STEPS, "complete": True}]},
        "ranks": ranks, "processes": [process],
        "steps": {"count": STEPS, "marked_by": "optimizer.step", "wait": spread(wait), "compute": spread(compute),
                  "duration": spread([c + w for c, w in zip(compute, wait)]), "first_batch": spread([0.3]), "epochs": 1},
        "loader": {"kind": "pytorch-workers", "workers": 2, "prefetch": 2, "batch": BATCH, "sampler": "RandomSampler"},
        "samples": {"count": samples, "wall": spread([draw.uniform(0.013, 0.017) for _ in range(200)]),
                    "cpu": spread([0.002] * 200), "bytes": spread([1e5] * 200), "files": spread([1.0] * 200)},
        "reading": {"operations": samples, "bytes": samples * 1e5, "from_device": samples * 1e5, "files": samples},
        "saves": {"count": 3, "duration": spread([0.5, 0.52, 0.48]), "bytes": spread([1e8] * 3),
                  "period_steps": spread([100.0] * 2), "asynchronous": False},
        "host": {"hosts": 1, "cores": 16, "hardware_threads": 16, "memory": 6.4e10}}


def without_comments(text):
    return json.loads("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")))


class ImportObservation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.mine = os.path.join(self.folder.name, "mine.json")

    def file(self, name, observation):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(observation if isinstance(observation, str) else json.dumps(observation))
        return path

    def made(self, *args):
        run = Run("import", "observation", *args, "-o", self.mine)
        self.assertEqual(run.code, 0, run.err)
        with open(self.mine, encoding="utf-8") as file:
            return run, file.read()

    def test_a_trace_gives_its_scenario_in_one_step_as_in_two(self):
        events = []
        for n in range(60):  # 100 ms each, of which 30 are waited for data
            begin = 1e5 * n
            events += [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{n}", "pid": 9, "tid": 9, "ts": begin,
                        "dur": 1e5},
                       {"ph": "X", "cat": "user_annotation", "pid": 9, "tid": 9, "ts": begin, "dur": 3e4,
                        "name": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"},
                       {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": begin + 3e4, "dur": 6e4}]
        trace = self.file("rank0.pt.trace.json", {"schemaVersion": 1, "baseTimeNanoseconds": 17 * 10**17,
                                                  "traceEvents": events})
        seen = os.path.join(self.folder.name, "rank0.observation.json")
        self.assertEqual(Run("import", "kineto", trace, "-o", seen).code, 0)
        two = Run("import", "observation", seen, "--no-check")
        one = Run("import", "kineto", trace, "--scenario", "--no-check")
        self.assertEqual((one.code, two.code), (0, 0), one.err + two.err)
        self.assertEqual(one.out, two.out)
        self.assertEqual(without_comments(one.out)["jobs"][0]["id"], "train")
        fields = Run("import", "kineto", trace, "--scenario", "--fields")
        self.assertEqual(fields.out, Run("import", "observation", seen, "--fields").out)

    def test_measurements_have_no_scenario(self):
        results = self.file("fio.json", "{}")
        for form, hint in (("fio", "calibrate"), ("darshan", "darshan-dxt"), ("dlio-results", "dlio-output")):
            refused = Run("import", form, results, "--scenario")
            self.assertEqual((refused.code, refused.out), (2, ""))
            self.assertIn("no job to simulate", refused.err)
            self.assertIn(hint, refused.err)

    def test_the_limit_that_is_named_first_is_the_one_that_moves(self):
        slow = job()
        quick = job()
        quick["samples"]["cpu"] = spread([0.013] * 200)  # its workers compute instead
        saves = job()
        saves["saves"] = {"count": 30, "duration": spread([0.5] * 30), "bytes": spread([1e8] * 30),
                          "period_steps": spread([10.0] * 29), "asynchronous": False}
        named = []
        for observed in (slow, quick, saves):
            self.made(self.file("job.observation.json", observed))
            run = Run("run", self.mine, "--format", "json")
            self.assertEqual(run.code, 0, run.err)
            result = json.loads(run.out)
            rows = [row for row in result["bottlenecks"] if row.get("gain")]
            named.append(rows[0]["resource"])
            pace = result["metrics"]["job.train.goodput"]["value"]
            moved = {}
            for row in rows:
                faster = Run("run", self.mine, "--format", "json", "--no-advice", *self.twice(row["gain"]["part"]))
                self.assertEqual(faster.code, 0, faster.err)
                self.assertLessEqual(max((use["utilization"] for use in result["bottlenecks"]), default=0), 1 + 1e-6)
                moved[row["resource"]] = 1 - pace / json.loads(faster.out)["metrics"]["job.train.goodput"]["value"]
            self.assertEqual(max(moved, key=moved.get), rows[0]["resource"], moved)
        self.assertEqual(named[0], "storage.store.device")
        self.assertEqual(named[1], "host.node.cpu")
        self.assertTrue(named[2].startswith("storage.store"), named)

    def twice(self, part):
        """Options that make a part of the scenario twice as fast, by its name in the report."""
        with open(self.mine, encoding="utf-8") as file:
            scenario = without_comments(file.read())
        role, _, rest = part.replace("]", "").partition("[")
        name, _, key = rest.partition(".")
        if part.startswith("cluster.hosts"):
            component, path = scenario["cluster"]["hosts"][0], f"cluster.hosts.{name}"
        elif role == "storage":
            component, path = scenario["storage"][0], f"storage.{name}"
        else:
            component, path = scenario["jobs"][0], f"jobs.{name}"
        options = []
        keys = ("read", "write") if key == "device" else (key,)  # what requests of both wait for
        for at, value in ((at, value) for each in keys for at, value in self.leaves(component.get(each, {}), f"{path}.{each}")):
            match = re.match(r"([0-9.e+-]+) ?([a-zA-Zµ/]+)$", str(value))
            if match and at.rsplit(".", 1)[-1] not in ("size", "burst"):
                factor = 0.5 if match[2] in ("s", "ms", "us") else 2.0
                options += ["--set", f"{at}={float(match[1]) * factor} {match[2]}"]
        if part.startswith("cluster.hosts") and key == "cpu":  # what readers compute is one part with the cores
            for group in ("loader", "dataset"):
                for at, value in self.leaves(scenario["jobs"][0].get(group, {}), f"jobs.train.{group}"):
                    match = re.match(r"([0-9.e+-]+) (s|ms|us)$", str(value))
                    if match:
                        options += ["--set", f"{at}={float(match[1]) / 2} {match[2]}"]
        return options

    def leaves(self, node, path):
        if isinstance(node, dict) and "value" not in node:
            for key, value in node.items():
                yield from self.leaves(value, f"{path}.{key}")
        else:
            yield path, node["value"] if isinstance(node, dict) else node

    def test_it_writes_a_scenario_that_has_the_jobs_times_and_shows_the_check(self):
        run, text = self.made(self.file("job.observation.json", job()))
        self.assertEqual(run.out.splitlines()[0].split(), ["observed", "simulated", "off", "by"])
        self.assertEqual([line[:14].strip() for line in run.out.splitlines()[1:]],
                         ["step time", "wait of a step", "wait share", "first batch", "save"])
        scenario = without_comments(text)
        self.assertEqual(scenario["id"], "job")
        self.assertIn("ASSUMPTION", text)
        self.assertGreater(scenario["storage"][0]["read"]["rate"]["value"], scenario["storage"][0]["read"]["rate"]["low"])
        # (40 ms of compute, 20 ms of waits, a save of 500 ms each 100 steps.)
        predicted = json.loads(Run("run", self.mine, "--format", "json").out)["metrics"]
        self.assertAlmostEqual(predicted["job.train.steady.step.time"]["value"] / 0.065, 1.0, delta=0.015)
        self.assertAlmostEqual(predicted["job.train.first_batch"]["value"] / 0.3, 1.0, delta=0.15)
        self.assertAlmostEqual(predicted["job.train.checkpoint.stall"]["value"] / 0.5, 1.0, delta=0.02)

    def test_one_number_of_workers_leaves_open_what_others_would_get(self):
        # 60 ms a step with 2 workers. With 8 all are ready when their waits are their own; 60 ms if they share a line.
        self.made(self.file("job.observation.json", job()))

        def interval(workers):
            run = Run("run", self.mine, "--no-advice", "--draws", "64", "--format", "json", "--set",
                      f"jobs.train.loader.workers={workers}")
            self.assertEqual(run.code, 0, run.err)
            return json.loads(run.out)["metrics"]["job.train.steady.step.time"]["ci90"]

        self.assertLess(interval(8)[0], 0.047)
        self.assertGreater(interval(8)[1], 0.060)
        self.assertLess(interval(1)[0], 0.083)
        self.assertGreater(interval(1)[1], 0.115)
        self.assertLess(interval(2)[1] / interval(2)[0], 1.2)

    def test_the_residual_is_the_discrepancy_of_later_predictions(self):
        _, text = self.made(self.file("job.observation.json", job()))
        said = without_comments(text)["jobs"][0]["discrepancy"]
        self.assertEqual(set(said), {"step", "first_batch", "checkpoint", "utilization"})

        def width(*sets):
            run = Run("run", self.mine, "--draws", "16", "--format", "json", *sets)
            self.assertEqual(run.code, 0, run.err)
            low, high = json.loads(run.out)["metrics"]["job.train.steady.step.time"]["ci90"]
            return high / low - 1.0

        narrow = width()
        # Half of it is 20 %, on both sides.
        self.assertGreater(width("--set", "jobs.discrepancy.step=20 %"), 0.38)
        self.assertLess(narrow, 0.2)

    def test_ranks_have_a_file_each(self):
        files = [self.file(f"rank{r}.json", job(r, 2, seed=r + 1)) for r in range(2)]
        _, text = self.made(*files)
        scenario = without_comments(text)
        self.assertEqual(scenario["cluster"]["hosts"][0]["gpus"], 2)
        self.assertEqual(scenario["jobs"][0]["steps"], STEPS)
        self.assertEqual(scenario["id"], "rank0")

    def test_the_format_may_be_left_out_and_the_check_too(self):
        path = self.file("job.observation.json", job())
        run = Run("import", path, "--no-check")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertNotIn("discrepancy", without_comments(run.out)["jobs"][0])
        fields = Run("import", "observation", path, "--no-check", "--fields")
        self.assertIn("  loader.workers -> jobs.train.loader.workers = 2\n", fields.out)
        self.assertIn("host.nics -> cluster.hosts.node.nic.rate  (not seen: default 400 Gb/s", fields.out)

    def test_calibrate_takes_the_observation(self):
        path = self.file("job.observation.json", job())
        self.made(path)
        profile = os.path.join(self.folder.name, "p.json")
        run = Run("calibrate", "--scenario", self.mine, "--observed", path, "--draws", "100", "-o", profile)
        self.assertEqual(run.code, 0, run.err)
        with open(profile, encoding="utf-8") as file:
            cells = {one["cell"] for one in json.load(file)["fits"][0]["residuals"]}
        self.assertEqual(cells, {"job.train." + name for name in
                                 ("steady.step.time", "steady.wait", "first_batch", "checkpoint.stall")})

    def test_files_without_a_job_are_refused_with_place_and_hint(self):
        nothing = job()
        del nothing["steps"]
        run = Run("import", "observation", self.file("a.json", nothing))
        self.assertEqual(run.code, 2)
        self.assertIn("a.json:1:1: /steps: the observation has no steps", run.err)
        self.assertIn("stallcast observe", run.err)
        for name, text in (("empty.json", ""), ("other.json", '{"schema": "stallcast.profile/1"}'),
                           ("cut.json", json.dumps(job())[:500])):
            with self.subTest(name):
                run = Run("import", "observation", self.file(name, text))
                self.assertEqual(run.code, 2)
                self.assertIn(name + ":1:", run.err)
        self.assertEqual(Run("import", "observation", "absent.json").code, 2)
        self.assertEqual(Run("import", "observation").code, 2)

    def test_waits_for_data_that_nobody_saw_are_said(self):
        # Steps of 100 ms that wait 9 ms more, and nothing of what they read.
        observed = {"schema": "stallcast.observation/1", "source": {"format": "kineto", "inputs": []}, "ranks": 1,
                    "steps": {"count": 20, "wait": spread([0.009] * 20), "compute": spread([0.1] * 20),
                              "duration": spread([0.109] * 20), "epochs": 1}}
        path = self.file("job.observation.json", observed)
        run, text = self.made(path)
        said = "the 9 ms that a step waited for data, 8.3 % of its time, are part of the compute"
        self.assertIn(said, " ".join(run.err.split()))
        self.assertIn(said, " ".join(text.replace("//", " ").split()))
        fields = Run("import", "observation", path, "--fields").out
        self.assertIn("steps.compute -> jobs.train.step.compute = 109 ms  (mean, with the 9 ms that a step waited", fields)
        self.assertNotIn("in no field", fields)
        observed["steps"]["wait"] = spread([0.0] * 20)
        run, _ = self.made(self.file("job.observation.json", observed))
        self.assertNotIn("waited", run.err)

    def test_a_profile_of_the_storage_is_taken_and_named(self):
        profile = os.path.join(self.folder.name, "disk.json")
        sweep = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "calibration", "data",
                             "vm-disk-sweep.json")
        self.assertEqual(Run("calibrate", sweep, "-o", profile, "--draws", "20").code, 0)
        _, plain = self.made(self.file("job.observation.json", job()))
        _, text = self.made(self.file("job.observation.json", job()), "--profile", profile)
        # How much the job asks for at once is its own.
        self.assertIn(re.search(r'"request": "[^"]+"', plain).group(), text)
        self.assertIn("--profile " + profile, text.replace("\n// ", " "))
        self.assertNotIn("read", without_comments(text)["storage"][0])
        self.assertEqual(Run("run", self.mine, "--profile", profile).code, 0)
        self.assertEqual(Run("import", "observation", self.file("b.json", job()), "--profile", "absent").code, 2)


if __name__ == "__main__":
    program.main()
