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

STALLCAST, REPO = sys.argv[1], sys.argv[2]
MAKE = os.path.join(REPO, "bench", "observe", "make_traces.py")
KINDS = {"strace": "strace", "dftracer": "dftracer", "dftracer-texts": "dftracer", "darshan-dxt": "darshan-dxt",
         "iolog": "iolog", "iolog-2": "iolog"}

# A filer of one 5 GB/s controller that takes 260 us for a request; hosts do not limit.
SCENARIO = {
    "id": "filer",
    "cluster": {"hosts": [{"id": "gpu", "count": 4, "nic.rate": "800 Gb/s", "cpu.copy": "1000 GB/s"}],
                "fabric": {"rtt": "10 us"}},
    "storage": [{"id": "nfs", "type": "nfs", "head.count": 1, "head.read": "5 GB/s", "head.write": "5 GB/s",
                 "head.ops": "1000 kops/s", "head.service": "250 us", "client.connection": "1000 GB/s",
                 "client.transport": "rdma", "client.stream": "1000 GB/s", "client.read_ahead": "1 GiB"}],
    "tenants": [{"id": "x", "type": "tracking", "on": "nfs", "hosts": "gpu", "writers": 1}],
    "run": {"duration": "1 s"},
}


def run(*args, verb="replay"):
    return subprocess.run([STALLCAST, verb, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def nested(flat):
    """Keys with dots as objects."""
    if isinstance(flat, list):
        return [nested(item) for item in flat]
    if not isinstance(flat, dict):
        return flat
    out = {}
    for key, value in flat.items():
        at = out
        *path, last = key.split(".")
        for step in path:
            at = at.setdefault(step, {})
        at[last] = nested(value)
    return out


def strace(reads, size, think, length):
    """Reads of one file with as much between them as they are long."""
    lines = ['7 1700000000.000000 openat(AT_FDCWD, "/d/f", O_RDONLY) = 3 <0.000100>']
    now = 0.0001
    for i in range(reads):
        now += think
        lines.append(f'7 {1700000000 + now:.6f} pread64(3, "", {size}, {2 * i * size}) = {size} <{length:.6f}>')
        now += length
    return "\n".join(lines) + "\n"


def loader(workers, queue, batches, read, compute, samples=2):
    """When each batch is begun and ready, and its step begins and ends: PyTorch's protocol with `queue` batches under
    way at most, each of `samples` reads that take `read`."""
    made = []
    for b in range(batches):
        asked = made[b - queue]["taken"] if b >= queue else 0.5
        start = max(made[b - workers]["ready"] if b >= workers else 0.5, asked)
        ready = start + samples * read
        taken = max(made[b - 1]["end"] if b else 0.1, ready)
        made.append({"start": start, "ready": ready, "taken": taken, "end": taken + compute})
    return made


def dlio(made, workers, read, samples=2, lanes=None):
    """A trace of DFTracer of a job that runs so, in the dialect of 2023."""
    rows, base = ["["], 1700000000000000

    def row(name, category, thread, start, length, **more):
        args = {"hostname": "h", **{key: str(value) for key, value in more.items()}}
        rows.append(json.dumps({"id": str(len(rows)), "name": name, "cat": category, "pid": "0", "tid": str(thread),
                                "ts": str(base + round(start * 1e6)), "dur": str(round(length * 1e6)), "ph": "X",
                                "args": args}))

    row("DLIOBenchmark._train", "dlio_benchmark", 10, 0.1, made[-1]["end"] - 0.1)
    for b, batch in enumerate(made):
        thread = (lanes or range(11, 11 + workers))[b % workers]
        for s in range(samples):
            begun = batch["start"] + s * read
            row("pread64", "POSIX", thread, begun, read, fname="/d/f", fd=3, ret=4096,
                offset=(b * samples + s) << 20)
            row("NPZReader.read_index", "reader", thread, begun, read, epoch=1, step=b // workers + 1)
        row("TorchFramework.compute", "ai_framework", 10, batch["taken"], batch["end"] - batch["taken"])
    return "\n".join(rows) + "\n"


def marked(made, workers, queue, read, samples=2, own=False):
    """The same job under strace, with marks; `own`: without workers, one process reads and trains."""
    lines = []

    def call(process, at, text, length=0.0):
        lines.append((at, len(lines), f"{process} {1700000000 + at:.6f} {text} <{length:.6f}>"))

    def mark(process, at, what):
        call(process, at, f'access("/.stallcast/{what}", F_OK) = -1 ENOENT (No such file or directory)')

    mark(10, 0.1, "pass")
    for b, batch in enumerate(made):
        process = 10 if own else 11 + b % workers
        name = f"{process}/0/{b}"
        mark(10, made[b - 1]["end"] if b else 0.1, "want")
        if not own:
            mark(10, made[b - queue]["taken"] if b >= queue else 0.5, f"ask/{name}")
            mark(process, batch["start"], f"start/{name}")
            mark(process, batch["ready"], f"ready/{name}")
        for s in range(samples):
            call(process, batch["start"] + s * read, f'pread64(3</d/f>, ""..., 4096, {(b * samples + s) << 20}) = 4096', read)
        mark(10, batch["taken"], "take" if own else f"take/{name}")
        mark(10, batch["end"], "step")
    return "\n".join(line for _, _, line in sorted(lines)) + "\n"


# A read of 4 KiB on SCENARIO with `service`, nobody else reading: a round trip, the turn, the bytes.
def read_time(service):
    return service + 10e-6 + 4096 / 5e9


class Replay(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.scenario = self.write("filer.json", json.dumps(nested(SCENARIO)))

    def write(self, name, data):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def made(self, kind, seed=1, size=2e5):
        trace = subprocess.run([sys.executable, MAKE, kind, "--bytes", str(size), "--seed", str(seed)], check=True,
                               stdout=subprocess.PIPE).stdout
        return self.write(f"{kind}.{seed}", trace)

    def replay(self, *args):
        done = run(*args, "--on", self.scenario, "--format", "json", "--no-advice")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, *args, says, hint="", verb="replay"):
        done = run(*args, verb=verb)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)
        self.assertIn(hint, done.stderr)
        self.assertEqual(done.stdout, "")

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

    def test_a_trace_that_only_thinks_lasts_as_long(self):
        path = self.write("t", "".join(f'7 {1700000000 + i}.000000 lseek({3}, 0, SEEK_SET) = 0 <0.000001>\n'
                                       for i in range(20)).replace(
            "7 1700000000.000000 lseek(3, 0, SEEK_SET) = 0 <0.000001>",
            '7 1700000000.000000 openat(AT_FDCWD, "/d/f", O_RDONLY) = 3 <0.000780>'))
        found = self.replay(path)
        self.assertAlmostEqual(found["replayed"]["makespan_s"], found["traced"]["makespan_s"], delta=1e-6)

    def on_service(self, path, service):
        return self.replay(path, "--set", f"storage.nfs.head.service={service * 1e3} ms", "--set",
                           "storage.nfs.head.ops=50 kops/s")

    def test_steps_wait_for_their_batches(self):
        # Of as fast a store as was traced, a faster and a slower one: the protocol says when each step ends. Once the
        # queue is full a step takes max(c, samples t / W).
        for workers, queue, compute in ((1, 2, 0.01), (4, 8, 0.01), (4, 8, 0.05), (2, 2, 0.03), (3, 7, 0.02)):
            service = 0.02
            made = loader(workers, queue, 60, read_time(service), compute)
            path = self.write("t", dlio(made, workers, read_time(service)))
            for other in (service, service / 4, service * 4):
                with self.subTest(workers=workers, queue=queue, compute=compute, service=other):
                    found = self.on_service(path, other)
                    again = loader(workers, queue, 60, read_time(other), compute)
                    self.assertAlmostEqual(found["traced"]["makespan_s"], made[-1]["end"] - 0.1, delta=1e-5)
                    self.assertAlmostEqual(found["replayed"]["makespan_s"], again[-1]["end"] - 0.1, delta=1e-3)
                    self.assertEqual(found["replayed"]["steps"]["count"], 60)
                    wait = sum(b["taken"] - (again[i - 1]["end"] if i else 0.1) for i, b in enumerate(again))
                    self.assertAlmostEqual(found["replayed"]["waits"]["time_s"], wait, delta=2e-3)
                    late = max(compute, 2 * read_time(other) / workers)
                    steps = [b["end"] for b in again]
                    self.assertAlmostEqual((steps[-1] - steps[-1 - 3 * workers]) / (3 * workers), late, delta=1e-3)

    def test_marks_of_strace_are_those_of_the_loader(self):
        for workers, queue, compute in ((1, 2, 0.011), (3, 6, 0.01), (2, 4, 0.05), (3, 7, 0.021)):
            made = loader(workers, queue, 40, read_time(0.02), compute)
            path = self.write("t", marked(made, workers, queue, read_time(0.02)))
            for service in (0.02, 0.005, 0.09):
                with self.subTest(workers=workers, queue=queue, compute=compute, service=service):
                    found = self.on_service(path, service)
                    again = loader(workers, queue, 40, read_time(service), compute)
                    self.assertAlmostEqual(found["replayed"]["makespan_s"], again[-1]["end"] - 0.1, delta=1e-3)
                    self.assertEqual(found["replayed"]["steps"]["count"], 40)
                    self.assertIn("40 of 40 batches", " ".join(found["notes"]))
                    self.assertEqual(found["traced"]["kinds"]["read"]["operations"], 80)

    def test_without_workers_the_reads_are_the_wait(self):
        made = loader(1, 1, 20, read_time(0.02), 0.01)
        # One after the other: a batch is read when the step before has ended.
        for b, batch in enumerate(made):
            begun = made[b - 1]["end"] if b else 0.5
            batch.update(start=begun, ready=begun + 2 * read_time(0.02), taken=begun + 2 * read_time(0.02))
            batch["end"] = batch["taken"] + 0.01
        found = self.on_service(self.write("t", marked(made, 0, 1, read_time(0.02), own=True)), 0.04)
        self.assertAlmostEqual(found["replayed"]["waits"]["time_s"] - found["traced"]["waits"]["time_s"],
                               40 * 0.02, delta=1e-3)
        self.assertAlmostEqual(found["replayed"]["steps"]["latency_s"]["p50"], 0.01 + 2 * read_time(0.04), delta=1e-4)

    def test_a_batch_that_nobody_marked_keeps_its_wait(self):
        made = loader(2, 4, 20, read_time(0.02), 0.01)
        lines = marked(made, 2, 4, read_time(0.02)).splitlines()
        cut = "\n".join(line for line in lines if "ready/11/0/6" not in line) + "\n"
        found = self.on_service(self.write("t", cut), 0.02)
        self.assertIn("1 batch not in the trace", " ".join(found["notes"]))
        self.assertAlmostEqual(found["replayed"]["makespan_s"], made[-1]["end"] - 0.1, delta=1e-3)

    def test_a_faster_store_brings_no_batch_before_the_queue_has_room(self):
        # A store without cost: the job takes its steps, and workers are held back as the queue was.
        made = loader(4, 4, 40, read_time(0.02), 0.05)
        found = self.on_service(self.write("t", dlio(made, 4, read_time(0.02))), 1e-6)
        last = loader(4, 4, 40, read_time(1e-6), 0.05)
        self.assertAlmostEqual(found["replayed"]["makespan_s"], last[-1]["end"] - 0.1, delta=1e-3)
        self.assertIn("at most 4 batches", " ".join(found["notes"]))

    def test_slower_is_never_shorter(self):
        made = loader(3, 6, 50, read_time(0.02), 0.015)
        path = self.write("t", dlio(made, 3, read_time(0.02)))
        spans = [self.on_service(path, 0.001 * 1.7 ** i)["replayed"]["makespan_s"] for i in range(12)]
        self.assertEqual(spans, sorted(spans))

    def test_batches_out_of_turn_are_not_guessed(self):
        # Worker numbers against the order in which batches are dealt: the first step would have a batch that was not
        # ready.
        made = [{"start": 0.5, "taken": 0.6, "end": 0.61}, {"start": 0.96, "taken": 1.1, "end": 1.2}]
        for lanes, turn in (([11, 12], True), ([12, 11], False)):
            found = self.on_service(self.write("t", dlio(made, 2, read_time(0.02), lanes=lanes)), 0.02)
            self.assertEqual("do not come from the workers in turn" not in " ".join(found["notes"]), turn)
            self.assertAlmostEqual(found["replayed"]["makespan_s"], 1.1, delta=1e-3)
            self.assertEqual(found["replayed"]["steps"]["count"], 2)

    def test_threads_without_marks_are_said_to_be_unknown(self):
        lines = strace(5, 4096, 0.001, 0.001)
        found = self.replay(self.write("t", lines + lines.replace("7 17", "8 17")))
        self.assertIn("does not say which thread waits for which", " ".join(found["notes"]))
        self.assertNotIn("steps", found["traced"])
        self.assertNotIn("waits for which", " ".join(self.replay(self.write("t", lines))["notes"]))

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
        self.assertGreaterEqual(beside["replayed"]["makespan_s"], alone["replayed"]["makespan_s"] * (1 - 1e-9))

    def test_only_files_that_are_asked_for(self):
        path = self.write("t", strace(50, 4096, 0.001, 0.0005))
        self.assertEqual(self.replay(path, "--under", "/d")["operations"], 51)
        none = self.replay(path, "--under", "/elsewhere")
        self.assertEqual(none["operations"], 0)
        self.assertAlmostEqual(none["replayed"]["makespan_s"], none["traced"]["makespan_s"], delta=1e-9)
        self.assertIn("nothing is replayed", none["notes"][0])

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
                               delta=1e-4)
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
