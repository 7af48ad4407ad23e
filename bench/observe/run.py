"""Observed training loops, predicted on the store they were seen on and on another one, next to measurements.

    sudo python3 bench/observe/run.py [--steps 60] [--runs 5] [--only NAME] > docs/validation/observe.md

Two stores are the file system below --folder, held to different limits of bytes and requests by a blkio control
group (which takes root). Of each loop of loops.py:

1. it runs --runs times by itself on store A, its files not in memory: the median of each figure is compared with;
2. it runs again under `stallcast observe`, and `import observation` makes its scenario: what is predicted for A;
3. with `--profile A` the same makes one whose storage is known by probes, simulated with B's profile (`stallcast probe
   all` of each store, 200 s): what is predicted for B;
4. it runs --runs times by itself on store B.

Nothing measured on B but its probes is given to the prediction of B.
"""

import argparse
import dataclasses
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import loops

PYTHON = sys.executable
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, ".."))
from cells import quantile  # noqa: E402  (it lies one folder up)
STALLCAST = os.path.join(HERE, "..", "..", "build", "release", "bin", "stallcast")
STORES = {"A": (200_000_000, 4000), "B": (80_000_000, 1000)}  # B/s, requests/s
FIGURES = {"step": "step_s", "first batch": "first_batch_s", "save": "save_s"}  # as loops.py prints them


@dataclasses.dataclass
class Row:
    """A figure of a loop on a store."""

    loop: str
    store: str
    figure: str
    truth: float  # s
    spread: float  # how far runs lie from it in the median, as a share
    guess: float  # s
    interval: tuple  # of 90 %, s

    @property
    def error(self):
        return self.guess / self.truth - 1

    @property
    def inside(self):
        return self.interval[0] <= self.truth <= self.interval[1]


class Limits:
    """Control groups that hold processes to the limits of a store."""

    def __init__(self, folder):
        self.root, self.owner = tempfile.mkdtemp(), os.getpid()
        subprocess.run(["mount", "-t", "cgroup", "-o", "blkio", "none", self.root], check=True)
        device = os.stat(folder).st_dev
        name = os.path.realpath(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
        if os.path.exists(os.path.join(name, "partition")):
            name = os.path.dirname(name)
        with open(os.path.join(name, "dev"), encoding="ascii") as file:
            disk = file.read().strip()
        for store, (rate, requests) in STORES.items():
            group = self.group(store)
            os.makedirs(group, exist_ok=True)
            for way in ("read", "write"):
                self.put(group, f"blkio.throttle.{way}_bps_device", f"{disk} {rate}")
                self.put(group, f"blkio.throttle.{way}_iops_device", f"{disk} {requests}")

    def group(self, store):
        return os.path.join(self.root, f"stallcast-{self.owner}-{store}")

    @staticmethod
    def put(group, key, value):
        with open(os.path.join(group, key), "w", encoding="ascii") as file:
            file.write(value)

    def run(self, store, *command):
        """Output of a command held to a store's limits."""
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: self.put(self.group(store), "tasks", str(os.getpid())))
        if done.returncode != 0:
            raise RuntimeError(" ".join(command) + ": " + done.stderr[-800:])
        return done.stdout

    def end(self):
        for store in STORES:
            with open(os.path.join(self.group(store), "tasks"), encoding="ascii") as file:
                left = file.read().split()
            for task in left:  # what still tidies up
                try:
                    self.put(self.root, "tasks", task)
                except OSError:
                    pass  # it has ended
            os.rmdir(self.group(store))
        subprocess.run(["umount", self.root], check=True)
        os.rmdir(self.root)


def forget(folder):
    """Puts the files of a folder out of the page cache, and nothing else: programs stay in it."""
    for name in os.listdir(folder):
        file = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def stallcast(*args):
    done = subprocess.run([STALLCAST, *args], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(" ".join(args) + ": " + done.stderr[-800:])
    return done.stdout


def probed(limits, folder, work, probes, store):
    """The profile of a store, from files in `probes`, which are measured where they are not there."""
    kept = os.path.join(probes, store)
    if not os.path.isdir(kept):
        limits.run(store, STALLCAST, "probe", "all", "--target", folder, "--budget", "200s", "-o", kept, "--quiet")
    files = [os.path.join(kept, name) for name in sorted(os.listdir(kept))]
    stallcast("calibrate", *files, "--output", f"{work}/{store}.profile.json", "--quiet")
    return f"{work}/{store}.profile.json"


def simulated(scenario, profile, behind):
    known = ["--profile", profile] if profile else []
    metrics = json.loads(stallcast("run", scenario, *known, "--draws", "32", "--no-advice", "--format", "json",
                                   "--quiet"))["metrics"]

    return {"step": metrics.get("job.train.steady.step.time"), "first batch": metrics.get("job.train.first_batch"),
            "save": metrics.get("job.train.checkpoint.duration" if behind else "job.train.checkpoint.stall")}


def truths(printed):
    """Of each figure that the runs printed: their median and how far it lies from them, as a share, in the median."""
    out = {}
    for key in FIGURES.values():
        values = [run[key] for run in printed if run[key] is not None]
        if values:
            middle = statistics.median(values)
            out[key] = middle, statistics.median(abs(value / middle - 1) for value in values)
    return out


def compared(name, args, limits, folder, profiles, work):
    steps = args.steps
    data = os.path.join(folder, "data")
    loops.make(name, data, steps)
    script = [PYTHON, os.path.join(HERE, "loops.py"), name, data, str(steps)]
    seen, scenarios = f"{work}/seen.json", {store: f"{work}/{store}.json" for store in STORES}

    def run(store, *command):
        if "warm" not in name:
            forget(data)
        return limits.run(store, *command)

    def measured(store):
        return truths([json.loads(run(store, *script)) for _ in range(args.runs)])

    try:
        run("A", *script)  # Python and PyTorch are in memory from now on
        seen_by_itself = {store: measured(store) for store in STORES}
        run("A", STALLCAST, "observe", "-o", seen, "--", *script)
        stallcast("import", "observation", seen, "-o", scenarios["A"], "--quiet")
        stallcast("import", "observation", seen, "--profile", profiles["A"], "-o", scenarios["B"], "--quiet")
        out = []
        for store in STORES:
            predicted = simulated(scenarios[store], {"A": None, "B": profiles["B"]}[store], "behind" in name)
            for figure, key in FIGURES.items():
                truth, guess = seen_by_itself[store].get(key), predicted[figure]
                if truth is not None and guess is not None:
                    low, high = guess.get("ci90", (guess["value"], guess["value"]))
                    out.append(Row(name, store, figure, *truth, guess["value"], (low, high)))
        return out
    finally:
        shutil.rmtree(data)
        if os.path.exists(data + ".save"):
            os.remove(data + ".save")


def page(rows, args):
    limits = ", ".join(f"{store} {rate / 1e6:.0f} MB/s and {ops} requests/s" for store, (rate, ops) in STORES.items())
    print(f"""<!-- bench/observe/run.py --steps {args.steps} --runs {args.runs} -->
# Observed loops, predicted here and there

Training loops with real PyTorch, observed once on store A and predicted on A and on B. Compared with is the median of {args.runs}
runs that nobody watched; "of runs" is how far one of them lies from it, in the median: who observes one run can do
no better. Both stores are one disk held to limits: {limits}. [How](../../bench/observe/run.py), [the loops](../../bench/observe/loops.py),
[what becomes of an observation](../models/observed-job.md).

| store | figure | loops | median error | 95th percentile | of runs | inside the 90 % interval |
|---|---|---:|---:|---:|---:|---:|""")
    for store in STORES:
        for figure in FIGURES:
            some = [row for row in rows if (row.store, row.figure) == (store, figure)]
            if some:
                errors = [abs(row.error) for row in some]
                print(f"| {store} | {figure} | {len(some)} | {100 * statistics.median(errors):.1f} % | "
                      f"{100 * quantile(errors, 0.95):.1f} % | {100 * statistics.median(row.spread for row in some):.1f} % | "
                      f"{sum(row.inside for row in some)} of {len(some)} |")
    print("\n| loop | store | figure | measured | predicted | error | of runs | interval | inside |\n"
          "|---|---|---|---:|---:|---:|---:|---:|---|")
    for row in rows:
        low, high = row.interval
        print(f"| {row.loop} | {row.store} | {row.figure} | {1000 * row.truth:.1f} ms | {1000 * row.guess:.1f} ms | "
              f"{100 * row.error:+.1f} % | {100 * row.spread:.1f} % | {1000 * low:.1f}-{1000 * high:.1f} | "
              f"{'yes' if row.inside else 'no'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=".", help="a folder on a disk of its own")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--runs", type=int, default=5, help="of each loop on each store, by themselves")
    parser.add_argument("--only", help="one loop")
    parser.add_argument("--probes", help="folder of the probe files, kept; those that are there are used again")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(dir=args.folder)
    work = tempfile.mkdtemp()
    limits = Limits(folder)
    rows = []
    try:
        profiles = {store: probed(limits, folder, work, args.probes or work, store) for store in STORES}
        for name in [args.only] if args.only else loops.LOOPS:
            print(name, file=sys.stderr)
            try:
                rows += compared(name, args, limits, folder, profiles, work)
            except RuntimeError as failure:
                print(failure, file=sys.stderr)
    finally:
        limits.end()
        shutil.rmtree(folder)
        shutil.rmtree(work)
    page(rows, args)


if __name__ == "__main__":
    main()
