"""The HTTP API: what each route answers, and that clients are kept apart.

Usage: serve_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import re
import subprocess
import tempfile
import unittest
import urllib.parse

import jsonschema

import program
from server import SAVES_LATE, SCENARIO, SLOW, Server


class ServeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def problem(self, answer, status):
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        self.assertEqual(answer.json["status"], status)
        return answer.json

    def test_lint_says_what_is_wrong_with_line_and_column(self):
        answer = self.server.post("/v1/lint", SCENARIO.replace('"count": 4,', '"count": "4 GB",'))
        self.assertEqual(answer.status, 200)
        self.assertFalse(answer.json["valid"])
        first = answer.json["diagnostics"][0]
        self.assertEqual((first["line"], first["pointer"]), (4, "/cluster/hosts/0/count"))
        self.assertTrue(self.server.post("/v1/lint").json["valid"])

    def test_resolve_gives_a_scenario_that_resolves_to_itself(self):
        once = self.server.post("/v1/resolve").text
        self.assertEqual(self.server.post("/v1/resolve", once).text, once)

    def test_an_estimate_follows_the_overrides_of_the_query(self):
        few = self.server.post("/v1/estimate?set=storage.scratch.ost.count=1").json
        many = self.server.post("/v1/estimate?set=storage.scratch.ost.count=8").json
        name = "job.train.gpu.utilization"
        self.assertLessEqual(few["metrics"][name]["value"], many["metrics"][name]["value"])
        self.assertEqual(few["schema"], "stallcast.result/1")

    def test_faults_of_a_scenario_are_a_problem_with_their_places(self):
        for route in ("/v1/resolve", "/v1/estimate", "/v1/runs", "/v1/plan"):
            found = self.problem(self.server.post(route, SCENARIO.replace("tokens", "tokenz")), 422)
            self.assertEqual(found["errors"][0]["line"], 7, route)

    def test_a_scenario_is_called_as_it_is_asked_for(self):
        wrong = self.server.post("/v1/runs?name=mine.json", SCENARIO.replace('"200 ms"', "200")).json
        self.assertEqual([e["file"] for e in wrong["errors"]], ["mine.json"])
        nameless = SCENARIO.replace('"id": "served",', "")
        self.assertEqual(self.server.post("/v1/resolve?name=mine.json", nameless).json["id"], "mine")
        for name in ("../mine.json", "a%0Ab", "x" * 201):
            self.assertEqual(self.server.post("/v1/resolve?name=" + name).status, 400, name)

    def test_single_values_are_found_by_their_paths(self):
        found = self.server.post("/v1/resolve?get=storage.ost.count&get=run.duration").json["values"]
        self.assertEqual([v["number"] for v in found.values()], [4, 60])
        self.assertIn('did you mean', self.server.post("/v1/resolve?get=storage.ost.cuont").json["hint"])

    def test_a_run_says_the_same_as_the_command_line(self):
        served = self.server.run("/v1/runs?advice=false&draws=16").json
        said = json.loads(program.Run("run", "FILE", "--format", "json", "--no-advice", "--draws", "16",
                                      text=SCENARIO).out)
        for document in (served, said):
            document["scenario"].pop("file")
        self.assertEqual(served, said)

    def test_draws_are_as_many_as_asked_for(self):
        self.assertNotIn("draws", self.server.run("/v1/runs?draws=0").json)
        self.assertEqual(self.server.run("/v1/runs?draws=8").json["draws"]["count"], 8)
        self.problem(self.server.post("/v1/runs?draws=many"), 400)
        for wrong in ("runs?draws=1000000", "runs?replicas=1000000", "plan?over=osts=1..9&checks=1000000",
                      "plan?over=osts=1..9&tornado=1000000"):
            self.assertRegex(self.problem(self.server.post("/v1/" + wrong), 400)["detail"], "^at most ")

    def test_draws_too_few_for_an_interval_are_refused(self):
        for draws in ("1", "2", "3"):
            found = self.problem(self.server.post("/v1/runs?draws=" + draws), 400)
            self.assertIn("say nothing of an interval", found["title"] + found.get("detail", ""))

    def test_a_run_is_accepted_followed_and_shown_as_a_page(self):
        made = self.server.post("/v1/runs?seed=77")
        self.assertEqual(made.status, 202)
        self.assertIn("retry-after", made.headers)
        location = made.headers["location"]
        self.assertRegex(location, "^/v1/runs/[0-9a-f]{32}$")
        self.assertEqual(self.server.wait(location)["state"], "done")
        page = self.server.get(location + "/report.html")
        self.assertIn("text/html", page.headers["content-type"])
        self.assertIn("default-src 'none'", page.headers["content-security-policy"])
        self.assertIn("served", page.text)

    def test_its_pages_are_those_of_the_command_line_byte_for_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "scenario.json"), "w", encoding="utf-8") as file:
                file.write(SCENARIO)
            for verb, route, options in (("run", "/v1/runs", "?set=storage.scratch.ost.count=2&seed=4&replicas=2"),
                                         ("plan", "/v1/plan", "?seed=4&over=osts&unit=osts=2"),
                                         ("explain", "/v1/explain", "?seed=4")):
                words = [w for name, value in urllib.parse.parse_qsl(options[1:]) for w in ("--" + name, value)]
                said = subprocess.run([program.STALLCAST, verb, "scenario.json", *words, "--format", "html"],
                                      cwd=folder, capture_output=True, text=True, timeout=program.patience(120),
                                      check=False).stdout
                made = self.server.post(route + options).headers["location"]
                self.server.wait(made)
                page = self.server.get(made + "/report.html").text
                self.assertEqual(page, said)
                self.assertEqual("What happens when" in page, verb == "run")

    def test_the_same_content_is_simulated_once_and_has_an_id_per_asker(self):
        first = self.server.post("/v1/runs?seed=5")
        self.server.wait(first.headers["location"])
        again = self.server.post("/v1/runs?seed=5")
        self.assertEqual((again.status, again.json["state"]), (200, "done"))
        self.assertNotEqual(again.headers["location"], first.headers["location"])
        self.assertEqual(self.server.get(again.headers["location"] + "/result").text,
                         self.server.get(first.headers["location"] + "/result").text)

    def test_a_result_that_was_there_has_the_name_of_who_asks(self):
        """The same design, sent by two with other spaces and names: simulated once, told to each by its own name."""
        for name, text in (("first", SCENARIO), ("second", "\n\n" + SCENARIO)):
            answer = self.server.post(f"/v1/runs?seed=11&name={name}.json", text)
            self.server.wait(answer.headers["location"])
            result = self.server.get(answer.headers["location"] + "/result").json
            self.assertEqual(result["scenario"]["file"], name + ".json")
            page = self.server.get(answer.headers["location"] + "/report.html").text
            self.assertEqual("first.json" in page, name == "first")

    def test_an_idempotency_key_leads_to_the_same_run_or_is_refused(self):
        first = self.server.post("/v1/runs?seed=6", Idempotency_Key="one")
        again = self.server.post("/v1/runs?seed=6", Idempotency_Key="one")
        self.assertEqual(first.json["id"], again.json["id"])
        self.problem(self.server.post("/v1/runs?seed=7", Idempotency_Key="one"), 422)

    def test_giving_up_a_run_takes_it_from_nobody_else(self):
        mine = self.server.post("/v1/runs?seed=8").headers["location"]
        yours = self.server.post("/v1/runs?seed=8").headers["location"]
        self.assertEqual(self.server.ask("DELETE", mine).status, 204)
        self.assertEqual(self.server.wait(yours)["state"], "done")
        self.assertEqual(self.server.get(yours + "/result").status, 200)
        self.assertIn(self.server.get(mine + "/result").status, (404, 410))

    def test_a_running_run_can_be_cancelled(self):
        location = self.server.post("/v1/runs?advice=false", SLOW).headers["location"]
        self.server.wait(location, ("running", "done"))
        self.problem(self.server.get(location + "/result"), 409)
        self.assertEqual(self.server.ask("DELETE", location).status, 204)
        self.assertEqual(self.server.wait(location)["state"], "cancelled")
        self.problem(self.server.get(location + "/result"), 410)
        self.assertEqual(self.server.run("/v1/runs?seed=9").status, 200)

    def test_a_time_limit_ends_a_run(self):
        answer = self.server.run("/v1/runs?advice=false&time_limit_s=1", SLOW)
        if answer.status != 200:  # nothing finished
            self.problem(answer, 504)
        else:
            self.assertEqual(answer.json["verdict"], "inconclusive")

    def test_a_metric_that_is_not_there_is_a_problem_at_its_line(self):
        answer = self.server.run("/v1/runs", SAVES_LATE).json  # of what did not come
        self.assertEqual(answer["verdict"], "inconclusive")
        self.assertIn("no save of job", answer["warnings"][-1])
        for metric in ("job.train.xyz", "job.train.gpu.xyz", "job.train.slow.xyz", "job.train.slow.cost"):
            answer = self.server.post("/v1/runs", SCENARIO.replace("job.train.gpu.utilization", metric))
            self.assertEqual(self.problem(answer, 422)["errors"][0]["line"], 10)  # at once

    def test_a_plan_finds_the_fewest(self):
        found = self.server.run("/v1/plan?over=osts").json
        self.assertGreaterEqual(found["metrics"]["storage.scratch.osts.required"]["value"], 1)

    def test_a_plan_takes_the_options_of_the_command_line(self):
        found = self.server.run("/v1/plan?over=osts&checks=0&tornado=0&confidence=80%25&draws=8").json
        self.assertEqual(found["plan"]["confidence"]["asked"], 0.8)
        self.problem(self.server.post("/v1/plan?confidence=1.5"), 400)
        self.problem(self.server.post("/v1/plan?draws=0"), 400)
        self.problem(self.server.post("/v1/plan?until=soon"), 400)
        self.problem(self.server.post("/v1/plan?checks=some"), 400)
        self.problem(self.server.post("/v1/plan?over=nope"), 400)

    def test_what_cannot_be_varied_is_a_problem_at_once(self):
        for vary in ("storage.scratch.ost.count", "nope=1,2", "storage.scratch.ost.count=none", "storage.scratch.ost.read=1GB/s..2GB/s"):
            found = self.problem(self.server.post("/v1/sweeps?vary=" + vary), 400)
            self.assertIn("vary " + vary, found["detail"])
        self.problem(self.server.post("/v1/sweeps"), 422)

    def test_an_explanation_takes_apart_what_is_asked_for(self):
        found = self.server.run("/v1/explain?metric=job.train.gpu.utilization").json
        self.assertEqual([tree["name"] for tree in found["trees"]], ["job.train.gpu.utilization"])
        self.assertEqual(found["what_if"], [])
        self.assertEqual(len(self.server.run("/v1/explain?what_if=1").json["what_if"]), 1)
        self.problem(self.server.run("/v1/explain?metric=job.train.xyz"), 422)
        self.problem(self.server.post("/v1/explain?what_if=some"), 400)

    def test_a_check_judges_further_assertions(self):
        found = self.server.run("/v1/check?assert=job.train.gpu.utilization%20%3E%3D%2099.99%20%25").json
        self.assertEqual(found["schema"], "stallcast.check/1")
        self.assertIn("pass", json.dumps(found))
        self.problem(self.server.post("/v1/check?assert=nonsense"), 422)
        self.problem(self.server.run("/v1/check?assert=job.train.xyz%20%3E%201"), 422)

    def test_a_check_judges_against_a_baseline_as_the_command_line_does(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "scenario.json"), "w", encoding="utf-8") as file:
                file.write(SCENARIO)
            words = ["check", "scenario.json", "--baseline", "baseline.json"]

            def check(*more):
                return subprocess.run([program.STALLCAST, *words, *more], cwd=folder, capture_output=True,
                                      text=True, timeout=program.patience(120), check=False)

            check("--update-baseline")
            with open(os.path.join(folder, "baseline.json"), encoding="utf-8") as file:
                baseline = file.read()
            said = json.loads(check("--set", "run.seed=9", "--set", "storage.ost.count=1", "--format", "json").stdout)
            body = json.dumps({"scenario": SCENARIO, "baseline": baseline})
            served = self.server.run("/v1/check?set=run.seed=9&set=storage.ost.count=1", body).json
            for name in ("status", "value", "baseline"):
                mine, theirs = ([a.get(name) for s in d["scenarios"] for a in s["assertions"]] for d in (served, said))
                self.assertEqual(mine, theirs, name)
            self.assertIn("value", served["scenarios"][0]["assertions"][0]["baseline"], served)
        for wrong in ('{"scenario": {}, "baseline": 3}', '{"baseline": {}}', '{"scenario": "x", "baseline": "y"}',
                      json.dumps({"scenario": SCENARIO, "baseline": "{}"}), '"baseline"', '{"baseline":' + "[" * 9999):
            self.problem(self.server.post("/v1/check", wrong), 422)

    def test_texts_of_one_design_are_simulated_once_and_each_is_told_its_own_lines(self):
        other = "\n\n" + SCENARIO.replace('"200 ms"', '"0.2 s" ').replace("comments are welcome", "my secret")
        for route in ("/v1/runs", "/v1/check"):
            first = self.server.post(route + "?seed=55")
            second = self.server.post(route + "?seed=55", other)
            self.server.wait(first.headers["location"])
            self.server.wait(second.headers["location"])
            third = self.server.post(route + "?seed=55", "\n" + other)
            self.assertEqual((third.status, third.json["state"]), (200, "done"), third.text)
            pages = [self.server.get(a.headers["location"] + "/report.html").text for a in (first, second, third)]
            results = [self.server.get(a.headers["location"] + "/result").json for a in (first, second, third)]
            if route == "/v1/runs":
                self.assertEqual(results[0], results[1])
                for page, line in zip(pages, (6, 8, 9)):
                    self.assertIn(f"scenario.json:{line}:", page)
                    self.assertNotIn(f"scenario.json:{line + 4}:", page)
            self.assertNotIn("secret", "".join(pages) + json.dumps(results))
        ended = re.findall(r'stallcast_runs_total\{kind="(run|check)",status="done"\} (\d+)', self.server.get("/metrics").text)
        before = dict(ended)
        self.server.run("/v1/runs?seed=55", "\n\n\n" + other)
        self.server.run("/v1/runs?seed=55", SCENARIO.replace('"loader"', '   "loader"'))
        after = dict(re.findall(r'stallcast_runs_total\{kind="(run|check)",status="done"\} (\d+)',
                                self.server.get("/metrics").text))
        # The fourth text joins, and the fifth is a content of its own.
        self.assertEqual(int(after["run"]), int(before["run"]) + 1)
        self.assertEqual(after["check"], before["check"])

    def test_faults_found_by_a_shared_simulation_have_the_lines_of_each_text(self):
        for lines in range(3):
            answer = self.server.run("/v1/plan?over=osts", "\n" * lines + SAVES_LATE)
            self.assertEqual(self.problem(answer, 422)["errors"][0]["line"], 10 + lines)

    def test_what_differs_in_words_that_a_report_shows_is_not_shared(self):
        for why in ("because of mine", "because of yours"):
            text = SCENARIO.replace('>= 50 %"', f'>= 50 %", "why": "{why}"')
            self.assertIn(why, self.server.run("/v1/runs?seed=57", text).text)

    def test_a_diff_names_the_input_that_changed(self):
        texts = {"base": SCENARIO, "head": SCENARIO.replace('"ost": { "count": 4 }', '"ost": { "count": 1 }')}
        found = self.server.run("/v1/diff", json.dumps(texts))
        self.assertEqual(found.status, 200, found.text)
        self.assertIn("storage[scratch].ost.count", found.text)
        objects = {"base": json.loads(SCENARIO.replace("// comments are welcome", "")), "head": texts["head"]}
        self.assertEqual(self.server.run("/v1/diff?attribute=none", json.dumps(objects)).status, 200)
        for body in ("{}", "[]", "{", '{"base": 1, "head": 2}', "[" * 100000, '{"base": ' + '{"a":' * 9999):
            self.problem(self.server.post("/v1/diff", body), 422)

    def test_designs_side_by_side(self):
        few = SCENARIO.replace('"ost": { "count": 4 }', '"ost": { "count": 1 }')
        found = self.server.run("/v1/compare?draws=0", json.dumps({"designs": {"four": SCENARIO, "one": few}}))
        self.assertEqual(found.status, 200, found.text)
        self.assertEqual([design["name"] for design in json.loads(found.text)["designs"]], ["four", "one"])
        many = {"designs": {str(i): SCENARIO for i in range(9)}}
        for body in ("{}", "[]", "{", '{"designs": {}}', '{"designs": 3}', json.dumps(many), "[" * 100000):
            self.problem(self.server.post("/v1/compare", body), 422)

    def test_growth_by_months(self):
        found = self.server.run("/v1/grow?until=1y&of=storage.scratch.ost.read=-5%20%25/month", SCENARIO)
        self.assertEqual(found.status, 200, found.text)
        self.assertEqual(json.loads(found.text)["months"][-1], 12)
        self.problem(self.server.post("/v1/grow?until=soon", SCENARIO), 400)

    def test_the_slide_of_a_run_is_that_of_the_command_line_without_its_data(self):
        made = self.server.post("/v1/runs?draws=0", SCENARIO)
        location = made.headers["location"]
        self.server.wait(location)
        told = program.Run("run", "FILE", "--format", "slide", text=SCENARIO).out
        told = re.sub(r'<script type="application/json".*?</script>\n', "", told, flags=re.DOTALL)
        self.assertEqual(self.server.get(location + "/slide.html").text, told)
        made = self.server.post("/v1/explain?what_if=0", SCENARIO)
        self.server.wait(made.headers["location"])
        self.assertEqual(self.server.get(made.headers["location"] + "/slide.html").status, 404)

    def test_a_sweep_has_a_row_per_point(self):
        made = self.server.post("/v1/sweeps?vary=storage.scratch.ost.count=1,2,4")
        location = made.headers["location"]
        self.assertTrue(location.startswith("/v1/sweeps/"))
        self.assertEqual(self.server.wait(location)["state"], "done")
        found = self.server.get(location + "/result").json
        self.assertEqual(len(found["points"]), 3, list(found))
        page = self.server.get(location + "/report.html")
        self.assertIn("text/html", page.headers["content-type"])
        self.assertEqual(page.text.split('class="slim"')[0].count('r="5.0"'), 3)
        self.problem(self.server.post("/v1/sweeps?vary=storage.scratch.ost.count=1..9000:9000"), 422)
        self.problem(self.server.post("/v1/sweeps?vary=storage.nothing.ost.count=1,2"), 400)

    def test_every_route_is_described_and_answers_as_described(self):
        described = self.server.get("/openapi.json").json
        self.assertEqual(described["openapi"], "3.1.0")
        schemas = described["components"]["schemas"]

        def check(value, schema):
            jsonschema.validate(value, {**schema, "components": {"schemas": schemas}})

        for path, methods in described["paths"].items():
            for method, operation in methods.items():
                self.assertTrue(operation["operationId"] and operation["summary"], path)
                url, body = path.replace("catalog/{id}", "catalog/host/dgx-h100"), None
                query = [(p["name"], p["example"]) for p in operation["parameters"]
                         if p["in"] == "query" and "example" in p and p["name"] in ("set", "seed", "attribute", "of")]
                if "requestBody" in operation:
                    media = operation["requestBody"]["content"]["application/json"]
                    check(media["example"], media["schema"])
                    body = json.dumps(media["example"])
                if query:
                    url += "?" + urllib.parse.urlencode(query, doseq=True)
                if "{id}" in url:
                    made = self.server.post("/v1/sweeps?vary=storage.scratch.ost.count=1,2" if "sweeps" in path
                                            else "/v1/runs")
                    self.server.wait(made.headers["location"])
                    url = url.replace("{id}", made.json["id"])
                answer = self.server.ask(method.upper(), url, body)
                if answer.status == 422 and "sweep" in path:
                    continue  # the example varies nothing
                self.assertIn(str(answer.status), operation["responses"], (path, answer.text))
                self.assertIn(answer.status, (200, 202, 204), (path, answer.text))
                content = operation["responses"][str(answer.status)].get("content", {})
                if "application/json" in content:
                    check(answer.json, content["application/json"]["schema"])
                elif content:
                    self.assertTrue(answer.headers["content-type"].startswith(next(iter(content))), path)

    def test_unknown_ids_paths_methods_and_parameters_are_problems(self):
        self.problem(self.server.get("/v1/runs/" + "0" * 32), 404)
        self.problem(self.server.get("/v1/nothing"), 404)
        self.problem(self.server.get("/v1/../etc/passwd"), 404)
        self.problem(self.server.post("/v1/lint?sets=x"), 400)
        self.problem(self.server.post("/v1/lint", ""), 400)
        self.problem(self.server.post("/v1/runs?replicas=many"), 400)
        self.problem(self.server.post("/v1/runs?replicas=0"), 400)
        self.problem(self.server.post("/v1/runs?advice=maybe"), 400)
        self.problem(self.server.post("/v1/check?new_only=perhaps"), 400)
        wrong = self.server.ask("PUT", "/v1/runs")
        self.problem(wrong, 405)
        self.assertEqual(wrong.headers["allow"], "POST")

    def test_files_may_not_be_extended(self):
        for target in ("/etc/passwd", "../x.json", "base.json"):
            text = SCENARIO.replace('"id": "served"', f'"extends": "{target}", "id": "served"')
            found = self.problem(self.server.post("/v1/estimate", text), 422)
            self.assertEqual(found["errors"][0]["code"], "extends")

    def test_pages_of_other_origins_and_other_names_are_turned_away(self):
        self.problem(self.server.post("/v1/lint", Origin="https://evil.example"), 403)
        self.problem(self.server.get("/v1/schema", Host="evil.example"), 403)
        own = f"127.0.0.1:{self.server.port}"
        self.assertEqual(self.server.post("/v1/lint", Origin="http://" + own).status, 200)

    def test_metrics_have_no_label_that_a_client_can_choose(self):
        self.server.get("/v1/secret-path-of-mine")
        self.server.post("/v1/runs?seed=3")
        text = self.server.get("/metrics").text
        self.assertNotIn("secret", text)
        self.assertIn('stallcast_http_requests_total{route="none",code="404"}', text)
        labels = set(re.findall(r'(\w+)="', text))
        self.assertLessEqual(labels, {"route", "code", "le", "kind", "status", "version", "model"})
        for line in text.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) |[a-z_]+(\{[^}]*\})? [-+.e0-9]+$)")

    def test_health_needs_nothing(self):
        self.assertEqual(self.server.get("/healthz").text, "ok\n")
        self.assertEqual(self.server.get("/readyz").status, 200)
        head = self.server.ask("HEAD", "/healthz")
        self.assertEqual((head.status, head.text), (200, ""))


if __name__ == "__main__":
    program.main()
