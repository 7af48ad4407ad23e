#!/usr/bin/env python3
"""`stallcast replay`, as a process: traces of every format with operations on a scenario, what it answers where
something is missing, and a closed form from end to end.

    replay_test.py STALLCAST REPO
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

from replaying import Case, KINDS, SCENARIO, STALLCAST, nested, run, strace


class Replay(Case):
    def test_every_format_replays_the_bytes_of_its_import(self):
        for kind, form in KINDS.items():
            path = self.made(kind)
            seen = json.loads(run(form, path, verb="import").stdout)
            for more in ([], ["--speed", "fast"], ["--direct"]):
                with self.subTest(kind=kind, more=more):
                    found = self.replay(path, *more)
                    self.assertEqual(found["trace"]["format"], form)
                    for what, key in (("reading", "read"), ("writing", "write")):
                        if what not in seen or key not in found["traced"]["kinds"]:
                            continue
                        was, now = found["traced"]["kinds"][key], found["replayed"]["kinds"][key]
                        self.assertEqual(was["bytes"], seen[what].get("bytes", 0))
                        self.assertEqual(was["operations"], seen[what]["operations"] - seen[what].get("failed", 0))
                        self.assertEqual(now["operations"], was["operations"])
                        self.assertEqual(now["bytes"], was["bytes"])
                    self.assertGreater(found["replayed"]["makespan_s"], 0)

    def test_reads_of_one_thread_take_what_they_must(self):
        path = self.write("t", strace(200, 1000000, 0.001, 0.0005))
        turn = 260e-6
        found = self.replay(path)
        each = turn + 1e6 / 5e9
        opens = 3 * turn
        # 1 ps for copies at 1000 GB/s: 1 us of each MB.
        self.assertAlmostEqual(found["replayed"]["makespan_s"], opens + 200 * (0.001 + each), delta=1e-4)
        self.assertAlmostEqual(found["traced"]["makespan_s"], 0.0001 + 200 * 0.0015, delta=1e-5)
        self.assertAlmostEqual(found["replayed"]["kinds"]["read"]["time_s"], 200 * each, delta=1e-4)
        self.assertAlmostEqual(self.replay(path, "--speed", "fast")["replayed"]["makespan_s"], opens + 200 * each,
                               delta=1e-4)

    def test_a_file_that_the_trace_opens_past_memory_is_read_so(self):
        text = strace(200, 1000000, 0.001, 0.0005)
        marked = text.replace("O_RDONLY", "O_RDONLY|O_DIRECT")
        self.assertNotEqual(text, marked)
        plain, direct = self.replay(self.write("t", text)), self.replay(self.write("t", text), "--direct")
        found = self.replay(self.write("d", marked))
        self.assertAlmostEqual(found["replayed"]["makespan_s"], direct["replayed"]["makespan_s"], delta=1e-9)
        self.assertGreater(found["replayed"]["makespan_s"], plain["replayed"]["makespan_s"] - 1e-9)
        self.assertIn("200 reads and writes are of files opened with O_DIRECT: each waits for the storage", found["notes"])
        self.assertEqual([], [note for note in plain["notes"] if "O_DIRECT" in note])

    def test_a_trace_that_only_thinks_lasts_as_long(self):
        path = self.write("t", "".join(f'7 {1700000000 + i}.000000 lseek({3}, 0, SEEK_SET) = 0 <0.000001>\n'
                                       for i in range(20)).replace(
            "7 1700000000.000000 lseek(3, 0, SEEK_SET) = 0 <0.000001>",
            '7 1700000000.000000 openat(AT_FDCWD, "/d/f", O_RDONLY) = 3 <0.000780>'))
        found = self.replay(path)
        self.assertAlmostEqual(found["replayed"]["makespan_s"], found["traced"]["makespan_s"], delta=1e-6)

    def test_twice_as_fast_is_not_slower(self):
        for kind in KINDS:
            path = self.made(kind)
            slow = self.replay(path)["replayed"]["makespan_s"]
            fast = self.replay(path, "--set", "storage.nfs.head.read=10 GB/s", "--set",
                               "storage.nfs.head.write=10 GB/s", "--set", "storage.nfs.head.service=125 us")
            self.assertLessEqual(fast["replayed"]["makespan_s"], slow * (1 + 1e-9), kind)

    def test_the_same_twice(self):
        path = self.made("strace")
        for form in ("text", "json", "csv", "markdown", "html"):
            first, second = (run(path, "--on", self.scenario, "--format", form) for _ in range(2))
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertEqual(first.stdout, second.stdout)
            self.assertTrue(first.stdout)
        text = run(path, "--on", self.scenario).stdout
        for part in ("makespan", "time in I/O", "reads", "What limits it", "one machine"):
            self.assertIn(part, text)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        self.assertNotRegex(text, r"\n  1 storage\.")  # parts have the names that a run gives them
        table = run(path, "--on", self.scenario, "--format", "markdown").stdout.split("| limits")[0]
        labels = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| ")]
        self.assertIn("| reads: time in them", labels)
        self.assertEqual(len(labels), len(set(labels)), labels)

    def test_packed_and_cut_traces(self):
        whole = strace(50, 4096, 0.001, 0.0005)
        plain = self.replay(self.write("t", whole))
        packed = self.replay(self.write("t.gz", gzip.compress(whole.encode())))
        self.assertEqual(plain["replayed"], packed["replayed"])
        done = run(self.write("cut", whole[:len(whole) // 2]), "--on", self.scenario, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning", done.stderr)
        found = json.loads(done.stdout)
        self.assertTrue(0 < found["traced"]["kinds"]["read"]["operations"] < 50)

    def test_processes_go_on_hosts_in_blocks(self):
        path = self.made("darshan-dxt")
        self.assertEqual(self.replay(path)["on"]["hosts_used"], 4)
        self.assertEqual(self.replay(path, "--per-host", "2")["on"]["hosts_used"], 2)
        self.assertEqual(self.replay(self.made("strace"))["on"]["hosts_used"], 1)
        self.refused(path, "--on", self.scenario, "--per-host", "1", "--set", "cluster.hosts.gpu.count=3",
                     says="need 4 hosts, and \"gpu\" has 3", hint="--per-host")

    def test_a_kept_program_is_a_tenant_of_a_scenario(self):
        path, program = self.made("dftracer"), os.path.join(self.folder.name, "job.program")
        found = self.replay(path, "--keep-program", program)
        scenario = nested(SCENARIO)
        scenario["tenants"] = [{"id": "job", "type": "replay", "program": "job.program", "on": "nfs", "hosts": "gpu"}]
        del scenario["run"]
        mine = self.write("mine.json", json.dumps(scenario))
        done = run(mine, "--format", "json", "--no-advice", "--draws", "0", verb="run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["metrics"]["tenant.job.makespan"]["value"],
                               found["replayed"]["makespan_s"], places=9)
        scenario["tenants"][0]["sha256"] = "0" * 64
        self.refused(self.write("other.json", json.dumps(scenario)), verb="run", says="not the one in \"sha256\"")
        scenario["tenants"][0]["program"] = "t"
        self.write("t", "no program of a replay\n" * 100)
        self.refused(self.write("none.json", json.dumps(scenario)), verb="run", says="this is no program of a replay")

    def test_beside_the_rest_of_the_scenario(self):
        path = self.made("dftracer")
        alone, beside = self.replay(path), self.replay(path, "--with-jobs")
        self.assertNotIn("tenant.x", json.dumps(alone))
        # Where requests race one of the replay may be served before another: laws.md, law 6.
        self.assertGreaterEqual(beside["replayed"]["makespan_s"], alone["replayed"]["makespan_s"] * (1 - 1e-3))

    def test_only_files_that_are_asked_for(self):
        path = self.write("t", strace(50, 4096, 0.001, 0.0005))
        self.assertEqual(self.replay(path, "--under", "/d")["operations"], 51)
        self.refused(path, "--on", self.scenario, "--under", "/elsewhere",
                     says="no operation of the trace is on a file under /elsewhere", hint="as the trace has them")

    def test_what_is_missing_is_said(self):
        path = self.made("strace")
        self.refused(path, says="--on is missing", hint="--on SCENARIO")
        self.refused(os.path.join(self.folder.name, "nothing"), "--on", self.scenario, says="nothing")
        self.refused(self.write("text", "hello\n"), "--on", self.scenario, says="does not tell its format",
                     hint="--trace-format")
        self.refused(self.made("kineto"), "--on", self.scenario, says="traces of kineto hold no operations",
                     hint="strace")
        self.refused(path, "--on", self.scenario, "--trace-format", "strase", says="strase",
                     hint="did you mean \"strace\"?")
        self.refused(path, "--on", self.scenario, "--storage", "nsf", says="no storage system \"nsf\"",
                     hint="did you mean \"nfs\"?")
        self.refused(path, "--on", self.scenario, "--hosts", "cpu", says="no host class \"cpu\"")
        self.refused(path, "--on", self.scenario, "--speed", "slow", says="--speed", hint="keep, fast")
        self.refused(path, "--on", os.path.join(self.folder.name, "none.json"), says="none.json")
        two = nested(SCENARIO)
        two["storage"].append({**two["storage"][0], "id": "other"})
        both = self.write("two.json", json.dumps(two))
        self.refused(path, "--on", both, says="several storage systems", hint="nfs, other")
        self.assertEqual(run(path, "--on", both, "--storage", "other", "--no-advice").returncode, 0)
        bare = nested(SCENARIO)
        del bare["storage"], bare["tenants"]
        bare["jobs"] = [{"id": "train", "hosts": "gpu", "step": {"compute": "1 s"}}]
        self.refused(path, "--on", self.write("bare.json", json.dumps(bare)), says="no storage system")

    def test_hosts_and_storage_are_enough(self):
        path = self.write("t", strace(50, 4096, 0.001, 0.0005))
        bare = nested(SCENARIO)
        bare.pop("jobs", None)
        bare.pop("tenants", None)
        bare.pop("run", None)
        with_more = self.replay(path)
        alone = json.loads(run(path, "--on", self.write("plant.json", json.dumps(bare)), "--format", "json",
                               "--no-advice").stdout)
        self.assertEqual(alone["replayed"]["makespan_s"], with_more["replayed"]["makespan_s"])

    def test_files_lie_on_the_storage_that_is_mapped(self):
        two = nested(SCENARIO)
        slow = dict(two["storage"][0], id="slow", head=dict(two["storage"][0]["head"], service="20 ms", ops="50 kops/s"))
        two["storage"].append(slow)
        path, on = self.write("t", strace(50, 4096, 0.001, 0.0005).replace("/d/f", "/a/f")
                              + strace(50, 4096, 0.001, 0.0005).replace("7 17", "8 17").replace("/d/f", "/b/f")
                              ), self.write("two.json", json.dumps(two))

        def span(*args):
            done = run(path, "--on", on, *args, "--format", "json", "--no-advice")
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)

        fast, all_slow = span("--storage", "nfs"), span("--storage", "slow")
        mixed = span("--storage", "nfs", "--map", "/b=slow")
        self.assertAlmostEqual(mixed["replayed"]["makespan_s"], all_slow["replayed"]["makespan_s"], delta=1e-3)
        self.assertAlmostEqual(mixed["replayed"]["io_s"], (fast["replayed"]["io_s"] + all_slow["replayed"]["io_s"]) / 2,
                               delta=2e-4)  # data of two on one system move beside each other: 0.8 us of each read
        self.assertEqual(mixed["on"]["maps"], {"/b": "slow"})
        self.assertEqual(span("--storage", "slow", "--map", "/=nfs")["replayed"]["io_s"], fast["replayed"]["io_s"])
        # The longest path decides.
        self.assertEqual(span("--storage", "nfs", "--map", "/b=slow", "--map", "/b/f=nfs")["replayed"]["io_s"],
                         fast["replayed"]["io_s"])
        self.refused(path, "--on", on, "--map", "/b=slow", says="several storage systems", hint="--storage: nfs, slow")
        self.refused(path, "--on", on, "--storage", "nfs", "--map", "/b=slwo", says='no storage system "slwo"',
                     hint='did you mean "slow"')
        self.refused(path, "--on", on, "--storage", "nfs", "--map", "slow", says="is not PATH=ID")

    def test_a_kept_program_names_the_storage_of_its_places(self):
        two = nested(SCENARIO)
        two["storage"].append(dict(two["storage"][0], id="slow"))
        path, on = self.write("t", strace(5, 4096, 0.001, 0.0005)), self.write("two.json", json.dumps(two))
        kept = os.path.join(self.folder.name, "kept")
        done = run(path, "--on", on, "--storage", "nfs", "--map", "/d=slow", "--keep-program", kept, "--no-advice")
        self.assertEqual(done.returncode, 0, done.stderr)
        two["tenants"] = [{"id": "r", "type": "replay", "program": "kept", "on": "nfs", "hosts": "gpu"}]
        self.refused(self.write("lacks.json", json.dumps(two)), says='name the others in "also"', hint='"also"',
                     verb="run")
        two["tenants"][0]["also"] = ["slow"]
        self.assertEqual(run(self.write("has.json", json.dumps(two)), "--no-advice", verb="run").returncode, 0)
        two["tenants"][0]["also"] = ["slwo"]
        self.refused(self.write("wrong.json", json.dumps(two)), says='no storage system "slwo"', verb="run")

    def test_measured_storage_needs_writes_where_the_trace_writes(self):
        scenario = nested(SCENARIO)
        scenario["storage"] = [{"id": "m", "type": "measured", "read": {"latency": "1 ms", "rate": "1 GB/s"}}]
        on = self.write("m.json", json.dumps(scenario | {"tenants": []}))
        reads = self.write("r", strace(5, 4096, 0.001, 0.0005))
        self.assertEqual(run(reads, "--on", on, "--no-advice").returncode, 0)
        writes = self.write("w", strace(5, 4096, 0.001, 0.0005).replace("pread64", "pwrite64"))
        self.refused(writes, "--on", on, says='lacks "write.rate"', hint="probe io")

    def test_nothing_is_left_behind(self):
        place = os.path.join(self.folder.name, "tmp")
        os.mkdir(place)
        done = subprocess.run([STALLCAST, "replay", self.made("strace"), "--on", self.scenario],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": place})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(place), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
