"""Tables of measurements, predicted row by row: validate --from.

Usage: row_validation_test.py PATH_OF_STALLCAST [unittest options].
"""

import csv
import io
import json
import os
import tempfile
import unittest

import program
from program import Run


class Rows(unittest.TestCase):
    CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "calibration",
                         "cases", "mlperf-storage-v1.csv")
    of_json = None

    def setUp(self):
        with open(self.CASES, encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        # One drive, two rows: one that calibrates, and one that is predicted.
        self.table = "".join([lines[0]] + [line for line in lines if line.startswith("mic6500:unet3d")])

    def predicted(self, *args):
        return Run("validate", "--from", "mlperf-csv", "FILE", "--draws", "4", *args, text=self.table)

    def in_json(self):
        """Its rows, predicted once for all tests."""
        if not Rows.of_json:
            Rows.of_json = json.loads(self.predicted("--format", "json").out)
        return Rows.of_json

    def test_rows_of_a_table_are_predicted_in_80_columns(self):
        run = self.predicted()
        self.assertEqual(run.code, 0, run.err)
        self.assertLessEqual(max(map(len, run.out.splitlines())), 80)
        result = self.in_json()
        self.assertEqual(len(result["cases"]), 2)
        for case in result["cases"]:
            self.assertEqual(case["method"], "simulated")
            for figure in case["predicted"].values():
                low, high = figure["ci90"]
                self.assertTrue(low <= figure["value"] <= high, case["case_id"])

    def test_intervals_are_held_to_what_was_measured_and_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "rows.svg")
            result = json.loads(self.predicted("--format", "json", "--picture", picture).out)
            with open(picture, encoding="utf-8") as file:
                self.assertTrue(file.read().startswith("<svg xmlns="))
        scored = [c for c in result["cases"] if not c["calibrates"]]
        self.assertEqual(len(scored), 1)
        case = scored[0]
        found = {c["metric"]: c for c in result["coverage"]["classes"]}
        low, high = case["predicted"]["au_raw"]["ci90"]
        inside = low <= case["measured"]["au_raw"] <= high
        levels = found["au_raw"]["levels"]
        self.assertEqual([x["nominal"] for x in levels], [0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
        self.assertEqual(levels[4]["inside"], int(inside))
        self.assertAlmostEqual(found["au_raw"]["median_half_width_90"]["value"], (high - low) / 2)
        missed = [m["case_id"] for m in result["coverage"]["missed"] if m["metric"] == "au_raw"]
        self.assertEqual(missed, [] if inside else [case["case_id"]])

    def test_more_draws_of_a_row_say_something_else(self):
        def intervals(result):
            return [c["predicted"]["au_raw"]["ci90"] for c in result["cases"]]
        more = Run("validate", "--from", "mlperf-csv", "FILE", "--draws", "8", "--format", "json", text=self.table)
        self.assertNotEqual(intervals(self.in_json()), intervals(json.loads(more.out)))

    def test_the_scenario_of_a_row_runs_and_gives_what_is_said_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.join(folder, "made")
            self.assertEqual(self.predicted("--scenarios", folder).code, 0)
            names = sorted(name for name in os.listdir(folder) if not name.endswith(".profile.json"))
            self.assertEqual(len(names), 2, names)
            last = os.path.join(folder, names[-1])
            run = Run("run", last, "--profile", last.replace(".json", ".profile.json"), "--no-advice", "--format", "json")
            self.assertEqual((run.code, f'"id": "{names[-1][:-5]}"' in run.out), (0, True), run.err)
            au = json.loads(run.out)["metrics"]["job.train.au"]["value"]
            self.assertTrue(0.9 < au < 1.0, au)

    def test_rows_that_are_not_predicted_are_counted_and_named(self):
        one = self.table.replace("mic6500:unet3d-h100:h1:n1,mic6500:unet3d-a100:h1:n3,mic6500,unet3d",
                                 "mic6500:unet3d-h100:h1:n1,mic6500:unet3d-a100:h1:n3,mic6500,bert")
        run = Run("validate", "--from", "mlperf-csv", "FILE", "--draws", "4", "--sheets-only", text=one)
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("1 of 2 rows are not predicted", run.err)
        self.assertIn('mic6500:unet3d-h100:h1:n1: "bert" in column', " ".join(run.err.split()))
        self.assertIn('mic6500:unet3d-h100:h1:n1: "bert" in column', " ".join(run.out.split()))
        table = Run("validate", "--from", "mlperf-csv", "FILE", "--draws", "4", "--sheets-only", "--format", "csv", text=one).out
        left, = [row for row in csv.DictReader(io.StringIO(table)) if not row["predicted"]]
        self.assertEqual((left["case"], left["metric"]), ("mic6500:unet3d-h100:h1:n1", ""))
        self.assertIn('"bert" in column', left["notes"])
        none = Run("validate", "--from", "mlperf-csv", "FILE", "--quiet", text=one.replace("unet3d,", "bert,"))
        self.assertEqual(none.code, 2)
        self.assertIn("2 of 2 rows are not predicted", none.err)

    def test_a_constant_is_the_mean_of_other_systems_without_calibration_rows_too(self):
        with open(self.CASES, encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        two = [line for line in lines if line.startswith(("nut4_1:resnet50-a100", "mango_amd_dpu:resnet50-a100"))]
        self.assertEqual(len(two), 2)
        run = Run("validate", "--from", "mlperf-csv", "FILE", "--draws", "4", "--sheets-only", "--format", "json",
                  text="".join([lines[0]] + two))
        a, b = json.loads(run.out)["cases"]
        self.assertEqual((a["baselines"]["constant"]["au"], b["baselines"]["constant"]["au"]),
                         (b["measured"]["au"], a["measured"]["au"]))

    def test_a_fault_of_the_table_is_named_with_its_place(self):
        run = Run("validate", "--from", "mlperf-csv", "FILE",
                  text="case_id,workload,accel,num_hosts\na,unet3d,h100,two\n")
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertRegex(run.err, r"s\.json:2:15: .*is not a number")


class Grid(unittest.TestCase):
    DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "calibration", "data")

    def setUp(self):
        with open(os.path.join(self.DATA, "grid.csv"), encoding="utf-8") as file:
            self.table = file.read()

    def predict(self, table, *options, probes="grid-probes"):
        return Run("validate", "--from", "groundtruth-csv", "FILE", "--probes",
                   os.path.join(self.DATA, probes), "--replicas", "2", "--format", "json", *options,
                   text=table)

    def cases(self, table):
        run = self.predict(table)
        self.assertEqual(run.code, 0, run.err)
        return json.loads(run.out)["cases"]

    def test_a_grid_is_predicted_from_its_probes(self):
        cases = self.cases(self.table)
        self.assertEqual([c["case_id"] for c in cases], ["a", "b", "c"])
        for case in cases:
            for metric in ("au", "step_ms", "first_batch_ms", "ckpt_stall_s"):
                said = case["predicted"][metric]
                self.assertLessEqual(said["ci90"][0], said["value"])
                self.assertLessEqual(said["value"], said["ci90"][1])
            # Names that tables of other layouts have.
            said = case["predicted"]
            self.assertEqual(said["au_raw"], said["au"])
            for of in (lambda figure: [figure["value"]], lambda figure: figure["ci90"]):
                for seconds, ms in zip(of(said["step_time_s"]), of(said["step_ms"])):
                    self.assertAlmostEqual(1e3 * seconds, ms, places=9)
        # Compute takes 20 ms and a sleep's 0.2 ms more.
        self.assertGreater(cases[0]["predicted"]["step_ms"]["value"], 20.2)
        # Two saves of 32 MiB at 65.5 MB/s.
        self.assertGreater(cases[2]["predicted"]["ckpt_stall_s"]["value"], 2 * 33.55 / 70)

    def test_a_row_without_steady_steps_or_a_scenario_is_not_predicted(self):
        header, row, *_ = self.table.splitlines()
        at = header.split(",").index("batch")
        def with_batch(batch):
            cells = row.split(",")
            cells[0], cells[at] = str(batch), str(batch)
            return ",".join(cells)
        run = self.predict("\n".join([header, row] + [with_batch(b) for b in (512, 1024)]) + "\n")
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("2 of 3 rows are not predicted", run.err)
        cases = json.loads(run.out)["cases"]
        self.assertEqual([bool(c["predicted"]) for c in cases], [True, False, False])
        for case in cases[1:]:
            self.assertIn("not predicted: ", case["notes"][0])

    def test_the_same_is_said_however_many_simulations_run_at_a_time(self):
        self.assertEqual(self.predict(self.table).out, self.predict(self.table, "--jobs", "2").out)

    def test_what_was_measured_is_not_read_and_rows_do_not_depend_on_others(self):
        header, row, *_ = self.table.splitlines()
        alone = self.cases(header + "\n" + ",".join(row.split(",")[:-4]) + ",,,,\n")
        self.assertEqual(alone[0]["predicted"], self.cases(self.table)[0]["predicted"])
        self.assertEqual(alone[0]["measured"], {})

    def test_more_draws_of_a_row_say_something_else(self):
        few, more = self.predict(self.table), self.predict(self.table, "--draws", "6")
        self.assertNotEqual(*(json.loads(run.out)["cases"][0]["predicted"]["step_ms"]["ci90"] for run in (few, more)))

    def test_a_measured_zero_is_nothing_to_be_off_by(self):
        lines = self.table.splitlines()
        lines[3] = ",".join(lines[3].split(",")[:-1] + ["0"])
        run = self.predict("\n".join(lines) + "\n")
        self.assertEqual(run.code, 0, run.err)
        result = json.loads(run.out)
        self.assertEqual(result["cases"][2]["unscored"], ["ckpt_stall_s"])
        def printed(how):
            return Run("validate", "--from", "groundtruth-csv", "FILE", "--probes", os.path.join(self.DATA, "grid-probes"),
                       "--draws", "4", "--format", how, text="\n".join(lines) + "\n").out
        said = {(row["case"], row["metric"]): row["scored"] for row in csv.DictReader(io.StringIO(printed("csv")))}
        self.assertEqual((said["a", "step_ms"], said["c", "step_ms"], said["c", "ckpt_stall_s"]), ("yes", "no", "no"))
        self.assertIn("inside the 90 % interval", printed("html"))
        self.assertIn("ckpt_stall_s: nothing was measured", " ".join(result["cases"][2]["notes"]))
        self.assertEqual([e for e in result["errors"] if e["metric"] == "ckpt_stall_s"], [])
        lines[3] = ",".join(lines[3].split(",")[:-1] + ["-1"])
        run = self.predict("\n".join(lines) + "\n")
        self.assertEqual(run.code, 2)
        self.assertRegex(run.err, r":4:\d+: .*is below 0")

    def test_an_au_that_no_job_has_is_not_measured(self):
        lines = self.table.splitlines()
        cells = lines[1].split(",")
        cells[lines[0].split(",").index("au")] = "1.3"
        row = self.cases("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n")[0]
        self.assertNotIn("au", row["measured"])
        self.assertIn("step_ms", row["measured"])
        self.assertIn("au is 130.0 %, above 100 %: it counts as not measured", row["notes"])

    def test_options_that_say_nothing_here_are_refused(self):
        self.assertIn("writes no scenarios", self.predict(self.table, "--scenarios", "s").err)
        table = Run("validate", "--from", "mlperf-csv", "FILE", "--probes", self.DATA, text="case_id\n")
        self.assertEqual((table.code, "not calibrated from probes" in table.err), (2, True))
        cases = os.path.join(os.path.dirname(Rows.CASES), "page-cache.json")
        for option in (("--sheets-only",), ("--probes", self.DATA), ("--scenarios", "s")):
            run = Run("validate", cases, *option)
            self.assertEqual((run.code, "--from LAYOUT" in run.err), (2, True), option)

    def test_a_folder_without_probes_is_an_error_that_names_the_files(self):
        run = self.predict(self.table, probes="no-probes")
        self.assertEqual(run.code, 2)
        self.assertIn('there is no probe file "cpu.json"', run.err)


if __name__ == "__main__":
    program.main()
