"""The command line as a script or a CI job sees it: exit codes, streams, files, signals.

Usage: cli_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import tempfile
import unittest

import program
from program import Run


SCENARIO = """{
  // 32 GPUs; one blocking save of 100 GB a minute.
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 8, "read": "4 GB/s", "write": "4 GB/s" } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" }
  } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 2 },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= %s" } ],
}
"""
EASY = SCENARIO.replace("%s", "10 %")
HARD = SCENARIO.replace("%s", "99.9 %")
LOCATED = re.compile(r"^[^:\n]+:\d+:\d+: /\S*: .+$", re.M)


class ExitCodes(unittest.TestCase):
    def code(self, wanted, *args, **kwargs):
        run = Run(*args, **kwargs)
        self.assertEqual(run.code, wanted, run.out + run.err)
        return run

    def test_zero_when_all_targets_hold(self):
        self.code(0, "run", "FILE", text=EASY)

    def test_zero_without_targets(self):
        text = EASY.replace('{ "id": "util", "that": "job.train.gpu.utilization >= 10 %" }', "")
        self.code(0, "run", "FILE", text=text)

    def test_one_when_a_target_is_missed(self):
        run = self.code(1, "run", "FILE", text=HARD)
        self.assertTrue(run.out.startswith("small: FAIL"))

    def test_zero_when_only_a_warning_is_missed(self):
        text = HARD.replace('"id": "util",', '"id": "util", "level": "warn",')
        self.code(0, "run", "FILE", text=text)

    def test_one_when_no_count_meets_the_targets(self):
        run = self.code(1, "plan", "FILE", text=HARD)
        self.assertIn("INFEASIBLE", run.out)

    def test_two_for_wrong_usage(self):
        for args in ([], ["rnu", "x"], ["run"], ["run", "a", "b"], ["run", "FILE", "--sed", "1"],
                     ["run", "FILE", "--seed", "x"], ["run", "FILE", "--replicas", "0"],
                     ["run", "FILE", "--time-limit", "5"], ["run", "FILE", "--format", "xml"],
                     ["validate", "FILE", "--picture", "p.svg"], ["run", "FILE", "--trace-ranks", "worst"],
                     ["catalog", "show", "no/such"], ["init", "no-such"], ["import", "x", "y"],
                     ["probe", "ioo"], ["probe", "io"], ["validate", "--from", "x", "y"],
                     ["calibrate", "FILE"], ["run", "FILE", "--profile", "FILE"]):
            run = self.code(2, *args, text=EASY)
            self.assertEqual(run.out, "", args)
            self.assertIn("hint: ", run.err, args)

    def test_two_for_a_missing_file(self):
        self.assertIn("No such file", self.code(2, "run", "/no/such/file.json").err)

    def test_two_for_bad_input_with_place_pointer_and_hint(self):
        text = EASY.replace('"count": 8', '"cuont": 8').replace('"4 GB/s"', "4")
        run = self.code(2, "run", "FILE", text=text)
        self.assertGreaterEqual(len(LOCATED.findall(run.err)), 3, run.err)
        self.assertIn("/storage/0/ost/cuont: ", run.err)
        self.assertIn('did you mean "count"?', run.err)
        self.assertIn("^", run.err)
        self.assertEqual(run.out, "")

    def test_two_for_what_is_no_scenario(self):
        for text in ("", "null", "[]", "{}", "{", '"x"', "\x00"):
            for verb in ("run", "lint", "resolve", "plan", "explain"):
                self.assertRegex(self.code(2, verb, "FILE", text=text).err, LOCATED, text)

    def test_two_for_an_unknown_metric_never_a_pass(self):
        run = self.code(2, "run", "FILE", text=EASY.replace("utilization", "utilisation"))
        self.assertRegex(run.err, LOCATED)
        self.assertIn("job.train.gpu.utilization", run.err)

    def test_two_for_a_limit_without_its_unit(self):
        run = self.code(2, "run", "FILE", text=EASY.replace("10 %", "10"))
        self.assertIn("must be", run.err)

    def test_two_for_an_output_that_cannot_be_written(self):
        self.code(2, "run", "FILE", "--output", "/no/such/folder/x", text=EASY)

    def test_three_when_time_runs_out(self):
        # So long a run that no replica ends before the limit is looked at.
        long = EASY.replace('"compute": "1 s"', '"compute": "1 s", "jitter": "5 %"').replace('"10 min"', '"3000 h"')
        self.code(3, "run", "FILE", "--time-limit", "1 us", text=long)

    def test_three_when_the_interval_straddles_the_limit(self):
        first = json.loads(Run("run", "FILE", "--format", "json", "--no-advice", text=EASY).out)
        metric = first["metrics"]["job.train.gpu.utilization"]
        self.assertLess(metric["ci95"][0], metric["ci95"][1])
        self.code(3, "run", "FILE", text=SCENARIO.replace("%s", f"{100 * metric['value']:.9f} %"))

    def test_help_and_version_are_zero(self):
        self.assertIn("usage: ", self.code(0, "--help").out)
        self.assertRegex(self.code(0, "--version").out, r"^stallcast \d+\.\d+\.\d+(-rc\d+)?( \([0-9a-f]{12}\+?\))?\n$")
        self.assertRegex(self.code(0, "--version", "-v").out,
                         r"(?s)models \d+\nscenario format 1\.0\nsimulator /.*stallcast-sim\n"
                         r"sandbox of simulations: (seccomp|none: built with a sanitizer.*)\n$")
        for verb in ("run", "plan", "explain", "lint", "resolve", "schema", "init", "catalog",
                     "import", "observe", "sweep"):
            help_text = self.code(0, verb, "--help").out
            self.assertLessEqual(max(map(len, help_text.splitlines())), 80)


class Streams(unittest.TestCase):
    def test_the_same_input_gives_the_same_bytes(self):
        for form in ("text", "json", "csv", "markdown"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "s.json")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(HARD)
                runs = [subprocess.run([program.STALLCAST, "run", path, "--format", form, "--jobs", jobs],
                                       capture_output=True, check=False).stdout
                        for jobs in ("1", "2", "2")]
            self.assertEqual(runs[0], runs[1])
            self.assertEqual(runs[1], runs[2])

    def test_json_is_the_agreed_result(self):
        run = Run("run", "FILE", "--format", "json", text=HARD)
        result = json.loads(run.out)
        self.assertEqual(run.err, "")
        self.assertEqual(result["schema"], "stallcast.result/1")
        for key in ("tool", "scenario", "verdict", "assertions", "metrics", "breakdown",
                    "bottlenecks", "warnings", "elapsed"):
            self.assertIn(key, result)
        self.assertEqual(result["verdict"], "fail")
        self.assertAlmostEqual(sum(result["breakdown"]["train"].values()), 1.0, delta=1e-9)
        for metric in result["metrics"].values():
            self.assertIsInstance(metric["value"], float)
            self.assertIn(metric["unit"],
                          ("s", "B", "B/s", "ratio", "count", "1/s", "USD", "USD/h", "cores"))
        for assertion in result["assertions"]:
            self.assertLessEqual({"value", "unit", "status", "level", "limited_by"}, set(assertion))
        self.assertIsNone(result["elapsed"]["wall_s"])

    def test_csv_is_tidy(self):
        rows = list(csv.reader(io.StringIO(Run("run", "FILE", "--format", "csv", text=EASY).out)))
        self.assertEqual(rows[0], ["scenario", "metric", "stat", "value", "unit"])
        self.assertTrue(all(len(row) == 5 for row in rows))
        self.assertTrue(all(float(row[3]) == float(row[3]) for row in rows[1:]))

    def test_no_colour_without_a_terminal(self):
        self.assertNotIn("\x1b", Run("run", "FILE", text=HARD).out)

    def test_colour_on_a_terminal_unless_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(EASY)
            for args, env, colour in ((["--no-advice"], {}, True), (["--no-color"], {}, False),
                                      ([], {"NO_COLOR": "1"}, False), ([], {"TERM": "dumb"}, False)):
                main, side = pty.openpty()
                environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
                subprocess.run([program.STALLCAST, "run", path, *args], stdout=side,
                               stderr=subprocess.DEVNULL, env={**environment, **env}, check=False)
                os.close(side)
                text = b""
                try:
                    while chunk := os.read(main, 65536):
                        text += chunk
                except OSError:
                    pass
                os.close(main)
                self.assertEqual(b"\x1b[" in text, colour, (args, env))

    def test_output_file_holds_the_report_and_nothing_is_left_behind(self):
        run = Run("run", "FILE", "--output", "report.json", "--format", "json", text=EASY)
        self.assertEqual((run.code, run.out), (0, ""))
        self.assertEqual(run.left, ["report.json", "s.json"])

    def test_a_scenario_on_standard_input(self):
        run = Run("run", "-", stdin=EASY)
        self.assertEqual(run.code, 0, run.err)

    def test_a_closed_pipe_is_quiet(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(EASY)
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([program.STALLCAST, "run", path], stdout=write, stderr=subprocess.PIPE,
                                  check=False)
            os.close(write)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_options_before_the_verb(self):
        self.assertEqual(Run("--quiet", "--seed", "3", "run", "FILE", text=EASY).code, 0)

    def test_set_overrides_the_scenario(self):
        def size(*args):
            out = Run("run", "FILE", "--format", "json", "--no-advice", *args, text=EASY).out
            return json.loads(out)["metrics"]["job.train.checkpoint.size"]["value"]
        self.assertEqual(size(), 100e9)
        self.assertEqual(size("--set", "jobs.checkpoint.size=200 GB"), 200e9)


class Signals(unittest.TestCase):
    def interrupted(self, text, number, seen):
        """Exit code and report of a run that gets a signal once its progress bar shows `seen`."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            main, side = pty.openpty()
            process = subprocess.Popen([program.STALLCAST, "run", path], stdout=subprocess.PIPE,
                                       stderr=side, cwd=folder, env={**os.environ, "TERM": "xterm"})
            os.close(side)
            bar = b""
            while not re.search(seen, bar):
                bar += os.read(main, 4096)
            process.send_signal(number)
            out, _ = process.communicate(timeout=program.patience(60))
            os.close(main)
            return process.returncode, out.decode()

    def test_interrupted_ends_with_the_signals_code(self):
        # Far too long to finish: ten years of simulated time, many replicas.
        text = EASY.replace("10 min", "3650 d").replace('"replicas": 2', '"replicas": 1000')
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.assertEqual(self.interrupted(text, number, rb"0 %")[0], code)

    def test_what_was_finished_is_reported(self):
        text = EASY.replace("10 min", "2 d").replace('"replicas": 2', '"replicas": 1000')
        code, out = self.interrupted(text, signal.SIGINT, rb" [1-9][0-9]? %")
        self.assertEqual(code, 130)
        self.assertTrue(out.startswith("small: INCONCLUSIVE"), out)
        self.assertRegex(out, r"only \d+ of\s+1000\s+replicas\s+finished")


class Verbs(unittest.TestCase):
    def test_every_template_is_listed_lints_and_runs(self):
        names = [line for line in Run("init", "--list").out.splitlines() if line[0] != " "]
        self.assertEqual((len(names) > 2, Run("init").out), (True, Run("init", "llm-sync-ckpt").out))
        for name in names:
            text = Run("init", name).out
            self.assertEqual(Run("lint", "FILE", text=text).code, 0, name)
            self.assertIn(Run("run", "FILE", "--no-advice", "--replicas", "2", text=text).code, (0, 1, 3), name)

    def test_resolve_gives_a_scenario_that_predicts_the_same(self):
        first = json.loads(Run("run", "FILE", "--format", "json", "--no-advice", text=HARD).out)
        resolved = Run("resolve", "FILE", text=HARD).out
        json.loads(resolved)
        again = json.loads(Run("run", "FILE", "--format", "json", "--no-advice", text=resolved).out)
        self.assertEqual(first["metrics"], again["metrics"])
        self.assertEqual(first["scenario"]["sha256"], again["scenario"]["sha256"])

    def test_what_is_json_anyway_may_be_asked_for_as_json(self):
        for args in (("resolve", "FILE"), ("schema",)):
            plain, asked = (Run(*args, *more, text=EASY) for more in ((), ("--format", "json")))
            self.assertEqual((json.loads(asked.out) != {}, asked.out), (True, plain.out))
        for more in (("--format", "csv"), ("--format", "json", "--provenance")):
            run = Run("resolve", "FILE", *more, text=EASY)
            self.assertEqual((run.code, "hint: " in run.err), (2, True))

    def test_schema_is_json(self):
        self.assertIn("$schema", json.loads(Run("schema").out))

    def test_catalog_shows_the_longest_entry_of_each_kind_and_section(self):
        entries = sorted(json.loads(Run("catalog", "list", "--format", "json").out), key=lambda e: len(str(e)))
        self.assertEqual(len({e["id"] for e in entries}), len(entries))
        longest = {tuple(map(e.get, ("what", "role", "kind", "section"))): e["id"] for e in entries}
        self.assertGreater(len(longest), 80)
        for asked in [["show", name] for name in longest.values()] + [["host/dgx-h100"]]:
            self.assertEqual(Run("catalog", *asked).out.splitlines()[0], asked[-1])

    def test_import_gives_a_scenario_that_runs(self):
        workload = ("framework: pytorch\nworkflow: {train: true}\n"
                    "dataset: {format: npz, num_files_train: 64, num_samples_per_file: 1, "
                    "record_length_bytes: 1000000}\n"
                    "reader: {batch_size: 4, read_threads: 2}\n"
                    "train: {epochs: 1, computation_time: 0.1}\n")
        made = Run("import", "dlio", "FILE", "--accelerators", "8", text=workload)
        self.assertEqual(made.code, 0, made.err)
        self.assertEqual(Run("run", "FILE", text=made.out).code, 0)

    def test_validate_audits_a_folder_of_claims(self):
        claims = """{ "schema": "stallcast.claims/1", "id": "f", "title": "T", "claims": [ {
          "id": "X1", "claim": "c", "verdict": "right",
          "checks": [ { "compute": "2 * 3", "claimed": "%s" } ] } ] }"""

        def audit(figure, *options):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "c.json"), "w", encoding="utf-8") as file:
                    file.write(claims % figure)
                return Run("validate", folder, *(options or ["--format", "csv"]))
        self.assertEqual([audit(6, *o).code for o in ([], ["--format", "html"], ["--picture", "p"])], [0, 2, 2])
        self.assertEqual(list(csv.DictReader(io.StringIO(audit(6).out)))[0]["agrees"], "yes")
        wrong = audit(7)
        self.assertEqual(wrong.code, 1)
        self.assertEqual(list(csv.DictReader(io.StringIO(wrong.out)))[0]["agrees"], "no")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(Run("validate", folder).code, 2)

    def test_validate_compares_with_what_was_measured(self):
        def cases(metric, value):
            with tempfile.TemporaryDirectory() as folder:
                case = {"id": "one", "scenario": "s.json", "source": "log", "measured": {metric: value}}
                files = {"s.json": HARD,  # its missed target is no matter to a comparison
                         "c.json": json.dumps({"id": "c", "title": "T", "cases": [case]}, indent=1)}
                for name, content in files.items():
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                        file.write(content)
                return Run("validate", os.path.join(folder, "c.json"), "--format", "json")

        size = "job.train.checkpoint.size"
        run = cases(size, "50 GB")
        self.assertEqual(run.code, 0, run.err)
        case = json.loads(run.out)["cases"][0]
        self.assertEqual(case["predicted"][size]["value"], 100e9)
        self.assertAlmostEqual(case["error"][size]["value"], 100.0)  # percent
        for metric, value in (("job.train.nothing", "1 s"), (size, "1 s"), (size, "1 GBB")):
            run = cases(metric, value)
            self.assertEqual((run.code, run.out), (2, ""))
            self.assertRegex(run.err, r"c\.json:10:\d+: /cases/0/measured/")

    def test_plan_names_the_answer_and_its_neighbours(self):
        text = SCENARIO.replace("%s", "90 %")
        result = json.loads(Run("plan", "FILE", "--format", "json", text=text).out)
        self.assertEqual(result["schema"], "stallcast.result/1")
        plan = result["plan"]
        self.assertEqual(plan["status"], "found")
        self.assertEqual(result["metrics"][plan["metric"]]["value"], plan["required"])
        points = {p["count"]: p["meets"] for p in plan["points"]}
        self.assertTrue(points[plan["required"]])
        self.assertTrue(points[plan["required"] + 1])
        if plan["required"] > 1:
            self.assertFalse(points[plan["required"] - 1])

    def test_plan_without_targets_says_what_to_add(self):
        text = EASY.replace('{ "id": "util", "that": "job.train.gpu.utilization >= 10 %" }', "")
        run = Run("plan", "FILE", text=text)
        self.assertEqual(run.code, 2)
        self.assertIn('"expect"', run.err)

    def test_plan_checks_what_only_it_computes(self):
        more = '{ "id": "n", "that": "storage.scratch.osts.required <= %d" },'
        text = SCENARIO.replace("%s", "90 %").replace('"expect": [', '"expect": [' + more)
        self.assertEqual(Run("plan", "FILE", text=text.replace("%d", "4096")).code, 0)
        self.assertEqual(Run("plan", "FILE", text=text.replace("%d", "0")).code, 1)

    def test_explain_takes_numbers_apart_down_to_inputs_and_their_sources(self):
        out = Run("explain", "FILE", "job.train.checkpoint.duration", text=HARD).out
        self.assertIn("ost_count = 8  [storage[scratch].ost.count]", out)
        self.assertRegex(out, r"s\.json:\d+:\d+")
        self.assertLessEqual(max(len(line) for line in out.splitlines()), 80)

    def test_explain_names_the_nearest_metric_of_one_that_is_not_there(self):
        run = Run("explain", "FILE", "job.train.gpu.utilisation", text=HARD)
        self.assertEqual(run.code, 2)
        self.assertIn('did you mean "job.train.gpu.utilization"?', run.err)

    def test_explain_without_simulating_gives_closed_forms_only(self):
        run = Run("explain", "FILE", "--no-simulation", "--format", "json", text=HARD)
        self.assertEqual(run.code, 0)
        explained = json.loads(run.out)
        self.assertIsNone(explained["result"])
        self.assertEqual(explained["what_if"], [])
        self.assertNotIn("simulated", json.dumps(explained["trees"]))

    def test_an_option_takes_one_value_and_leaves_the_next_word(self):
        run = Run("explain", "FILE", "--set", "storage.ost.count=4", "job.train.ranks", text=HARD)
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("job.train.ranks = ", run.out)

    def test_what_ifs_are_as_many_as_asked_and_simulated_alike(self):
        run = Run("explain", "FILE", "--what-if", "1", "--format", "json", text=HARD)
        changes = json.loads(run.out)["what_if"]
        self.assertEqual(len(changes), 1)
        again = Run("run", "FILE", "--set", changes[0]["set"], "--no-advice", "--format", "json", text=HARD)
        self.assertAlmostEqual(json.loads(again.out)["metrics"]["job.train.gpu.utilization"]["value"],
                               changes[0]["utilization"], places=12)


if __name__ == "__main__":
    program.main()
