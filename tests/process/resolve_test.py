"""`resolve`: one value with its unit and source, and the whole as one file.

Usage: resolve_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import subprocess
import tempfile
import unittest

import program
from program import Run, main

BASE = """{
  "id": "base",
  "params": { "boxes": { "value": 2, "min": 1, "max": 8 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": "=4 * boxes", "read": "3 GB/s +- 10 %" },
                 "oss": { "count": 2 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "200 ms" },
    "dataset": { "on": "scratch", "format": "tokens", "sample": "16 KiB", "size": "1 TB" },
    "loader": { "type": "pytorch", "workers": 4, "batch": 64 } } ],
  "run": { "duration": "1 min" },
  "scenarios": { "more": { "params": { "boxes": 4 } } }
}
"""


def get(path, *args, text=BASE):
    """What `resolve --get` says of one path as JSON."""
    done = Run("resolve", "FILE", "--get", path, "--format", "json", *args, text=text)
    assert done.code == 0, done.err
    return json.loads(done.out)["values"][path]


class OneValueTest(unittest.TestCase):
    def test_paths_are_those_of_set_and_values_those_of_a_file(self):
        done = Run("resolve", "FILE", "--get", "storage.ost.count", "--get", "jobs[train].step.compute", "--get",
                   "host.gpu.use", text=BASE)
        self.assertEqual((done.code, done.out), (0, "8\n200 ms\nhost/dgx-h100\n"), done.err)

    def test_json_has_the_number_its_unit_range_and_source(self):
        value = get("storage.ost.read")
        self.assertEqual((value["value"], value["number"], value["unit"]), ("3 GB/s", 3e9, "B/s"))
        self.assertEqual(value["ci90"], [2.7e9, 3.3e9])
        self.assertTrue(value["source"].endswith(":5:93"), value["source"])
        self.assertFalse(value["assumption"])

    def test_parameters_have_values_and_options_and_variants_count(self):
        self.assertEqual(get("params.boxes")["value"], 2)
        self.assertEqual(get("params.boxes", "--variant", "more")["value"], 4)
        self.assertEqual(get("storage.ost.count", "--set", "params.boxes=3")["value"], 12)

    def test_a_parameter_with_a_unit_is_told_in_the_base_unit(self):
        text = BASE.replace('"params": {', '"params": { "pace": { "value": "2 min", "max": "4 min" },').replace(
            '"200 ms"', '"=pace"')
        pace = get("params.pace", text=text)
        self.assertEqual((pace["value"], pace["number"], pace["unit"]), ("2 min", 120, "s"))
        self.assertNotIn("unit", get("params.boxes", text=text))

    def test_a_part_of_a_job_that_was_left_out_is_null(self):
        for part in ("checkpoint", "elastic", "recovery", "communication"):
            self.assertIsNone(get("jobs.train." + part)["value"], part)

    def test_a_whole_part_is_an_object_and_what_was_left_out_is_null(self):
        self.assertEqual(get("storage.oss")["value"]["count"], 2)
        self.assertIsNone(get("storage.ost.price")["value"])

    def test_a_path_that_leads_nowhere_is_bad_input_with_the_nearest(self):
        for path, hint in (("storage.ost.cuont", '"count"'), ("params.boxs", '"boxes"'), ("storge.ost", '"storage"'),
                           ("storage[scrath].ost", '"scratch"'), ("jobs.train.step.compute.x", ""), ("", "write")):
            done = Run("resolve", "FILE", "--get", path, text=BASE)
            self.assertEqual((done.code, done.out), (2, ""), path)
            self.assertIn(hint, done.err, path)

    def test_forms_that_exclude_each_other_are_refused(self):
        self.assertEqual(Run("resolve", "FILE", "--get", "id", "--merged", text=BASE).code, 2)


class OutputTest(unittest.TestCase):
    """Of any verb: what is read is not written over."""

    def test_an_output_that_is_an_input_is_refused_and_left_as_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(BASE)
            os.symlink(path, os.path.join(folder, "link.json"))
            for args in (["resolve", "mine.json", "-o", "mine.json"], ["run", "mine.json", "--format", "json", "-o", "./mine.json"],
                         ["check", "mine.json", "--report", "junit:link.json"], ["check", "link.json", "-o", "mine.json"],
                         ["diff", "mine.json", "link.json", "-o", "mine.json"], ["run", "mine.json", "--trace", "mine.json"],
                         ["compare", "mine.json", "mine.json", "--format", "html", "-o", path]):
                done = subprocess.run([program.STALLCAST, *args], capture_output=True, text=True, cwd=folder, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""), args)
                self.assertRegex(done.stderr, r'--(output|report|trace) would write over "\S+", which is read \(\w+\)\nhint: name another')
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), BASE, args)
            done = subprocess.run([program.STALLCAST, "resolve", "mine.json", "-o", "other.json"], cwd=folder, check=False)
            self.assertEqual(done.returncode, 0)


class MergedTest(unittest.TestCase):
    def test_it_is_one_file_of_the_same_design_with_expressions_and_products_as_written(self):
        with tempfile.TemporaryDirectory() as folder:
            def call(*args):
                done = subprocess.run([program.STALLCAST, *args], capture_output=True, text=True, cwd=folder,
                                      check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                return done.stdout

            for name, text in (("base.json", BASE), ("mine.json", '{ "extends": "base.json", "id": "mine" }')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            words = ("--variant", "more", "--set", "storage.oss.count=4")
            merged = json.loads(call("resolve", "mine.json", "--merged", *words))
            self.assertEqual(merged["id"], "mine")
            self.assertNotIn("extends", merged)
            self.assertEqual(merged["storage"][0]["ost"]["count"], "=4 * boxes")
            self.assertEqual(merged["cluster"]["hosts"][0]["use"], "host/dgx-h100")
            os.mkdir(os.path.join(folder, "elsewhere"))
            with open(os.path.join(folder, "elsewhere", "one.json"), "w", encoding="utf-8") as file:
                json.dump(merged, file)
            self.assertEqual(call("resolve", "elsewhere/one.json"), call("resolve", "mine.json", *words))


if __name__ == "__main__":
    main()
