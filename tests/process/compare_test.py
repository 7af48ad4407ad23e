"""`stallcast compare`: architectures side by side."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import program  # noqa: E402

DESIGN = """{
  "id": "%s",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100", "price": "300 kUSD" } ],
               "fabric": { "use": "fabric/ndr400-rail-optimized", "price": "0 USD" } },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": %d, "read": "1 GB/s", "write": "1 GB/s", "capacity": "100 TB", "price": "40 kUSD" },
                 "oss": { "count": 4, "nic": "400 Gb/s" }, "mdt": { "count": 2 } } ],
  "jobs": [ { "id": "%s", "hosts": "gpu", "model": { "use": "model/llama3-70b" }, "step": { "compute": "100 ms" },
    "dataset": { "on": "scratch", "format": "raw", "sample": "%s", "size": "500 TB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4, "batch": 4 } } ],
  "run": { "duration": "60 s", "replicas": 1 },
  "scenarios": { "wide": { "storage": [ { "id": "scratch", "ost": { "count": 64 } } ] } },
  "expect": [ { "id": "busy", "that": "job.%s.gpu.utilization >= 85 %%" } ]
}"""


def design(name, osts, job="train", sample="8 MiB"):
    return DESIGN % (name, osts, job, sample, job)


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def compare(self, *args, draws="0"):
        return program.Run("compare", *args, "--draws", draws)

    def rows(self, *args):
        done = self.compare(*args, "--format", "json")
        out = json.loads(done.out)
        self.assertEqual(out["schema"], "stallcast.comparison/1")
        return done, out, {row["label"]: row["cells"] for row in out["rows"]}

    def test_what_is_rented_is_not_bought_for_nothing(self):
        bought = design("bought", 64)
        rented = design("rented", 64).replace('"price": "300 kUSD"', '"rent": "98 USD/h"').replace(
            '"price": "40 kUSD"', '"rent": "2 USD/h"')
        run = program.Run("compare", self.write("bought.json", bought), self.write("rented.json", rented), "--no-gains",
                          "--draws", "0", "--format", "json")
        costs = [{key: metric["value"] for key, metric in made["result"]["metrics"].items() if key.startswith("cost.")}
                 for made in json.loads(run.out)["designs"]]
        self.assertAlmostEqual(costs[0]["cost.capex"], 4 * 300e3 + 64 * 40e3)
        self.assertAlmostEqual(costs[0]["cost.hourly"], costs[0]["cost.capex"] / (4 * 365.25 * 24), delta=0.2)
        self.assertNotIn("cost.capex", costs[1])
        self.assertAlmostEqual(costs[1]["cost.hourly"], 4 * 98 + 64 * 2)
        text = program.Run("compare", self.write("bought.json", bought), self.write("rented.json", rented), "--no-gains",
                           "--draws", "0").out
        self.assertIn("bought costs least (107.2 USD/h)", text)

    def test_what_simulations_warn_of_is_told_once_with_the_design(self):
        whole = self.write("whole.json", design("whole", 64))
        part = self.write("part.json", design("part", 64).replace(', "price": "40 kUSD"', ""))
        out = json.loads(self.compare(whole, part, part + "#wide", "--no-gains", "--format", "json").out)
        missing = [warning.split(":")[0] for warning in out["warnings"] if "storage.scratch: costs" in warning]
        self.assertEqual(missing, [f"{part}, {part}#wide"], out["warnings"])
        text = self.compare(whole, part, part + "#wide", "--no-gains").out
        self.assertIn("Warnings\n", text)
        self.assertEqual(" ".join(text.split()).count("storage.scratch: costs"), 1)

    def test_failures_and_saves_that_differ_are_told(self):
        plain = json.loads(design("plain", 64))
        plain["jobs"][0]["checkpoint"] = {"to": "scratch", "every_steps": 100, "size": "10 GB"}
        lossy = json.loads(json.dumps(plain))
        lossy["failures"] = [{"id": "out", "type": "storage", "on": "scratch", "part": "server", "at": "10 s"}]
        lossy["jobs"][0]["checkpoint"]["mode"] = "async"
        paths = [self.write("plain.json", json.dumps(plain)), self.write("lossy.json", json.dumps(lossy))]
        out = json.loads(self.compare(*paths, "--no-gains", "--format", "json").out)
        self.assertIn("failures[out] added", out["notes"][0])
        text = " ".join(self.compare(*paths, "--no-gains").out.split())
        for said in ("server of scratch, at 10 s", "sync to scratch", "async to scratch"):
            self.assertIn(said, text)
        alike = self.compare(paths[0], paths[0] + "#wide", "--no-gains").out
        self.assertNotIn("sync to scratch", alike)

    def test_recovery_and_lending_that_differ_are_told(self):
        plain = json.loads(design("plain", 64))
        plain["jobs"][0]["checkpoint"] = {"to": "scratch", "every_steps": 100, "size": "10 GB"}
        plain["jobs"][0]["recovery"] = {"start": "40 s", "spares": 0}
        plain["failures"] = [{"id": "sw", "type": "host", "mtbf": "5000 h"}]
        lends = json.loads(json.dumps(plain))
        lends["jobs"][0]["recovery"] = {"start": "40 s", "spares": 2, "detect": "2 min"}
        lends["jobs"][0]["elastic"] = {"gpus": 8, "busy": "6 h"}
        _, out, _ = self.rows(self.write("plain.json", json.dumps(plain)), self.write("lends.json", json.dumps(lends)),
                              "--no-gains")
        made = {row["label"]: [cell["text"] for cell in row["cells"]] for row in out["rows"]}
        # What is alike is not what tells them apart.
        self.assertEqual(made["recovery train"], ["detect 1 min, spares 0", "detect 2 min, spares 2"])
        self.assertEqual(made["lends train"][1], "busy 6 h, gpus 8")

    def test_designs_are_named_by_id_and_by_file_where_ids_are_equal(self):
        first, second = self.write("a.json", design("few", 4)), self.write("b.json", design("many", 32))
        done, out, _ = self.rows(first, second, "--no-gains")
        self.assertEqual(out["headline"], "1 of 2 meets its targets: many")
        self.assertEqual([one["name"] for one in out["designs"]], [first, second])
        diff = program.Run("diff", first, second).out
        self.assertIn("few -> many", diff)
        same = self.write("c.json", design("few", 32))
        _, out, _ = self.rows(first, same, "--no-gains")
        self.assertEqual(out["headline"], "1 of 2 meets its targets: c")
        _, out, _ = self.rows(first, first + "#wide", "--no-gains")
        self.assertEqual(out["headline"], "1 of 2 meets its targets: few#wide")

    def test_two_systems_that_are_alike_are_two(self):
        two = json.loads(design("two", 64))
        two["storage"].append(dict(two["storage"][0], id="other"))
        run = program.Run("run", self.write("two.json", json.dumps(two)), "--no-advice", "--draws", "0")
        self.assertIn("2 x Lustre of 64 OSTs", " ".join(run.out.split()))

    def test_a_job_or_a_tenant_more_is_told_as_one(self):
        one = json.loads(design("one", 64))
        two = json.loads(design("two", 64, sample="4 MiB"))
        two["jobs"].append(json.loads(json.dumps(two["jobs"][0]).replace('"train"', '"tune"')))
        two["jobs"][0]["accelerators"] = two["jobs"][1]["accelerators"] = 16
        two["tenants"] = [{"id": "scan", "type": "fio", "on": "scratch", "hosts": "gpu", "rw": "read", "bs": "1 MB", "limit": "1 GB/s"}]
        files = [self.write("one.json", json.dumps(one)), self.write("two.json", json.dumps(two))]
        _, out, _ = self.rows(*files, "--no-gains")
        self.assertIn("jobs[tune] added, train.dataset.sample 4 MiB for 8 MiB, tenants[scan] added",
                      [note.split(": ")[1] for note in out["notes"]])
        _, out, _ = self.rows(*files[::-1], "--no-gains")
        self.assertIn("jobs[tune] removed, train.dataset.sample 8 MiB for 4 MiB, tenants[scan] removed",
                      [note.split(": ")[1] for note in out["notes"]])

    def test_hosts_and_stores_are_in_rows_of_their_own(self):
        # One has two classes of hosts, so that its stores come later in the list.
        two = json.loads(design("two", 4))
        two["cluster"]["hosts"].append({"id": "cpu", "count": 2, "gpus": 0, "nic": {"rate": "100 Gb/s"}})
        mixed, plain = self.write("two.json", json.dumps(two)), self.write("plain.json", design("plain", 4))
        _, out, _ = self.rows(mixed, plain)
        made_of = [(row["label"], [cell["text"] for cell in row["cells"]]) for row in out["rows"]][:3]
        self.assertEqual(made_of[1], ("hosts cpu", ["2 x host", "-"]))
        self.assertEqual([label for label, _ in made_of], ["hosts gpu", "hosts cpu", "storage scratch"])
        self.assertTrue(all("lustre" in text for text in made_of[2][1]), made_of)

    def test_stores_stand_beside_those_of_their_id(self):
        def made_of(*designs):
            files = [self.write(f"{one['id']}.json", json.dumps(one)) for one in designs]
            _, out, _ = self.rows(*files, "--no-gains")
            return [(row["label"], [cell["text"].split(",")[0] for cell in row["cells"]]) for row in out["rows"]
                    if row["label"].startswith("storage")], out

        one, two = json.loads(design("one", 8)), json.loads(design("two", 8))
        two["storage"].insert(0, {"id": "nvme", "type": "local", "drive": {
            "count": 4, "read": "6 GB/s", "write": "3 GB/s", "size": "4 TB"}})
        rows, out = made_of(one, two)
        self.assertEqual(rows, [("storage scratch", ["lustre", "lustre"]), ("storage nvme", ["-", "local"])])
        self.assertTrue(any(cell["text"] == "local, 4 drives per host" for row in out["rows"] for cell in row["cells"]))
        # By another name, where it is one of each.
        for part in two["storage"][1], two["jobs"][0]["dataset"]:
            part.update({key: "fast" for key in ("id", "on") if key in part})
        del two["storage"][0], two["scenarios"]
        self.assertEqual(made_of(one, two)[0], [("storage", ["lustre", "lustre"])])

    def test_labels_are_whole_and_shares_have_the_digits_of_run(self):
        long = "a-job-with-a-long-name"
        both = [self.write(f"{job}.json", design(job, 4, job)) for job in ("short", long)]
        two = json.loads(design("two", 4))
        two["cluster"]["hosts"].append(dict(two["cluster"]["hosts"][0], id="more"))
        two["jobs"].append(dict(two["jobs"][0], id=long, hosts="more"))
        done = self.compare(self.write("two.json", json.dumps(two)), both[0])
        self.assertNotIn("..", done.out.split("\nWarnings")[0])
        text = self.compare(*both).out
        alone = json.loads(program.Run("run", both[0], "--draws", "0", "--no-advice", "--format", "json").out)
        share = alone["metrics"]["job.short.gpu.utilization"]["value"]
        self.assertIn(f"{100 * share:.1f} %", text)

    def test_figures_of_each_are_those_of_run(self):
        few, many = self.write("few.json", design("few", 4)), self.write("many.json", design("many", 32, "other"))
        done, out, rows = self.rows(few, many)
        self.assertEqual(done.code, 0, done.err)
        for path, one, job in ((few, out["designs"][0], "train"), (many, out["designs"][1], "other")):
            alone = json.loads(program.Run("run", path, "--draws", "0", "--no-advice", "--format", "json").out)
            name = f"job.{job}.gpu.utilization"
            self.assertEqual(one["result"]["metrics"][name], alone["metrics"][name])
        self.assertEqual([cell["status"] for cell in rows["GPU utilization"]], ["", "best"])
        self.assertEqual([cell["status"] for cell in rows["busy"]], ["fail", "pass"])
        self.assertEqual([cell["text"] for cell in rows["cost of the system"]], ["1.36 MUSD", "2.48 MUSD"])
        self.assertEqual([cell["status"] for cell in rows["cost of the system"]], ["best", ""])
        self.assertIn("4 OSTs", rows["storage scratch"][0]["text"])
        self.assertEqual(out["headline"], "1 of 2 meets its targets: many")

    def test_the_best_are_those_that_meet_their_targets(self):
        osts = {"few": 4, "more": 48, "many": 64}
        files = [self.write(f"{name}.json", design(name, n)) for name, n in osts.items()]
        _, out, rows = self.rows(*files, "--no-gains")
        self.assertEqual([cell["status"] for cell in rows["busy"]], ["fail", "pass", "pass"])
        self.assertIn("2 of 3 meet their targets; of these, ", out["headline"])
        self.assertIn("more costs least (3.12 MUSD)", out["headline"])
        self.assertIn(out["headline"], self.compare(*files, "--no-gains", "--format", "markdown").out)
        # Where none meets them, or all do, of all.
        less = self.write("less.json", design("less", 2))
        _, out, _ = self.rows(files[0], less, "--no-gains")
        self.assertIn("0 of 2 meet their targets; few keeps GPUs busiest", out["headline"])
        self.assertIn("less costs least (1.28 MUSD)", out["headline"])
        easy = [self.write(f"easy-{name}.json", design(f"easy-{name}", n).replace("85 %", "1 %").replace("500 TB", "50 TB"))
                for name, n in osts.items()]
        _, out, _ = self.rows(*easy, "--no-gains")
        self.assertIn("all 3 meet their targets; ", out["headline"])
        self.assertNotIn("of these", out["headline"])
        self.assertIn("few costs least (1.36 MUSD)", out["headline"])

    def test_one_file_alone_is_compared_with_its_variants(self):
        path = self.write("one.json", design("one", 4))
        done, out, rows = self.rows(path)
        self.assertEqual([d["name"] for d in out["designs"]], [path, path + "#wide"])
        self.assertEqual(rows["GPU utilization"][1]["status"], "best")

    def test_a_result_stands_beside_a_scenario(self):
        path = self.write("a.json", design("a", 4))
        kept = program.Run("run", path, "--draws", "0", "--format", "json").out
        done, out, rows = self.rows(path, self.write("kept.json", kept))
        self.assertEqual(rows["GPU utilization"][0]["text"], rows["GPU utilization"][1]["text"])
        self.assertEqual({cell["status"] for cell in rows["GPU utilization"]}, {""})

    def test_rows_of_targets_say_their_limit_and_who_misses_it(self):
        sure, bold = json.loads(design("sure", 30)), json.loads(design("bold", 30))
        sure["expect"][0]["confidence"] = "99 %"
        sure["expect"].append({"id": "much", "that": "job.train.gpu.utilization >= 99 %"})
        paths = [self.write(f"{one['id']}.json", json.dumps(one)) for one in (sure, bold)]
        text = self.compare(*paths, draws="16").out
        self.assertRegex(text, r"busy >= 85 % .*%.* FAIL")
        self.assertRegex(text, r"of 100 cases \(need\s+99\)")
        self.assertRegex(text, r"much >= 99 % .*% FAIL +-\n")
        self.assertIn("below a figure: nine in ten outcomes", " ".join(text.split()))
        plain = self.compare(*paths).out
        self.assertRegex(plain, r"busy >= 85 % .*% unsure")
        self.assertNotIn("below a figure", " ".join(plain.split()))
        row = next(r for r in json.loads(self.compare(*paths, "--format", "json").out)["rows"] if r["label"] == "busy")
        self.assertEqual(row["limit"], " >= 85 %")

    def test_a_result_keeps_its_limit_its_intervals_and_its_odds(self):
        path = self.write("a.json", design("a", 30))
        kept = program.Run("run", path, "--draws", "16", "--format", "json").out
        out = json.loads(self.compare(path, self.write("kept.json", kept), "--format", "json", draws="16").out)
        told = [row for row in out["rows"] if not row["label"].startswith(("hosts", "storage"))]
        self.assertTrue(any(cell["interval"] for row in told for cell in row["cells"]))
        self.assertTrue(any("of 100 cases" in cell["text"] for row in told for cell in row["cells"]), told)
        for row in told:
            self.assertEqual(row["cells"][0], row["cells"][1], row["label"])

    def test_the_busiest_gpus_are_those_of_all_jobs(self):
        def two(name, few, many):  # OSTs of the job with few GPUs, and of the one with many
            out = json.loads(design(name, few, "a"))
            out["cluster"]["hosts"].append(dict(out["cluster"]["hosts"][0], id="more", count=12))
            out["cluster"]["hosts"][0]["count"] = 1
            store = json.loads(json.dumps(out["storage"][0]))
            out["storage"].append(dict(store, id="other", ost=dict(store["ost"], count=many)))
            job = json.loads(json.dumps(out["jobs"][0]))
            out["jobs"].append(dict(job, id="z", hosts="more", dataset=dict(job["dataset"], on="other")))
            del out["scenarios"]
            return self.write(f"{name}.json", json.dumps(out))

        done, out, rows = self.rows(two("first", 16, 4), two("second", 1, 64))
        self.assertEqual(rows["GPU utilization of a"][0]["status"], "best")
        self.assertEqual(rows["GPU utilization of z"][1]["status"], "best")
        self.assertIn("second keeps GPUs busiest", out["headline"])

    def test_a_cache_is_what_a_design_is_made_of_and_no_other_work(self):
        def with_cache(name, osts):
            return self.write(f"{name}.json", design(name, osts).replace(
                '"format": "raw",', '"format": "raw", "cache": {"policy": "pinned", "size": "1 TB", "medium": "nvme"},'))

        _, out, rows = self.rows(self.write("plain.json", design("plain", 16)), with_cache("cached", 16))
        self.assertEqual(out["notes"], [])
        self.assertEqual([cell["text"] for cell in rows["cache of train"]], ["-", "nvme, pinned, 1 TB"])
        _, _, rows = self.rows(with_cache("one", 16), with_cache("two", 12))
        self.assertFalse(any(row.startswith("cache") for row in rows))

    def test_designs_that_tie_are_named_together(self):
        paths = [self.write(f"{name}.json", design(name, osts)) for name, osts in (("a", 16), ("b", 16), ("c", 32))]
        _, out, _ = self.rows(*paths)
        self.assertIn("a and b cost least (1.84 MUSD)", out["headline"])
        _, out, _ = self.rows(*paths[:2])
        self.assertNotIn("least", out["headline"])  # nothing tells them apart

    def test_other_work_is_said(self):
        _, out, _ = self.rows(self.write("a.json", design("a", 8)), self.write("b.json", design("b", 8, sample="4 MiB")))
        self.assertEqual(len(out["notes"]), 1)
        self.assertIn("dataset.sample 4 MiB for 8 MiB", out["notes"][0])
        _, out, _ = self.rows(self.write("c.json", design("c", 8)), self.write("d.json", design("d", 9)))
        self.assertEqual(out["notes"], [])

    def test_what_cannot_be_told_apart_is_best_together(self):
        a, b = self.write("a.json", design("a", 31)), self.write("b.json", design("b", 32))
        out = json.loads(self.compare(a, b, "--format", "json", draws="16").out)
        cells = next(row for row in out["rows"] if row["metric"] == "gpu.utilization")["cells"]
        self.assertTrue(all(cell["interval"] for cell in cells))
        self.assertEqual({cell["status"] for cell in cells}, {""})

    def test_exit_codes(self):
        few = self.write("few.json", design("few", 4))
        self.assertEqual(self.compare(few, few + "#wide").code, 0)
        self.assertEqual(self.compare(few, self.write("less.json", design("less", 2))).code, 1)
        wrong = self.compare(few, self.write("wrong.json", design("wrong", 4).replace("utilization >=", "use >=")))
        self.assertEqual(wrong.code, 2)
        self.assertIn("wrong.json:", wrong.err)
        self.assertIn("job.train.gpu.utilization", wrong.err)
        self.assertEqual(self.compare(few, "nowhere.json").code, 2)
        self.assertEqual(self.compare(few, few + "#none").code, 2)

    def test_every_format(self):
        files = [self.write(f"{name}.json", design(name, osts)) for name, osts in (("a", 4), ("b", 8), ("c", 16), ("d", 32))]
        text = self.compare(*files, "--no-color").out
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        for name in "abcd":
            self.assertIn(f" {name} ", text)
        self.assertIn("| GPU utilization |", self.compare(*files, "--format", "markdown").out)
        self.assertIn("gpu.utilization", self.compare(*files, "--format", "csv").out)
        page = self.compare(*files, "--format", "html").out
        self.assertIn("<h2>Where the time goes</h2>", page)


if __name__ == "__main__":
    program.main()
