"""`--trace` as a user sees it: the file, what is said of it, and that it changes no figure.

Usage: trace_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""

import gzip
import json
import os
import pathlib
import tempfile
import unittest

import program
from program import Run

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "library"
SCENARIO = """{
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 2, "read": "1 GB/s", "write": "1 GB/s" } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "200 ms" },
    "dataset": { "on": "scratch", "format": "raw", "sample": "8 MiB", "size": "20 TB" },
    "loader": { "type": "pytorch", "workers": 4, "batch": 4 },
    "checkpoint": { "to": "scratch", "size": "10 GB", "every": "10 s" }
  } ],
  "run": { "duration": "60 s" }
}
"""


def faults(trace):
    """What of a trace its readers would show otherwise than it was meant."""
    out, open_slices, named = [], {}, set()
    for event in trace["traceEvents"]:
        track = (event["pid"], event.get("tid"))
        if event["ph"] == "M" and event["name"] == "thread_name":
            named.add(track)
        if event["ph"] != "X":
            continue
        begin = round(event["ts"] * 1000)
        end = begin + round(event["dur"] * 1000)
        stack = open_slices.setdefault(track, [])
        while stack and stack[-1] <= begin:
            stack.pop()
        if end <= begin or (stack and stack[-1] < end):
            out.append(f"{event['name']} at {event['ts']} does not nest")
        stack.append(end)
    out += [f"{track} has no name" for track in open_slices if track not in named]
    return out


class Trace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "t.json"
        self.scenario = self.folder / "s.json"
        self.scenario.write_text(SCENARIO)

    def trace(self, *args, **kwargs):
        run = Run(*args, "--trace", str(self.file), **kwargs)
        self.assertIn(run.code, (0, 1, 3), run.err)
        return run, json.loads(self.file.read_text())

    def test_the_report_is_the_same_with_a_trace(self):
        plain = Run("run", str(self.scenario), "--format", "json")
        run, trace = self.trace("run", str(self.scenario), "--format", "json")
        self.assertEqual(run.out, plain.out)
        self.assertEqual(run.code, plain.code)
        self.assertEqual(faults(trace), [])
        self.assertEqual(trace["otherData"]["scenario"], "small")
        self.assertEqual(trace["otherData"]["window_s"], [0, 60])

    def test_the_same_scenario_gives_the_same_bytes(self):
        self.trace("run", str(self.scenario), "--no-advice")
        first = self.file.read_bytes()
        self.trace("run", str(self.scenario), "--no-advice")
        self.assertEqual(self.file.read_bytes(), first)
        self.assertEqual(sorted(os.listdir(self.folder)), ["s.json", "t.json"])

    def test_a_name_that_ends_in_gz_gives_the_same_trace_compressed(self):
        self.trace("run", str(self.scenario), "--no-advice")
        packed = self.folder / "t.json.gz"
        files = []
        for _ in range(2):
            run = Run("run", str(self.scenario), "--no-advice", "--trace", str(packed))
            self.assertIn("trace: " + str(packed), run.err)
            files.append(packed.read_bytes())
        self.assertEqual(files[0], files[1])  # no date in it
        self.assertEqual(gzip.decompress(files[0]), self.file.read_bytes())
        self.assertLess(5 * len(files[0]), self.file.stat().st_size)

    def test_what_is_in_it_is_said_unless_quiet(self):
        run, _ = self.trace("run", str(self.scenario), "--no-advice")
        self.assertIn("trace: " + str(self.file), run.err)
        self.assertIn("0 s to 60 s of the run", run.err)
        self.assertIn("ui.perfetto.dev", run.err)
        run, _ = self.trace("run", str(self.scenario), "--no-advice", "--quiet")
        self.assertEqual(run.err, "")

    def test_a_window_is_what_was_asked_for(self):
        _, trace = self.trace("run", str(self.scenario), "--no-advice", "--trace-window", "20s..30s")
        begin, end = trace["otherData"]["window_s"]
        self.assertTrue(20 <= begin < 25 and end == 30, trace["otherData"])
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                self.assertGreaterEqual(event["ts"], begin * 1e6 - 1e-3)
                self.assertLessEqual(event["ts"] + event["dur"], end * 1e6 + 1e-3)

    def test_a_step_begins_when_it_does_however_long_the_window(self):
        # After 15 s there is a wait that had been taken to be none; ranks are drawn otherwise without that.
        scenario = json.loads(SCENARIO)
        scenario["cluster"]["hosts"] = [{"id": "gpu", "count": 8, "gpus": 4, "cpu": {"cores": 64}}]
        scenario["storage"][0]["ost"]["count"] = 4
        job = scenario["jobs"][0]
        job.update({"steps": 200, "step": {"compute": "0.3 s"}})
        job["dataset"] = {"on": "scratch", "format": "raw", "sample": "1 MB", "samples": 1000000, "decode": "1 ms"}
        job["loader"] = {"type": "pytorch", "batch": 32, "workers": 4}
        job["checkpoint"] = {"to": "scratch", "every": "30 s", "size": "100 GB", "mode": "async"}
        scenario["run"] = {}
        self.scenario.write_text(json.dumps(scenario))
        begins = []
        for window in ("15s", "100s"):
            _, trace = self.trace("run", str(self.scenario), "--draws", "0", "--no-advice", "--trace-window", window)
            begins.append({e["ts"] for e in trace["traceEvents"] if e["name"] == "ProfilerStep#3"})
        self.assertEqual(*begins)

    def test_a_window_after_the_run_is_said_to_be_empty(self):
        run, _ = self.trace("run", str(self.scenario), "--no-advice", "--trace-window", "900 min..901 min")
        self.assertIn("is over: the trace is empty", run.err)

    def test_wrong_options_are_refused(self):
        for more in (["--trace-window", "60s"], ["--trace", "-"], ["--trace", "t", "--trace-window", "60"],
                     ["--trace", "t", "--trace-window", "3s..2s"],
                     ["--trace", "t", "--trace-window", "-3s"],
                     ["--trace", "t", "--trace-ranks", "wurst"],
                     ["--trace", "t", "--trace-ranks", "worst:0"],
                     ["--trace", "/no/such/folder/t.json"]):
            run = Run("run", str(self.scenario), "--no-advice", *more)
            self.assertEqual(run.code, 2, run.err)
            self.assertEqual(run.out, "", more)
            self.assertRegex(run.err, "trace|No such file")

    # One of every fourth scenario: all of them take a minute.
    def test_scenarios_of_the_library_keep_their_figures(self):
        for path in sorted(LIBRARY.glob("*.json"))[::4]:
            with self.subTest(path.name):
                args = ["run", str(path), "--no-advice", "--format", "json"]
                plain = Run(*args)
                run, trace = self.trace(*args, "--trace-window", "2s")
                self.assertEqual(run.out, plain.out)
                self.assertEqual(faults(trace), [])
                self.assertTrue(any(e["ph"] == "X" for e in trace["traceEvents"]))


class Groups(unittest.TestCase):
    """What is shown besides ranks and saves has groups of its own."""

    def test_failures_collectives_and_tenants_are_named(self):
        wanted = {"host-failure.json": ("9 min..12 min", "job {}: failures"),
                  "oss-failover.json": ("4 min..6 min", "failures of storage"),
                  "llm-converged-fabric.json": ("5 s", "job {}: communication"),
                  "shared-cluster.json": ("5 s", "tenant ")}
        for name, (window, group) in wanted.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "t.json"
                run = Run("run", str(LIBRARY / name), "--no-advice", "--trace", str(file),
                          "--trace-window", window)
                self.assertIn(run.code, (0, 1), run.err)
                trace = json.loads(file.read_text())
                self.assertEqual(faults(trace), [])
                groups = {e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
                before = group.split("{}")
                self.assertTrue([g for g in groups if all(p in g for p in before)], groups)


if __name__ == "__main__":
    program.main()
