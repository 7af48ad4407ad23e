"""The HTTP API: who may ask, what its limits refuse, what its root gives, and how it ends.

Usage: serve_start_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import re
import signal
import stat
import subprocess
import tempfile
import unittest

import program
from server import SCENARIO, SLOW, Server


class StartAndEndTest(unittest.TestCase):
    def test_other_addresses_need_a_token(self):
        done = program.Run("serve", "--host", "0.0.0.0", "--port", "0")
        self.assertEqual(done.code, 2)
        self.assertIn("needs a token", done.err)

    def test_a_short_token_is_refused(self):
        done = program.Run("serve", "--port", "0", env={"STALLCAST_TOKEN": "short"})
        self.assertEqual(done.code, 2)
        self.assertNotIn("short\"", done.err)

    def test_a_token_is_asked_for_everywhere_but_on_health_and_the_page(self):
        token = "a-token-of-some-length-0123456789"
        with Server("--host", "0.0.0.0", env={"STALLCAST_TOKEN": token}) as server:
            for path in ("/v1/schema", "/metrics", "/v1/runs/" + "0" * 32, "/openapi.json"):
                self.assertEqual(server.get(path).status, 401, path)
                self.assertEqual(server.get(path, Authorization="Bearer " + token[:-1]).status, 401)
                for scheme in ("Bearer ", "bearer "):
                    self.assertNotEqual(server.get(path, Authorization=scheme + token).status, 401)
            for path in ("/healthz", "/readyz", "/"):
                self.assertEqual(server.get(path).status, 200, path)
            self.assertEqual(server.post("/v1/lint").status, 401)

    def test_options_are_refused_as_they_are_described(self):
        with Server() as server:
            for route, why in (("runs?time_limit_s=0", "time_limit_s takes a whole number from 1"),
                               ("runs?replicas=0", "replicas takes a whole number from 1"),
                               ("runs?seed=1&seed=2", "seed is given twice"),
                               ("check?path=designs/m.json", "path needs a baseline")):
                answer = server.post("/v1/" + route)
                self.assertEqual(answer.status, 422 if "path" in route else 400, route)
                self.assertIn(why, answer.text)
            self.assertEqual(server.post("/v1/runs?set=run.seed=1&set=run.replicas=1").status, 202)
            limits = {}
            for methods in server.get("/openapi.json").json["paths"].values():
                for operation in methods.values():
                    for p in operation["parameters"]:
                        limits[p["name"]] = p["schema"].get("minimum"), p["schema"].get("maximum")
            for name, expected in (("replicas", (1, 100)), ("time_limit_s", (1, None)), ("draws", (0, 100)),
                                   ("checks", (0, 100)), ("tornado", (0, 100)), ("seed", (0, None))):
                self.assertEqual(limits[name], expected, name)
            checked = server.run("/v1/check?name=mine.json").json["scenarios"][0]
            self.assertEqual((checked["path"], {a["at"]["file"] for a in checked["assertions"]}),
                             ("mine.json", {"mine.json"}))
            # The cause, and not what follows from it.
            base = SCENARIO.replace('"id": "served"', '"extends": "base.json", "id": "served"')
            vary = "vary=storage.ost.count=40..60:5&vary=jobs.train.loader.workers=1..8:3:log&mode=latin:8"
            refused = server.post("/v1/sweeps?" + vary, base)
            self.assertEqual([e["code"] for e in refused.json["errors"]], ["extends"], refused.text)

    def test_signals_end_it_with_their_exit_codes_and_leave_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server() as server:
                server.post("/v1/runs?advice=false", SLOW)
                code, err = server.stop(number)
                self.assertEqual(code, 128 + number)
                self.assertEqual(err, "")
                self.assertEqual(os.listdir(server.folder.name), [])

    def test_it_ends_with_its_standard_input_where_that_is_asked_for(self):
        with Server("--until-eof", stdin=subprocess.PIPE) as server:
            server.process.stdin.write("whatever is sent is not looked at\n")
            server.process.stdin.flush()
            server.post("/v1/runs?advice=false", SLOW)
            self.assertEqual(server.get("/healthz").status, 200)
            self.assertEqual(server.ended(), (0, ""))
            self.assertEqual(os.listdir(server.folder.name), [])
        with Server(stdin=subprocess.DEVNULL) as server:
            self.assertEqual(server.get("/healthz").status, 200)

    def test_scenarios_extend_files_of_the_root_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "root")
            os.makedirs(os.path.join(root, "bases"))
            for path in ("root/bases/base.json", "outside.json", "root-too.json"):
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(SCENARIO)
            os.symlink(os.path.join(folder, "outside.json"), os.path.join(root, "link.json"))
            os.symlink(folder, os.path.join(root, "up"))
            os.mkfifo(os.path.join(root, "pipe.json"))
            with Server("--root", root) as server:
                good = server.post("/v1/lint", '{ "extends": "bases/base.json", "id": "x" }')
                self.assertTrue(good.json["valid"], good.text)
                outside = set()
                for name in ("../outside.json", "link.json", "up/outside.json", "../root-too.json", "pipe.json",
                             "bases/../../outside.json", "/etc/passwd", ".", "", "bases", "nothing.json",
                             os.path.join(folder, "outside.json")):
                    found = server.post("/v1/estimate", json.dumps({"extends": name}))
                    self.assertEqual(found.status, 422, name)
                    self.assertNotIn(root, found.text.replace(json.dumps(name), ""))
                    error = found.json["errors"][0]
                    outside.add(error["message"].replace(json.dumps(name), "") + error["code"])
                self.assertEqual(len(outside), 1, outside)  # nobody learns what else there is
                wrong = server.post("/v1/estimate", '{ "extends": "bases/base.json", "cluster": 1 }')
                self.assertNotIn(folder, wrong.text)

    def test_a_full_queue_and_a_greedy_client_are_told_to_come_back(self):
        with Server("--runs", "1", "--queue", "2") as server:
            answers = [server.post(f"/v1/runs?advice=false&seed={i}", SLOW) for i in range(8)]
            refused = [a for a in answers if a.status == 503]
            self.assertTrue(refused)
            self.assertIn("retry-after", refused[0].headers)
            self.assertEqual({a.status for a in answers}, {202, 503})

    def test_more_runs_than_one_client_may_have_are_refused_with_when_to_come_back(self):
        with Server("--runs", "1", "--queue", "100") as server:
            answers = [server.post(f"/v1/runs?advice=false&seed={i}", SLOW) for i in range(34)]
            self.assertEqual([a.status for a in answers], [202] * 32 + [429] * 2)
            self.assertEqual(answers[-1].headers["content-type"], "application/problem+json")
            self.assertGreaterEqual(int(answers[-1].headers["retry-after"]), 1)
            # One that is given up makes room for another.
            self.assertEqual(server.ask("DELETE", answers[5].headers["location"]).status, 204)
            self.assertEqual(server.post("/v1/runs?advice=false&seed=99", SLOW).status, 202)

    def test_the_place_of_the_root_is_told_to_nobody(self):
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "base.json"), "w", encoding="utf-8") as file:
                file.write(SCENARIO)
            mine = '{ "extends": "base.json", "id": "mine" }'
            with Server("--root", root) as server:
                said = server.post("/v1/estimate", mine).text + server.post("/v1/resolve", mine).text
                pair = json.dumps({"base": mine, "head": mine.replace('"mine"', '"mine", "run": {"seed": 3}')})
                for route, body in (("/v1/runs", mine), ("/v1/plan", mine), ("/v1/check", mine), ("/v1/diff", pair),
                                    ("/v1/sweeps?vary=storage.scratch.ost.count=1,2", mine),
                                    ("/v1/runs", mine.replace('"id"', '"expect": [{"that": "x.y > 1"}], "id"'))):
                    made = server.post(route, body)
                    said += made.text
                    if made.status == 202:
                        server.wait(made.headers["location"])
                        said += server.get(made.headers["location"] + "/result").text
                        said += server.get(made.headers["location"] + "/report.html").text
                self.assertNotIn(root, said)
                self.assertIn(">base.json:5:", said)

    def test_a_crash_tells_the_client_no_path_and_keeps_the_design_to_the_operator(self):
        with Server(env={"STALLCAST_SIM_FAULT": "abort"}) as server:
            answer = server.run("/v1/runs?advice=false")
            self.assertEqual(answer.status, 500)
            self.assertNotRegex(answer.text, r"tmp|\.json|/")
            _, err = server.stop()
            saved = re.search(r"saved in (\S+\.json)", err)[1]
            self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(saved)).st_mode), 0o700)


if __name__ == "__main__":
    program.main()
