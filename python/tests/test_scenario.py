"""Scenarios: values by path, what is wrong and where, files and folders."""

import json
import os
import pickle
import tempfile
import unittest
import warnings

from support import LUSTRE, SMALL, Case

import stallcast


class ValuesTest(Case):
    def test_a_value_is_as_a_scenario_file_says_it(self):
        s = self.small()
        self.assertEqual(s["storage.ost.count"], 8)
        self.assertEqual(s["jobs[train].step.compute"], "200 ms")
        self.assertEqual(s["params.boxes"], 2)
        self.assertIsNone(s["storage.ost.price"])
        self.assertEqual(s["storage.oss"]["count"], 2)

    def test_a_value_has_a_number_in_si_units_a_range_and_a_source(self):
        value = self.small().value("storage.ost.read")
        self.assertEqual((value.value, value.number, value.unit), ("3 GB/s", 3e9, "B/s"))
        copy = self.small().value("cluster.hosts.gpu.cpu.copy")
        self.assertLess(copy.interval[0], copy.number)
        self.assertGreater(copy.interval[1], copy.number)
        self.assertTrue(copy.assumption)
        self.assertIn("default", copy.source)

    def test_setting_takes_numbers_quantities_lists_dicts_and_none(self):
        s = self.small()
        s["params.boxes"] = 3
        self.assertEqual(s["storage.ost.count"], 12)
        s["storage.ost.read"] = "5 GB/s"
        s["storage.ost.price"] = "40 kUSD"
        s["storage.ost.price"] = None
        s["jobs.train.checkpoint"] = {"to": "scratch", "size": "1 TB", "every": "1 min", "mode": "async",
                                      "tiers": ["host-memory", "scratch"]}
        s["run.seed"] = 7.0  # as a column of numpy or pandas has it

        class Seven:  # as numpy has it: its repr is no number
            def item(self):
                return 7

        self.assertEqual(s.run(seed=Seven(), replicas=1, draws=0, advice=False).data["seeds"], [7])
        self.assertEqual((s["storage.ost.read"], s["storage.ost.price"], s["run.seed"]), ("5 GB/s", None, 7))
        self.assertEqual(s["jobs.train.checkpoint.mode"], "async")

    def test_words_that_look_like_json_stay_words(self):
        s = self.small()
        s["description"] = "48"
        self.assertEqual(s.to_dict()["description"], "48")

    def test_what_does_not_fit_is_refused_at_once_and_changes_nothing(self):
        s = self.small()
        for path, value, hint in (("storage.ost.cuont", 3, "count"), ("storage.ost.read", 4, "GB/s"),
                                  ("params.bxes", 3, "boxes"), ("jobs.train.dataset.on", "scrtch", "scratch")):
            with self.assertRaises(stallcast.ScenarioError) as caught:
                s[path] = value
            self.assertIn(hint, caught.exception.diagnostics[0].hint, path)
            self.assertEqual(caught.exception.exit_code, 2)
            self.assertEqual(s.changes, {})
        for value in (float("nan"), float("inf")):
            self.assertRaises(ValueError, s.update, {"params.boxes": value})
        self.assertRaises(TypeError, s.update, {"params.boxes": object()})
        self.assertRaises(TypeError, s.update, {3: 4})

    def test_unknown_paths_are_key_errors_with_a_hint(self):
        s = self.small()
        with self.assertRaises(KeyError) as caught:
            s["storage.ost.cuont"]
        self.assertIn('did you mean "count"?', str(caught.exception))
        self.assertIsInstance(caught.exception, stallcast.ScenarioError)
        self.assertEqual(s.get("storage.ost.cuont", 5), 5)
        self.assertEqual(s.get("storage.ost.price", "free"), "free")
        self.assertIn("storage.ost.count", s)
        self.assertNotIn("storage.ost.cuont", s)
        self.assertRaises(TypeError, iter, s)

    def test_values_that_only_fit_together_are_set_together(self):
        s = self.small()
        with self.assertRaises(stallcast.ScenarioError):
            s["jobs.train.dataset.shard"] = "1 GiB"  # tokens have no shards
        s.update({"jobs.train.dataset.format": "webdataset", "jobs.train.dataset.shard": "1 GiB", "jobs.train.dataset.files": None})
        self.assertEqual(s["jobs.train.dataset.shard"], "1 GiB")

    def test_changes_are_taken_back(self):
        s = self.small()
        s["params.boxes"] = 3
        del s["params.boxes"]
        self.assertEqual((s["params.boxes"], s.changes), (2, {}))
        with self.assertRaises(KeyError):
            del s["params.boxes"]
        s.update({"params.boxes": 4, "run.seed": 3})
        s.reset()
        self.assertEqual(s["params.boxes"], 2)

    def test_a_copy_is_its_own(self):
        s = self.small()
        more = s.copy({"params.boxes": 5})
        self.assertEqual((s["params.boxes"], more["params.boxes"]), (2, 5))
        self.assertEqual(pickle.loads(pickle.dumps(more))["params.boxes"], 5)
        self.assertIn("params.boxes = 5", repr(more))


class FilesTest(Case):
    def write(self, folder, name, data):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(data if isinstance(data, str) else json.dumps(data, indent=2))
        return path

    def test_files_extend_their_neighbours_from_any_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.write(folder, "base.json", SMALL)
            path = self.write(folder, "mine.json", {"extends": "base.json", "id": "mine"})
            os.chdir("/")
            s = stallcast.load(path)
            self.assertEqual((s.id, s["params.boxes"]), ("mine", 2))
            self.assertEqual(s.run(draws=0).id, "mine")
            os.chdir(folder)
            near = stallcast.load("mine.json")
            os.chdir("/")
            self.assertEqual(near.run(draws=0).data, s.run(draws=0).data)

    def test_a_scenario_is_as_it_was_when_it_was_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.write(folder, "mine.json", SMALL)
            s = stallcast.load(path)
            self.write(folder, "mine.json", "no scenario any more")
            self.assertEqual(s["params.boxes"], 2)
            warm, cold = self.both_ways(lambda: s.run(draws=0).metrics)
            self.assertEqual(warm, cold)
        self.assertEqual(s.run(draws=0).id, "small")

    def test_faults_have_file_line_column_and_hint_all_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            text = json.dumps(SMALL, indent=2).replace('"lustre"', '"lustr"').replace('"200 ms"', "200")
            path = self.write(folder, "bad.json", text)
            with self.assertRaises(stallcast.ScenarioError) as caught:
                stallcast.load(path)
        found = caught.exception.diagnostics
        self.assertEqual([d.code for d in found], ["kind", "unit"])
        self.assertEqual([d.file for d in found], [path, path])
        lines = text.splitlines()
        self.assertIn('"lustr"', lines[found[0].line - 1][found[0].column - 1:])
        self.assertIn("200", lines[found[1].line - 1][found[1].column - 1:])
        self.assertIn("did you mean", found[0].hint)
        self.assertIn(f"{path}:{found[0].line}:{found[0].column}: /storage/0/type: ", str(caught.exception))

    def test_what_is_no_scenario_is_said_so(self):
        with self.assertRaises(FileNotFoundError):
            stallcast.load("/no/such/file.json")
        with self.assertRaises(stallcast.ScenarioError):
            stallcast.from_text("{")
        with self.assertRaises(stallcast.ScenarioError):
            stallcast.from_dict({})
        self.assertRaises(TypeError, stallcast.from_dict, [1])
        with self.assertRaises(stallcast.ScenarioError) as caught:
            stallcast.load(LUSTRE, variant="none")
        self.assertIn("no variants", caught.exception.diagnostics[0].hint)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "latin.json")
            with open(path, "wb") as file:
                file.write(b'{ "id": "\xe9" }')
            self.assertRaises(stallcast.ScenarioError, stallcast.load, path)

    def test_doubts_are_warnings_of_python(self):
        doubtful = json.loads(json.dumps(SMALL))
        doubtful["jobs"][0]["loader"]["workers"] = 200
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            stallcast.from_dict(doubtful)
        self.assertEqual([w.category for w in caught], [stallcast.ScenarioWarning])
        self.assertIn("share the", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)

    def test_a_saved_scenario_is_the_same_design(self):
        s = self.small()
        s["params.boxes"] = 3
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "three.json")
            s.save(path)
            again = stallcast.load(path)
        self.assertEqual(again.resolve(), s.resolve())
        self.assertEqual(again.to_dict()["storage"][0]["ost"]["count"], "=4 * boxes")
        self.assertEqual(stallcast.from_dict(s.to_dict()).resolve(), s.resolve())

    def test_a_scenario_that_was_not_changed_is_saved_as_it_is_written(self):
        s = stallcast.init("llm-async-ckpt")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "same.json")
            s.save(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), s.text)
            s["run.seed"] = 7
            s.save(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["run"]["seed"], 7)

    def test_templates_are_scenarios(self):
        names = stallcast.templates()
        self.assertIn("llm-async-ckpt", names)
        self.assertTrue(all(names.values()))
        s = stallcast.init("llm-async-ckpt")
        self.assertIn("//", s.text)
        with self.assertRaises(stallcast.ScenarioError) as caught:
            stallcast.init("llm-async-chkpt")
        self.assertIn('did you mean "llm-async-ckpt"?', caught.exception.diagnostics[0].hint)


if __name__ == "__main__":
    unittest.main()
