"""What the server has of the command line besides reports: traces, and entries of the catalogue.

Usage: serve_lookups_test.py PATH_OF_STALLCAST [unittest options].
"""

import json
import os
import tempfile
import unittest

import program
from server import SCENARIO, Server


class Lookups(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def problem(self, answer, status):
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")

    def test_the_trace_of_a_run_has_the_slices_of_the_command_line(self):
        made = self.server.post("/v1/runs?draws=0&advice=false", SCENARIO)
        location = made.headers["location"]
        self.server.wait(location)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            program.Run("run", "FILE", "--draws", "0", "--trace", path, text=SCENARIO)
            with open(path, encoding="utf-8") as file:
                told = json.load(file)
        trace = self.server.get(location + "/trace")
        self.assertEqual(trace.headers["content-type"], "application/json")
        # Counters are in fewer steps: those of the page's time line.
        slices = [[e for e in events["traceEvents"] if e["ph"] != "C"] for events in (trace.json, told)]
        self.assertEqual(slices[0], slices[1])
        self.assertGreater(len(slices[0]), 10)
        self.assertEqual(trace.json["otherData"], told["otherData"])
        self.problem(self.server.get("/v1/runs/" + "0" * 32 + "/trace"), 404)
        made = self.server.post("/v1/explain?what_if=0", SCENARIO)
        self.server.wait(made.headers["location"])
        self.problem(self.server.get(made.headers["location"] + "/trace"), 404)

    def test_an_entry_of_the_catalogue_is_that_of_the_command_line(self):
        told = program.Run("catalog", "show", "host/dgx-h100", "--format", "json").out
        for path in ("host/dgx-h100", "host%2Fdgx-h100"):
            found = self.server.get("/v1/catalog/" + path)
            self.assertEqual(json.loads(found.text), json.loads(told))
        self.assertIn(json.loads(told), self.server.get("/v1/catalog").json)
        self.problem(self.server.get("/v1/catalog/host/nothing"), 404)


if __name__ == "__main__":
    program.main()
