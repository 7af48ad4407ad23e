"""Loops that only compute in workers, predicted from a probe of the loader and the core time of one sample.

    python3 bench/observe/loader_cpu.py --profile loader.profile.json [--repeats 6] > table.md

For each kind of work and 1 to 4 workers a DataLoader is run through as fast as it goes, its samples in memory; the
training does nothing. Predicted is the step of a scenario that knows the cores of this machine, the core time of one
sample by itself (in a process of its own, a batch kept and then freed), and what `calibrate` made of `stallcast probe loader`.
Nothing that was measured with workers is given to the prediction but by the probe. Of the repeats the half counts
during which other processes had the least of the cores.
"""

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

import numpy
import torch
from torch.utils.data import DataLoader, Dataset

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
STALLCAST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "release", "bin", "stallcast")
BATCH = 8
SECONDS = 0.8  # of one run
FORK = multiprocessing.get_context("fork")


class Work(Dataset):
    """Samples that take core time and nothing else."""

    def __init__(self, kind, count=1 << 20):
        random.seed(kind)
        self.kind, self.count = kind, count
        self.plain = numpy.frombuffer(random.randbytes(400_000), numpy.uint8)
        self.packed = zlib.compress(random.randbytes(200_000) + bytes(200_000), 1)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return getattr(self, self.kind)()

    def python(self):
        total = 0
        for i in range(60000):
            total += i & 3
        return torch.from_numpy(self.plain[:50_000].copy()) + (total & 1)

    def zlib(self):
        return torch.frombuffer(bytearray(zlib.decompress(self.packed)), dtype=torch.uint8)

    def numpy(self):
        pixels = self.plain.astype(numpy.float32)
        pixels -= pixels.mean()
        pixels /= pixels.std()
        return torch.from_numpy(pixels.astype(numpy.float16))


KINDS = ["python", "zlib", "numpy"]


def alone(kind):
    """Core time of one sample of a batch, by itself, s, and its bytes: in a process as a worker is one."""
    out = FORK.SimpleQueue()

    def compute():
        torch.set_num_threads(1)
        work, times, began = Work(kind), [], time.perf_counter()
        while time.perf_counter() - began < SECONDS / 2:
            cpu = time.thread_time()
            batch = [work[0] for _ in range(BATCH)]
            size = batch[0].numel() * batch[0].element_size()
            times.append((time.thread_time() - cpu) / BATCH)
            del batch  # freed before the next is made, as by a worker
        out.put((statistics.median(times), size))

    child = FORK.Process(target=compute)
    child.start()
    figure = out.get()
    child.join()
    return figure


def core_time():
    """Of the machine, and of that this process and its children, s."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
    mine = [os.getpid()] + [child.pid for child in multiprocessing.active_children()]
    return busy, sum(time.clock_gettime((~process << 3) | 2) for process in mine)


def measured(kind, workers):
    """Time of a batch once all workers are under way, s, and the cores that others had meanwhile."""
    batches = iter(DataLoader(Work(kind), batch_size=BATCH, num_workers=workers))
    for _ in range(4 * workers):
        next(batches)
    count, began, before = 0, time.perf_counter(), core_time()
    while time.perf_counter() - began < SECONDS or count % workers:
        next(batches)
        count += 1
    took, after = time.perf_counter() - began, core_time()
    return took / count, (after[0] - before[0] - after[1] + before[1]) / took


def quiet(runs):
    """Times of the runs that others disturbed least: half of them, at least three."""
    ordered = sorted(runs, key=lambda run: run[1])
    kept = ordered[:max(3, len(runs) // 2)]
    return [figure for figure, _ in kept], kept[-1][1]


def predicted(kind, workers, sample, size, args, folder):
    scenario = {
        "id": "cpu", "cluster": {"hosts": [{"id": "node", "count": 1, "gpus": 1, "cpu": {"cores": os.cpu_count(), "copy": "1 TB/s"}}]},
        "storage": [{"id": "store", "type": "measured", "read": {"rate": "1 TB/s", "latency": "0 s"},
                     "write": {"rate": "1 TB/s", "latency": "0 s"}, "open": {"latency": "0 s"}}],
        "jobs": [{"id": "train", "hosts": "node", "epochs": 1, "steps": 400, "step": {"compute": "1 us"},
                  "dataset": {"on": "store", "format": "raw", "sample": f"{size} B", "decode": f"{sample * 1e6:.3f} us",
                              "parse": "1 TB/s", "parse_fixed": "0 s", "round_trips": 0, "samples": 1000000},
                  "loader": {"type": "pytorch", "batch": BATCH, "workers": workers, "copy": "none"}}]}
    path = os.path.join(folder, "cpu.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario, file)
    done = subprocess.run([args.stallcast, "run", path, "--profile", args.profile, "--no-advice", "--format", "json", "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr[-800:])
    return json.loads(done.stdout)["metrics"]["job.train.steady.step.time"]["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--stallcast", default=STALLCAST)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--measured", help="file of measurements, used again where it is there, else written")
    args = parser.parse_args()
    times = {}
    if args.measured and os.path.exists(args.measured):
        with open(args.measured, encoding="utf-8") as file:
            times = json.load(file)
    else:
        runs = [(kind, workers) for kind in KINDS for workers in (0, 1, 2, 3, 4)] * args.repeats
        for kind, workers in random.sample(runs, len(runs)):
            figure = measured(kind, workers) if workers else alone(kind)
            times.setdefault(f"{kind} {workers}", []).append(figure)
        if args.measured:
            with open(args.measured, "w", encoding="utf-8") as file:
                json.dump(times, file)
    print("| work | core time of a sample | workers | measured | spread | others had | predicted | error |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            sample = statistics.median(figure[0] for figure in times[f"{kind} 0"])
            size = times[f"{kind} 0"][0][1]
            for workers in (1, 2, 3, 4):
                seen, others = quiet(times[f"{kind} {workers}"])
                truth, guess = statistics.median(seen), predicted(kind, workers, sample, size, args, folder)
                errors.append(guess / truth - 1)
                spread = (max(seen) - min(seen)) / truth / 2
                print(f"| {kind} | {sample * 1e3:.2f} ms | {workers} | {truth * 1e3:.2f} ms | {100 * spread:.0f} % | {others:.2f} cores | "
                      f"{guess * 1e3:.2f} ms | {100 * errors[-1]:+.1f} % |")
    print(f"\nMedian of the errors {100 * statistics.median(map(abs, errors)):.1f} %, largest "
          f"{100 * max(map(abs, errors)):.1f} %.")


if __name__ == "__main__":
    main()
