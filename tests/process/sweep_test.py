"""Sweeps as a person or a cluster runs them: exit codes, kills, parts, launchers.

Usage: sweep_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""

import csv
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import program


SCENARIO = """{
  "id": "small",
  "params": { "osts": { "value": 8, "min": 1, "max": 4096 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": "=osts", "read": "4 GB/s", "write": "4 GB/s" } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" }
  } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 2 },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= 90 %%" } ],
  "sweep": %s
}
"""
FOUR = SCENARIO % '{ "osts": [4, 8, 16, 32] }'
UTILIZATION = "job.train.gpu.utilization"
# Nothing that a test's own environment may say of a launcher.
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("SLURM_", "OMPI_", "JOB_COMPLETION", "PARALLEL_", "STALLCAST_"))}


class Folder:
    """A folder with a scenario, and calls of the program in it."""

    def __init__(self, text=FOUR):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = self.temporary.name
        with open(os.path.join(self.path, "s.json"), "w", encoding="utf-8") as file:
            file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def start(self, *args, env=None):
        return subprocess.Popen([program.STALLCAST, "sweep", *args], cwd=self.path, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**CLEAN, **(env or {})})

    def run(self, *args, env=None):
        process = self.start(*args, env=env)
        out, err = process.communicate(timeout=program.patience(120))
        process.out, process.err = out, err
        return process

    def names(self):
        return sorted(os.listdir(self.path))

    def content(self, name="s.db"):
        """All that a sweep says, whatever the order in which it came."""
        with sqlite3.connect(os.path.join(self.path, name)) as database:
            out = {table: sorted(database.execute(f"SELECT * FROM {table}").fetchall())
                   for table in ("meta", "points", "designs", "results")}
        database.close()
        return out


class SweepTest(unittest.TestCase):
    def code(self, wanted, folder, *args, **kwargs):
        run = folder.run(*args, **kwargs)
        self.assertEqual(run.returncode, wanted, run.out + run.err)
        return run


class Reports(SweepTest):
    def test_a_sweep_is_a_table_of_80_columns_with_the_same_bytes_each_time(self):
        with Folder() as folder:
            first = self.code(0, folder, "s.json").out
            self.assertIn("4 points, 4 done; 3 meet the targets", first)
            self.assertTrue(all(len(line) <= 80 for line in first.splitlines()), first)
            self.assertEqual(first, self.code(0, folder, "s.json", "--jobs", "1").out)
            self.assertEqual(folder.names(), ["s.json"])

    def test_a_point_is_what_run_says_of_the_same_values(self):
        with Folder() as folder:
            sweep = json.loads(self.code(0, folder, "s.json", "--format", "json").out)
            self.assertEqual(sweep["schema"], "stallcast.sweep/1")
            point = sweep["points"][2]
            self.assertEqual(point["set"], {"params.osts": "16"})
            run = subprocess.run([program.STALLCAST, "run", "s.json", "--set", "params.osts=16",
                                  "--no-advice", "--draws", "0", "--format", "json"], cwd=folder.path, text=True,
                                 capture_output=True, check=True, timeout=program.patience(120))
            alone = json.loads(run.stdout)
            self.assertEqual(point["metrics"][UTILIZATION], alone["metrics"][UTILIZATION])
            self.assertEqual(point["sha256"], alone["scenario"]["sha256"])
            self.assertEqual(point["verdict"], alone["verdict"])

    def test_csv_is_tidy_or_wide(self):
        with Folder() as folder:
            tidy = self.code(0, folder, "s.json", "--format", "csv", "--metric", UTILIZATION).out
            rows = list(csv.DictReader(io.StringIO(tidy)))
            self.assertEqual(list(rows[0]), ["scenario", "run", "metric", "stat", "value", "unit"])
            means = [r for r in rows if r["metric"] == UTILIZATION and r["stat"] == "mean"]
            self.assertEqual([r["run"] for r in means], ["1", "2", "3", "4"])
            wide = self.code(0, folder, "s.json", "--format", "csv", "--wide").out
            rows = list(csv.DictReader(io.StringIO(wide)))
            self.assertEqual([r["params.osts"] for r in rows], ["4", "8", "16", "32"])
            self.assertEqual([r["verdict"] for r in rows], ["fail", "pass", "pass", "pass"])
            self.assertGreater(float(rows[3][UTILIZATION + "_ratio"]), 0.9)

    def test_the_front_is_marked_among_what_meets_the_targets(self):
        with Folder() as folder:
            goals = ["--metric", "params.osts:min", "--metric", UTILIZATION + ":max"]
            out = self.code(0, folder, "s.json", *goals, "--set",
                            "expect.util.that=job.train.gpu.utilization >= 88 %").out
            marked = [line.split()[2] for line in out.splitlines()
                      if line.startswith("* ") and "Pareto" not in line]
            self.assertEqual(marked, ["8", "16", "32"])
            self.assertIn("on the Pareto front (3 points)", out)

    def test_the_front_finds_the_count_that_plan_finds(self):
        example = os.path.join(os.path.dirname(__file__), "../../examples/exercise-512-h100-async.json")
        plan = subprocess.run([program.STALLCAST, "plan", example, "--tornado", "0", "--checks", "0", "--format", "json"],
                              text=True, capture_output=True, check=True, timeout=program.patience(120))
        required = json.loads(plan.stdout)["plan"]["required"]
        with Folder() as folder:
            out = self.code(0, folder, os.path.abspath(example), "--vary",
                            "storage.ost.count=46..56:11", "--metric", "storage.ost.count:min",
                            "--format", "json").out
            front = [p["set"]["storage.ost.count"] for p in json.loads(out)["points"]
                     if p["pareto"]]
            self.assertEqual(front, [str(required)])

    def test_a_metric_that_does_not_exist_is_exit_two(self):
        with Folder() as folder:
            run = self.code(2, folder, "s.json", "--metric", "job.train.gpu.utilisation")
            self.assertIn('did you mean "job.train.gpu.utilization"', run.err)
            self.assertEqual(run.out, "")  # before anything is simulated
            run = self.code(2, folder, "s.json", "--metric", "foo:max")
            self.assertIn('no metric and nothing varied is named "foo"', run.err)
            self.assertEqual(run.out, "")

    def test_markdown_is_a_table(self):
        with Folder() as folder:
            out = self.code(0, folder, "s.json", "--format", "markdown").out
            self.assertEqual(len([line for line in out.splitlines() if line.startswith("|")]), 6)


class ExitCodes(SweepTest):
    def test_one_only_when_asked(self):
        with Folder() as folder:
            hard = ["s.json", "--set", "expect.util.that=job.train.gpu.utilization >= 99.99 %"]
            self.code(0, folder, *hard)
            self.code(1, folder, *hard, "--need-pass")
            self.code(0, folder, "s.json", "--need-pass")

    def test_two_for_faults_before_anything_is_simulated(self):
        with Folder(SCENARIO % '{ "osts": [4, 8, 9000], "storage.ost.raed": [1] }') as folder:
            run = self.code(2, folder, "s.json", "-o", "s.db")
            self.assertRegex(run.err, r"(?m)^s.json:\d+:\d+: /sweep/osts/2: the parameter \"osts\"")
            self.assertRegex(run.err, r'(?m)^s.json:\d+:\d+: /sweep/storage.ost.raed/0: .*raed')
            self.assertEqual(run.out, "")
            self.assertEqual(folder.names(), ["s.json"])
        for sweep, said in (('{ "osts": 4 }', "a list of values or a range"),
                            ('{ "mode": "grid", "osts": [4] }', "product, zip"),
                            ('{ "mode": "zip", "osts": [4, 8], "run.seed": [1] }', "of one length"),
                            ('{ "osts": { "from": 1, "to": 4.5 } }', "how many values"),
                            ('{ "osts": { "from": 1, "to": "4 GB", "n": 2 } }', "differ in kind")):
            with Folder(SCENARIO % sweep) as folder:
                run = self.code(2, folder, "s.json")
                self.assertRegex(run.err, r"(?m)^s.json:13:\d+: /sweep", sweep)
                self.assertIn(said, run.err)

    def test_two_for_wrong_usage(self):
        with Folder() as folder:
            for args in (["s.json", "--vary", "osts"], ["s.json", "--mode", "grid"],
                         ["s.json", "--vary", "osts=1,,2"], ["plan", "s.json"], ["run", "none.db"],
                         ["run", "s.json"], ["status"], ["no-such.json"],
                         ["s.json", "--vary", "osts=a..b:3"], ["s.json", "--vary", "no.such=1,2"],
                         ["s.json", "--vary", "osts=1,2", "--vary", "osts=3,4"]):
                run = self.code(2, folder, *args)
                self.assertEqual(run.out, "", args)
                self.assertIn("hint: ", run.err, args)

    def test_three_when_time_is_up_and_what_is_done_stays(self):
        with Folder(SCENARIO % '{ "run.seed": { "from": 1, "to": 3000, "n": 3000 } }') as folder:
            run = self.code(3, folder, "s.json", "-o", "s.db", "--time-limit", "500 ms")
            self.assertIn("time limit", run.err)
            self.assertIn("missing", run.out)
            self.code(3, folder, "status", "s.db")

    def test_130_when_interrupted(self):
        with Folder(SCENARIO % '{ "run.seed": { "from": 1, "to": 3000, "n": 3000 } }') as folder:
            process = folder.start("s.json", "-o", "s.db")
            wait_for_results(folder, 1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=program.patience(60))
            self.assertEqual(process.returncode, 130, out + err)
            self.assertIn("missing", out)
            self.assertGreater(len(folder.content()["results"]), 0)

    def test_four_when_one_point_crashes_and_the_rest_is_there(self):
        with Folder() as folder:
            folder.run("plan", "s.json", "-o", "s.db")
            broken = {"STALLCAST_SIM_FAULT": "abort@2"}  # the first replica of the second design
            run = self.code(4, folder, "run", "s.db", env=broken)
            self.assertIn("4 points, 3 done, 1 failed", run.out)
            self.assertIn("point 2: the simulation with seed 1 crashed", run.out)
            self.code(4, folder, "status", "s.db")
            crash = "the simulation with seed 1 crashed"
            wide = csv.DictReader(io.StringIO(self.code(4, folder, "run", "s.db", "--format", "csv", "--wide").out))
            self.assertEqual([crash in row["message"] for row in wide], [False, True, False, False])
            tidy = csv.DictReader(io.StringIO(self.code(4, folder, "run", "s.db", "--format", "csv").out))
            self.assertEqual([(row["run"], crash in row["value"]) for row in tidy if row["metric"] == "message"], [("2", True)])
            self.code(4, folder, "run", "s.db")  # what failed is not simulated again ...
            run = self.code(0, folder, "retry", "s.db")  # ... unless it is asked for
            self.assertIn("4 points, 4 done", run.out)


def count(folder, name="s.db"):
    try:
        with sqlite3.connect(f"file:{os.path.join(folder.path, name)}?mode=ro", uri=True) as base:
            found = base.execute("SELECT count(*) FROM results").fetchone()[0]
        base.close()
        return found
    except sqlite3.Error:
        return 0


def wait_for_results(folder, wanted):
    for _ in range(2400):
        if count(folder) >= wanted:
            return
        time.sleep(0.025)
    raise AssertionError("no results came")


class Resuming(SweepTest):
    # More of both for a long test: SWEEP_POINTS=2000 SWEEP_KILLS=20.
    POINTS = int(os.environ.get("SWEEP_POINTS", "200"))
    KILLS = int(os.environ.get("SWEEP_KILLS", "5"))

    def test_killed_at_random_moments_every_point_is_there_once(self):
        text = SCENARIO % ('{ "osts": { "from": 4, "to": %d, "n": %d } }'
                           % (self.POINTS + 3, self.POINTS))
        with Folder(text) as folder:
            began = time.monotonic()
            self.code(0, folder, "s.json", "-o", "whole.db")
            whole = time.monotonic() - began
            moments, kept = random.Random(6), []
            for _ in range(self.KILLS):
                process = folder.start("s.json", "-o", "s.db")
                time.sleep(moments.uniform(0.02, 0.8 * whole))
                process.kill()
                process.communicate(timeout=program.patience(60))
                kept.append(count(folder))
            self.assertEqual(kept, sorted(kept))  # nothing that was written is lost
            run = self.code(0, folder, "s.json", "-o", "s.db")
            self.assertIn(f"{self.POINTS} points, {self.POINTS} done", run.out)
            self.assertEqual(folder.content("s.db"), folder.content("whole.db"))
            self.assertEqual(len(folder.content()["results"]), self.POINTS)

    def test_the_same_sweep_goes_on_and_another_is_refused(self):
        with Folder() as folder:
            self.code(0, folder, "s.json", "-o", "s.db")
            self.code(0, folder, "s.json", "-o", "s.db")
            run = self.code(2, folder, "s.json", "-o", "s.db", "--vary", "osts=1,2")
            self.assertIn("holds another sweep", run.err)

    def test_two_at_once_do_no_harm(self):
        with Folder(SCENARIO % '{ "osts": { "from": 4, "to": 63, "n": 60 } }') as folder:
            self.code(0, folder, "plan", "s.json", "-o", "s.db")
            both = [folder.start("run", "s.db") for _ in range(2)]
            for process in both:
                out, err = process.communicate(timeout=program.patience(120))
                self.assertEqual(process.returncode, 0, out + err)
            self.code(0, folder, "s.json", "-o", "whole.db")
            self.assertEqual(folder.content("s.db"), folder.content("whole.db"))


class Shards(SweepTest):
    def setUp(self):
        self.folder = Folder(SCENARIO % '{ "osts": { "from": 4, "to": 23, "n": 20 } }')
        self.addCleanup(self.folder.temporary.cleanup)
        self.code(0, self.folder, "s.json", "-o", "whole.db")
        self.code(0, self.folder, "plan", "s.json", "-o", "s.db")

    def test_three_parts_collected_are_one_run(self):
        for shard in ("1/3", "2/3", "3/3"):
            self.code(0, self.folder, "run", "s.db", "--shard", shard)
            self.code(0, self.folder, "run", "s.db", "--shard", shard)  # does nothing more
        self.assertEqual(count(self.folder), 0)
        self.assertIn("20 done", self.code(0, self.folder, "status", "s.db").out)
        collected = self.code(0, self.folder, "collect", "s.db").out
        self.assertEqual(self.folder.content("s.db"), self.folder.content("whole.db"))
        self.assertEqual(self.folder.names(), ["s.db", "s.json", "whole.db"])
        self.assertEqual(collected, self.code(0, self.folder, "collect", "whole.db").out)

    def test_collecting_early_keeps_what_there_is(self):
        self.code(0, self.folder, "run", "s.db", "--shard", "1/2")
        self.assertIn("10 missing", self.code(3, self.folder, "collect", "s.db").out)
        self.code(0, self.folder, "run", "s.db", "--shard", "2/2")
        self.code(0, self.folder, "collect", "s.db")
        self.assertEqual(self.folder.content("s.db"), self.folder.content("whole.db"))

    def test_a_part_of_which_nothing_is_needed_any_more_is_not_waited_for(self):
        self.code(0, self.folder, "run", "s.db", "--shard", "1/2")
        def words(code, *args):
            return " ".join(self.code(code, self.folder, *args).out.split())

        self.assertIn("1 part of shards not collected yet", words(3, "status", "s.db"))
        whole = words(0, "run", "s.db")
        self.assertIn("20 done", whole)
        self.assertNotIn("of shards", whole + words(0, "status", "s.db"))

    def test_no_other_version_goes_on_with_it(self):
        with sqlite3.connect(os.path.join(self.folder.path, "s.db")) as database:
            database.execute("UPDATE meta SET value = '1' WHERE name = 'model_version'")
        for args in (("run", "s.db"), ("run", "s.db", "--shard", "1/3"), ("retry", "s.db")):
            self.assertRegex(self.code(2, self.folder, *args).err, "models 1, and this is .*, models [2-9]")
        self.assertEqual([name for name in self.folder.names() if "part" in name], [])
        self.code(3, self.folder, "status", "s.db")

    def test_launchers_say_which_part(self):
        for env, name in (
                ({"SLURM_ARRAY_TASK_ID": "11", "SLURM_ARRAY_TASK_MIN": "10",
                  "SLURM_ARRAY_TASK_COUNT": "5"}, "2-of-5"),
                ({"SLURM_PROCID": "2", "SLURM_NTASKS": "5"}, "3-of-5"),
                ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "5"}, "4-of-5"),
                ({"JOB_COMPLETION_INDEX": "4", "STALLCAST_SHARDS": "5"}, "5-of-5"),
                ({"PARALLEL_SEQ": "1", "STALLCAST_SHARDS": "5"}, "1-of-5")):
            run = self.code(0, self.folder, "run", "s.db", env=env)
            self.assertIn(name, run.err)
            self.assertIn("4 points, 4 done", run.out)
            self.assertIn("s.db.part-" + name, self.folder.names())
        self.code(0, self.folder, "collect", "s.db")
        self.assertEqual(self.folder.content("s.db"), self.folder.content("whole.db"))
        self.code(2, self.folder, "run", "s.db", env={"JOB_COMPLETION_INDEX": "4"})

    def test_a_plan_needs_no_scenario_any_more(self):
        os.remove(os.path.join(self.folder.path, "s.json"))
        self.code(0, self.folder, "run", "s.db")
        self.assertEqual(self.folder.content("s.db"), self.folder.content("whole.db"))


class Launching(SweepTest):
    def test_scripts_are_printed_and_run_the_whole_sweep(self):
        with Folder() as folder:
            self.code(0, folder, "plan", "s.json", "-o", "s.db")
            self.code(0, folder, "s.json", "-o", "whole.db")
            script = self.code(0, folder, "run", "s.db", "--engine", "slurm", "--shards", "3").out
            self.assertIn("#SBATCH --array=0-2", script)
            for task in range(3):  # what Slurm would do
                subprocess.run(["sh"], input=script, text=True, cwd=folder.path, check=True,
                               capture_output=True, timeout=program.patience(120),
                               env={**CLEAN, "SLURM_ARRAY_TASK_ID": str(task),
                                    "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_COUNT": "3"})
            self.code(0, folder, "collect", "s.db")
            self.assertEqual(folder.content("s.db"), folder.content("whole.db"))

    def test_a_script_is_given_to_the_engine_itself(self):
        with Folder() as folder:
            self.code(0, folder, "plan", "s.json", "-o", "s.db")
            for name, exit in (("good", 0), ("bad", 1)):
                os.mkdir(os.path.join(folder.path, name))
                path = os.path.join(folder.path, name, "sbatch")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\ncat > {name}.sh\necho 4711\nexit {exit}\n")
                os.chmod(path, 0o755)
                env = {"PATH": os.path.join(folder.path, name) + ":" + os.environ["PATH"]}
                run = self.code(2 if exit else 0, folder, "run", "s.db", "--engine", "slurm",
                                "--submit", env=env)
                self.assertEqual(run.out, "4711\n")
                with open(os.path.join(folder.path, name + ".sh"), encoding="utf-8") as file:
                    self.assertIn("sweep run s.db", file.read())

    def test_an_unknown_engine_and_an_incomplete_request_are_exit_two(self):
        with Folder() as folder:
            self.code(0, folder, "plan", "s.json", "-o", "s.db")
            self.code(2, folder, "run", "s.db", "--engine", "ray")
            self.code(2, folder, "run", "s.db", "--engine", "k8s")
            self.code(2, folder, "run", "none.db", "--engine", "slurm")


if __name__ == "__main__":
    program.main()
