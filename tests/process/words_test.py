"""What `stallcast explain` says of a word, and what verbs say of formats and options they lack.

Usage: words_test.py PATH_OF_STALLCAST [unittest options].
"""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import program
from program import Run


def told(word):
    run = Run("explain", word)
    assert run.code == 0, run.err
    return " ".join(run.out.split())


class Meaning(unittest.TestCase):
    def test_a_key_is_what_its_field_table_says(self):
        show = json.loads(Run("catalog", "show", "storage/lustre", "--format", "json").out)
        field = next(v for v in show["values"] if v["key"] == "ost.read")
        for word in ("storage.ost.read", "storage[scratch].ost.read", "storage.scratch.ost.read", "ost.read"):
            text = told(word)
            for part in ("of type lustre", field["doc"], "default " + field["default"], field["source"],
                         "docs/models/lustre.md"):
                self.assertIn(part, text, word)

    def test_keys_of_parts_of_a_job_are_found_by_their_path(self):
        for word in ("jobs.train.checkpoint.every", "jobs[train].checkpoint.every", "checkpoint.every"):
            self.assertTrue(told(word).startswith("checkpoint every: key of a scenario"), word)
        self.assertIn("one of", told("jobs.train.checkpoint.restore.read"))

    def test_a_metric_has_its_unit_way_and_statistics(self):
        text = told("job.train.checkpoint.stall")
        for part in ("metric of a job", "in s", "less is better", ".p99", "docs/models/checkpoint.md"):
            self.assertIn(part, text)
        several = told("gpu.utilization")
        for part in ("job.*.gpu.utilization", "tenant.*.gpu.utilization", "more is better"):
            self.assertIn(part, several)
        self.assertNotIn("resource.", several)

    def test_pages_that_it_names_are_there(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        for word in ("storage.ost.read", "run.duration", "failures.mtbf", "tenants.limit", "cluster.hosts.gpus", "cost.capex",
                     "power.mean", "resource.storage.s.ost.utilization", "job.a.elastic.time", "pipeline.time",
                     "storage.s.capacity.used", "failure.f.stall", "job.a.failures.count", "job.a.step.time"):
            pages = [w.strip(",;") for w in told(word).split() if w.startswith("docs/")]
            self.assertTrue(pages, word)
            for page in pages:
                self.assertTrue((root / page).is_file(), page)

    def test_a_file_of_that_name_wins(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "gpu.utilization"), "w", encoding="utf-8") as file:
                file.write('{ "cluster": 1 }')
            done = subprocess.run([program.STALLCAST, "explain", "gpu.utilization"], cwd=folder, capture_output=True,
                                  text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/cluster", done.stderr)

    def test_a_word_that_means_nothing_is_a_file_that_is_missing(self):
        run = Run("explain", "no.such.word")
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("cannot read the file", run.err)


class Formats(unittest.TestCase):
    def test_the_catalogue_is_a_table(self):
        items = json.loads(Run("catalog", "--format", "json").out)
        rows = list(csv.DictReader(Run("catalog", "list", "--format", "csv").out.splitlines()))
        self.assertEqual([r["id"] for r in rows], [i["id"] for i in items])
        lines = Run("catalog", "list", "--format", "markdown").out.splitlines()
        self.assertEqual(len(lines), 2 + len(items))
        product = json.loads(Run("catalog", "show", "host/dgx-h100", "--format", "json").out)
        rows = list(csv.DictReader(Run("catalog", "show", "host/dgx-h100", "--format", "csv").out.splitlines()))
        self.assertEqual([r["value"].split(" = ")[0] for r in rows], [v["key"] for v in product["values"]])

    def test_what_a_verb_lacks_is_said_with_what_it_has(self):
        for args, said in ((["catalog", "--format", "html"], "text, json, csv or markdown"),
                           (["resolve", "x.json", "--format", "csv"], "text or json"),
                           (["init", "--format", "json"], "has no --format"),
                           (["import", "fio", "x", "--format", "json"], "has no --format")):
            run = Run(*args)
            self.assertEqual((run.code, run.out), (2, ""), args)
            self.assertIn(said, run.err)

    def test_every_verb_lists_its_version(self):
        for verb in ("run", "catalog", "import"):
            self.assertIn("--version", Run(verb, "--help").out)
            self.assertRegex(Run(verb, "--version").out, r"^stallcast \d")


if __name__ == "__main__":
    program.main()
