"""What the server's answers are of: bounds, files that change, words in a scenario.

Usage: serve_answers_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import re
import tempfile
import unittest
import urllib.parse

import program
from server import SCENARIO, Server


class AnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def problem(self, answer, status):
        self.assertEqual(answer.status, status, answer.text)
        return answer.json

    def test_growth_that_nothing_is_said_of_is_refused_before_a_run_is_accepted(self):
        found = self.problem(self.server.post("/v1/grow", SCENARIO), 422)
        self.assertIn("does not say what grows", found["detail"])
        self.assertIn('add "growth"', found["hint"])
        for route, status in (("grow?of=jobs.train.xyz=4%25/month", 422), ("grow?of=nonsense", 400),
                              ("plan?over=osts=1..9&until=1y", 422)):
            self.problem(self.server.post("/v1/" + route, SCENARIO), status)

    def test_hints_name_parameters_of_requests_and_no_options_of_the_command_line(self):
        found = self.problem(self.server.post("/v1/grow", SCENARIO), 422)
        self.assertIn(', or of=PATH="4 %/month"', found["hint"])
        found = self.problem(self.server.post("/v1/plan?maximize=job.train.gpu.utilization", SCENARIO), 400)
        self.assertIn('name it: over=osts=8..32, or "over" in "plan"', found["hint"])
        self.assertNotIn("--", found["detail"] + found["hint"])
        found = self.problem(self.server.post("/v1/runs?set=storage.scratch.ost.count=many", SCENARIO), 422)
        self.assertEqual(found["errors"][0]["file"], "set=storage.scratch.ost.count=many")
        self.assertNotIn("--", json.dumps(found))

    def test_the_state_of_a_failed_run_says_why(self):
        made = self.server.post("/v1/explain?metric=job.train.xyz")
        state = self.server.wait(made.headers["location"])
        self.assertEqual(state["state"], "failed")
        self.assertEqual(state["problem"], self.server.get(made.headers["location"] + "/result").json)
        self.assertIn("job.train.xyz", state["problem"]["detail"])
        self.assertNotIn("problem", self.server.wait(self.server.post("/v1/runs").headers["location"]))

    def test_an_estimate_says_that_nothing_was_simulated(self):
        found = self.server.post("/v1/estimate").json
        self.assertEqual(found["method"], "estimate")
        self.assertIn("not decided by bounds alone", found["summary"][0])
        self.assertTrue(any("at most" in line and "nothing was simulated" in line for line in found["summary"]))
        page = self.server.post("/v1/estimate?format=html").text
        self.assertIn("nothing was simulated", page)
        for word in ("Dot: predicted", "Reproduce", "0 replicas"):
            self.assertNotIn(word, page.split('<script type="application/json"')[0])
        self.assertNotIn("method", self.server.run("/v1/runs?advice=false&draws=0").json)

    def test_draws_of_a_check_wait_in_the_queue_as_other_simulations(self):
        sure = SCENARIO.replace(">= 50 %\"", ">= 50 %\", \"confidence\": \"90 %\"")
        first = self.server.run("/v1/check?seed=3", sure).json
        said = json.loads(program.Run("check", "FILE", "--seed", "3", "--no-advice", "--format", "json", text=sure).out)
        for report in (first, said):
            target = report["scenarios"][0]["assertions"][0]
            self.assertEqual(target["status"], "pass")
            self.assertGreater(target["probability"], 0.9)
        self.assertEqual(first["scenarios"][0]["assertions"][0]["probability"],
                         said["scenarios"][0]["assertions"][0]["probability"])
        # Of another text it is another run: no thread that answers requests draws anything.
        self.assertEqual(self.server.post("/v1/check?seed=3", sure + "\n").status, 202)

    def test_a_check_looks_for_what_would_meet_a_target_where_it_is_asked(self):
        missed = "job.train.gpu.utilization >= 99.99 %"
        slow = SCENARIO.replace('"ost": { "count": 4 }', '"ost": { "count": 1, "read": "200 MB/s" }')
        path = "/v1/check?name=FILE&assert=" + urllib.parse.quote(missed)
        said = json.loads(program.Run("check", "FILE", "--assert", missed, "--format", "json", text=slow).out)
        with_advice = self.server.run(path + "&advice=true", slow).json
        plain = self.server.run(path, slow).json
        for name in ("limit", "advice"):
            self.assertIn(name, said["scenarios"][0])
            self.assertEqual(with_advice["scenarios"][0][name], said["scenarios"][0][name])
        fixes = [[a.get("fix") for a in d["scenarios"][0]["assertions"]] for d in (with_advice, said, plain)]
        self.assertEqual(fixes[0], fixes[1])
        self.assertEqual(fixes[2], [None, None])
        self.assertEqual(self.server.post("/v1/check?advice=perhaps").status, 400)

    def test_months_between_simulations_are_at_least_one(self):
        for every in ("0", "-1", "x"):
            self.assertEqual(self.server.post("/v1/grow?every=" + every).status, 400, every)

    def test_a_scenario_that_is_called_baseline_is_a_scenario(self):
        called = SCENARIO.replace('"id": "served"', '"id": "baseline"')
        self.assertEqual(self.server.run("/v1/check", called).json["scenarios"][0]["id"], "baseline")
        plain = json.dumps({"baseline": {}})
        self.assertIn("one of the two is missing", self.server.post("/v1/check", plain).text)
        both = json.dumps({"scenario": called, "baseline": "{}"})
        self.assertNotEqual(self.server.post("/v1/check", both).status, 200)

    def test_an_answer_is_of_what_the_files_say_now(self):
        with tempfile.TemporaryDirectory() as root, Server("--root", root) as server:
            for path in ("/v1/plan?over=osts=2..4", "/v1/explain?metric=job.train.step.time", "/v1/sweeps?vary=run.seed=1,2",
                         "/v1/grow?of=jobs.train.dataset.size=4%25/month&until=3mo", "/v1/compare", "/v1/diff"):
                text = '{ "extends": "base.json", "id": "mine" }'
                body = {"/v1/compare": json.dumps({"designs": {"a": text}}),
                        "/v1/diff": json.dumps({"base": text, "head": text})}.get(path, text)
                said = []
                for step in ("200 ms", "300 ms", "300 ms"):
                    with open(os.path.join(root, "base.json"), "w", encoding="utf-8") as file:
                        file.write(SCENARIO.replace("200 ms", step))
                    said.append((server.post(path, body).status, server.run(path, body).text))
                self.assertNotEqual(said[0][1], said[1][1], path)
                self.assertEqual(said[1][1], said[2][1], path)
                self.assertEqual([status for status, _ in said], [202, 202, 200], path)

    def test_a_report_names_the_lines_that_its_files_have_now(self):
        with tempfile.TemporaryDirectory() as root, Server("--root", root) as server:
            text = '{ "extends": "base.json", "id": "mine" }'
            for path, said in (("/v1/runs?advice=false&draws=0", lambda run: server.get(run + "/report.html").text),
                               ("/v1/check", lambda run: server.get(run + "/result").text)):
                lines = []
                for more in ("", "// one line\n"):
                    with open(os.path.join(root, "base.json"), "w", encoding="utf-8") as file:
                        file.write(more + SCENARIO)
                    run = server.post(path, text, **{"Idempotency-Key": path}).headers["location"]
                    server.run(path, text)
                    fresh = server.post(path, text).headers["location"]
                    lines.append([int(n) for n in re.findall(r'(?:base\.json:|"line": )(\d+)', said(fresh))])
                    kept = run
                self.assertTrue(lines[0], path)
                self.assertEqual([n + 1 for n in lines[0]], lines[1], path)
                # A key leads to the answer that its request had, whatever files say since then.
                self.assertEqual(server.post(path, text, **{"Idempotency-Key": path}).headers["location"], kept)


if __name__ == "__main__":
    program.main()
