"""Traces with known answers, and `stallcast replay` of them, for the tests of replays.

STALLCAST and REPO are the first two arguments of the test that imports it.
"""

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


class Case(unittest.TestCase):
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

    def on_service(self, path, service):
        return self.replay(path, "--set", f"storage.nfs.head.service={service * 1e3} ms", "--set",
                           "storage.nfs.head.ops=50 kops/s")
