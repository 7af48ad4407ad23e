"""Answers: the numbers of the command line by both ways, and how they look."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

from support import LUSTRE, SMALL, Case

import stallcast

UTILIZATION = "job.train.gpu.utilization"


class BothWaysTest(Case):
    def test_every_question_has_the_same_answer_by_the_server_and_the_command_line(self):
        s = self.small()
        s["params.boxes"] = 3
        other = s.copy({"params.boxes": 4})
        for ask in (lambda: s.run(draws=8), lambda: s.run(draws=0, advice=False, seed=5, replicas=2), lambda: s.plan(tornado=0, checks=0),
                    lambda: s.explain("job.train.checkpoint.stall"), lambda: s.explain(simulate=False),
                    lambda: stallcast.compare(s, other, draws=8)):
            warm, cold = self.both_ways(ask)
            self.assertEqual(warm.data, cold.data)
        warm, cold = self.both_ways(s.resolve)
        self.assertEqual(warm, cold)

    def test_it_is_what_the_command_line_prints(self):
        s = stallcast.load(LUSTRE)
        s["params.boxes"] = 3
        done = subprocess.run(
            [stallcast.find_program(), "run", os.path.basename(LUSTRE), "--set", "params.boxes=3", "--draws", "8",
             "--format", "json"], capture_output=True, text=True, check=True, cwd=os.path.dirname(LUSTRE))
        self.assertEqual(s.run(draws=8).data, json.loads(done.stdout))


class PartTest(Case):
    """A prediction within another answer is reported as the run of its design."""

    def test_a_design_of_a_comparison_is_reported_alone(self):
        s = self.small()
        c = stallcast.compare({"one.json": s, "two": s.copy({"params.boxes": 4})}, draws=0)
        alone = c["two"].report("text")
        self.assertEqual(alone.splitlines()[0], c["two"].summary[0])
        self.assertEqual(alone, s.copy({"params.boxes": 4}).run(draws=0).report("text"))
        self.assertNotIn("one", alone)
        self.assertEqual(list(c), ["one.json", "two"])

    def test_what_was_simulated_for_an_explanation_is_reported_as_a_run(self):
        s = self.small()
        self.assertEqual(s.explain(what_if=0).prediction.report("markdown"), s.run().report("markdown"))


class PredictionTest(Case):
    def test_figures_verdict_and_limit_are_at_hand(self):
        p = self.small().run(draws=8)
        self.assertEqual(p.verdict, "fail")
        self.assertEqual(p.utilization, p[UTILIZATION])
        self.assertTrue(p.interval[0] <= p.metrics[UTILIZATION].median <= p.interval[1])
        self.assertEqual(str(p.limit), p.data["limit"]["phrase"])
        self.assertEqual((p.limit.target, p.targets[0].status), ("stall", "fail"))
        self.assertAlmostEqual(sum(p.breakdown["train"].values()), 1.0)
        self.assertIsNone(self.small().run(draws=0).interval)

    def test_it_says_of_itself_what_a_report_says_first(self):
        p = self.small().run(draws=0)
        text = p.report("text")
        self.assertTrue(repr(p).startswith("small: FAIL, the target is missed") or
                        repr(p).startswith("small: FAIL, 1 of 1 target missed"), repr(p))
        self.assertEqual(text.splitlines()[0], p.summary[0])

    def test_an_unknown_metric_names_the_nearest(self):
        p = self.small().run(draws=0)
        with self.assertRaises(KeyError) as caught:
            p["job.train.gpu.utilisation"]
        self.assertIn(UTILIZATION, str(caught.exception))
        self.assertIn(UTILIZATION, p)

    def test_of_several_jobs_one_is_named(self):
        data = json.loads(json.dumps(SMALL))
        data["cluster"]["hosts"].append({"id": "other", "count": 1, "use": "host/dgx-h100"})
        data["jobs"].append({**data["jobs"][0], "id": "second", "hosts": "other"})
        p = stallcast.from_dict(data).run(draws=0)
        self.assertEqual(p.jobs, ["second", "train"])
        with self.assertRaises(stallcast.StallcastError) as caught:
            p.utilization  # pylint: disable=pointless-statement
        self.assertIn("job.second.gpu.utilization", str(caught.exception))

    def test_notebooks_show_the_page_of_the_report(self):
        p = self.small().run(draws=0)
        page = p._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc="))
        self.assertIn("sandbox=", page)
        self.assertIn("class=&quot;system", page)  # the picture
        self.assertNotIn("allow-same-origin", page)
        self.assertIn("small", p.report("html"))

    def test_reports_are_saved_by_the_end_of_the_name(self):
        p = self.small().run(draws=0)
        with tempfile.TemporaryDirectory() as folder:
            for end, begin in (("html", "<!doctype html>"), ("md", "## "), ("json", "{"), ("txt", "small: "), ("csv", "")):
                path = os.path.join(folder, "report." + end)
                p.save(path)
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith(begin), end)
            self.assertRaises(ValueError, p.save, os.path.join(folder, "report.pdf"))


class OtherAnswersTest(Case):
    def test_a_plan_names_what_it_takes(self):
        s = self.small()
        plan = s.plan()
        self.assertEqual(plan.status, "found")
        s.update(plan.answer)
        self.assertEqual(s.run(draws=0).verdict, "pass")
        s["params.boxes"] = plan.answer["params.boxes"] - 1
        self.assertEqual(s.run(draws=0).verdict, "fail")
        self.assertEqual(repr(plan).splitlines()[0], plan.summary[0])
        self.assertTrue(any(row["meets"] for row in plan.rows()))
        self.assertTrue(all(row["limited_by"] or row["most_waited_for"] for row in plan.rows()))

    def test_what_is_counted_says_what_fewer_would_lack(self):
        plan = self.small().plan(over="osts=8..24", minimize=None, tornado=0)
        required = plan.prediction.metrics["storage.scratch.osts.required"]
        self.assertEqual((required.value, required.binding), (16, "bandwidth"))
        self.assertIsNone(plan.prediction.metrics["job.train.gpu.utilization"].binding)

    def test_no_plan_is_an_answer(self):
        plan = self.small().plan(over="boxes=1..2")
        self.assertEqual((plan.status, plan.answer), ("infeasible", None))
        self.assertIn("INFEASIBLE", repr(plan))

    def test_a_plan_for_so_many_of_all_cases(self):
        plan = self.small().plan(confidence=0.5, draws=8, tornado=0)
        self.assertEqual(plan.confidence["asked"], 0.5)
        self.assertEqual(plan.answer, plan.confidence["answer"])
        self.assertGreaterEqual(plan.answer["params.boxes"], plan.confidence["nominal_answer"]["params.boxes"])
        self.assertGreaterEqual(plan.confidence["probability"], 0.5)

    def test_a_sweep_is_a_sequence_of_points(self):
        sweep = self.small().sweep({"params.boxes": [1, 4], "storage.ost.read": ["2 GB/s", "3 GB/s"]},
                                   metrics="job.train.step.time")
        self.assertEqual(len(sweep), 4)
        self.assertEqual([p["params.boxes"] for p in sweep], [1, 1, 4, 4])
        self.assertEqual(sweep[1].values, {"params.boxes": 1, "storage.ost.read": "3 GB/s"})
        self.assertLess(sweep[-1]["job.train.step.time"], sweep[0]["job.train.step.time"])
        self.assertEqual(sweep.rows()[0]["status"], "done")
        self.assertIn("4 points, 4 done", repr(sweep))
        self.assertNotIn("e+", repr(sweep))
        with self.assertRaises(KeyError):
            sweep[0]["job.train.step"]

    def test_sweeps_take_ranges_as_text_and_refuse_what_has_no_values(self):
        self.assertEqual([p["params.boxes"] for p in self.small().sweep({"params.boxes": "1..3:3"})], [1, 2, 3])
        self.assertRaises(ValueError, self.small().sweep, {"params.boxes": []})
        self.assertRaises(ValueError, self.small().sweep, {})
        with self.assertRaisesRegex(ValueError, "a range is text"):
            self.small().sweep({"params.boxes": {"from": 1, "to": 3, "n": 3}})
        with self.assertRaises(stallcast.ScenarioError):
            self.small().sweep({"params.bxes": [1]})

    def test_an_explanation_is_a_tree(self):
        e = self.small().explain("job.train.checkpoint.stall")
        node = e["job.train.checkpoint.stall"]
        self.assertGreater(node.value, 0.0)
        self.assertTrue(any(n.source for n in node.walk()))
        self.assertIn("job.train.checkpoint.stall = ", repr(e))
        self.assertAlmostEqual(e.prediction["job.train.checkpoint.stall"], node.value)
        with self.assertRaises(stallcast.ScenarioError):
            self.small().explain("nonsense")

    def test_designs_side_by_side_have_names(self):
        s = self.small()
        both = stallcast.compare({"two": s, "four/boxes": s.copy({"params.boxes": 4})}, draws=0)
        self.assertEqual(list(both), ["two", "four_boxes"])
        self.assertLess(both["four_boxes"]["job.train.checkpoint.stall"], both["two"]["job.train.checkpoint.stall"])
        self.assertEqual(list(both.rows()[0]), ["label", "two", "four_boxes"])
        same = stallcast.compare(s, s, draws=0)
        self.assertEqual(list(same), ["small", "small 2"])
        self.assertRaises(ValueError, stallcast.compare)
        self.assertRaises(TypeError, stallcast.compare, "mine.json")

    def test_a_diff_says_what_changed_and_where(self):
        base = stallcast.load(LUSTRE)
        diff = base.diff(base.copy({"params.boxes": 3}), metrics="cost.*")
        self.assertTrue(diff.changed)
        self.assertEqual(diff.verdict, "mixed")
        self.assertEqual([row["metric"] for row in diff.rows()][0], "cost.capex")
        self.assertIn("lustre-512-gpus.json:", diff.inputs[0]["base_at"])
        self.assertFalse(base.diff(base.copy(), metrics="cost.*").changed)

    def test_a_check_judges_further_assertions(self):
        report = self.small().check("job.train.gpu.utilization >= 1 %")
        self.assertEqual((report.passed, report.exit_code, report.verdict), (False, 1, "fail"))
        self.assertEqual([row["status"] for row in report.rows()], ["fail", "pass"])
        self.assertTrue(report.rows()[0]["fix"])
        self.assertEqual([(t.that, t.status) for t in report.targets],
                         [(row["that"], row["status"]) for row in report.rows()])

    def test_any_verb_can_be_asked(self):
        self.assertEqual(self.small().ask("run", draws=0)["schema"], "stallcast.result/1")
        with self.assertRaises(stallcast.ScenarioError):
            self.small().ask("run", nonsense=3)


class FramesTest(Case):
    def test_answers_are_data_frames_where_pandas_is_installed(self):
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            self.skipTest("pandas is not installed")
        s = self.small()
        frame = s.sweep({"params.boxes": [2, 3, 4]}).frame()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame["params.boxes"]), [2, 3, 4])
        self.assertEqual(str(frame["params.boxes"].dtype), "int64")
        self.assertTrue(frame[UTILIZATION].is_monotonic_increasing)
        figures = s.run(draws=8).frame()
        self.assertEqual(figures.loc[UTILIZATION, "unit"], "ratio")
        self.assertLessEqual(figures.loc[UTILIZATION, "low"], figures.loc[UTILIZATION, "high"])
        other = s.copy({"params.boxes": 3})
        self.assertIn("after", s.diff(other).frame())
        self.assertIn("margin", " ".join(s.plan().frame().columns))
        self.assertEqual(stallcast.compare(s, other, draws=0).frame().columns.tolist(), ["small", "small 2"])
        self.assertEqual(s.check().frame().loc["stall", "status"], "fail")
        self.assertIn("equation", s.explain(UTILIZATION).frame())

    def test_without_pandas_the_error_says_what_to_do(self):
        code = ("import sys; sys.modules['pandas'] = None; sys.modules['matplotlib'] = None\n"
                "from support import SMALL; import stallcast\n"
                "sweep = stallcast.from_dict(SMALL).sweep({'params.boxes': [1, 2]})\n"
                "for ask in (sweep.frame, sweep.plot):\n"
                "    try: ask()\n"
                "    except ImportError as e: print(e)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertIn("rows() gives the same", done.stdout)
        self.assertIn("python3-matplotlib", done.stdout)

    def test_a_sweep_is_drawn_where_matplotlib_is_installed(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        axes = self.small().sweep({"params.boxes": [2, 3], "run.seed": [1, 2]}).plot(UTILIZATION)
        self.assertEqual(len(axes.get_lines()), 2)
        self.assertEqual(axes.get_xlabel(), "params.boxes")


if __name__ == "__main__":
    unittest.main()
