"""Runs programs and says what they took. Everything else in bench/ goes through here."""

import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build/release")
STALLCAST = os.path.join(BUILD, "bin/stallcast")
PROGRAMS = os.path.join(BUILD, "bench")
SCENARIOS = os.path.join(ROOT, "bench/scenarios")
# What `stallcast run` answers with a prediction: all is well, or a target of the scenario is missed.
GOOD = (0, 1)
LONG = 15.0  # seconds


class Usage:
    """Of one process, start to exit, with those it waited for."""

    def __init__(self, wall, cpu, peak, out):
        self.wall, self.cpu, self.peak, self.out = wall, cpu, peak, out


def run(command, cwd=ROOT):
    """`peak` is the resident memory of the largest of the processes, bytes."""
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    if process.returncode not in GOOD:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return Usage(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, text)


def repeat(command, runs):
    """The median of each figure over `runs` runs, or over three that took longer than LONG. `command`
    may be a function that prepares a run and gives its command."""
    all_runs = []
    while len(all_runs) < runs and (len(all_runs) < 3 or sum(r.wall for r in all_runs) < LONG):
        all_runs.append(run(command() if callable(command) else command))
    middle = {name: statistics.median(getattr(one, name) for one in all_runs)
              for name in ("wall", "cpu", "peak")}
    return Usage(middle["wall"], middle["cpu"], middle["peak"], all_runs[-1].out)


def stallcast(scenario, *options, **sets):
    """The command of one simulation of a scenario of bench/scenarios (or a path). `sets` are paths of
    the scenario with __ for the dot."""
    path = scenario if "/" in scenario else os.path.join(SCENARIOS, scenario + ".json")
    command = [STALLCAST, "run", path, "--replicas", "1", "--no-advice", "--draws", "0", "--quiet",
               "--format", "json"]
    for name, value in sets.items():
        command += ["--set", f"{name.replace('__', '.')}={value}"]
    return command + list(options)


def metrics(usage):
    return {name: one["value"] for name, one in json.loads(usage.out)["metrics"].items()}


def load(scenario):
    """A scenario of bench/scenarios as Python data."""
    with open(os.path.join(SCENARIOS, scenario + ".json"), encoding="utf-8") as file:
        return json.loads(re.sub(r"(?m)^\s*//.*$", "", file.read()))


def perf_counts():
    """Whether this machine counts instructions (virtual machines often do not)."""
    if not shutil.which("perf"):
        return False
    out = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"],
                         capture_output=True, text=True, check=False)
    return out.returncode == 0 and "not supported" not in out.stderr and "not counted" not in out.stderr


def instruction_counter():
    """How `instructions` counts here: "perf", "valgrind" or None."""
    if perf_counts():
        return "perf"
    return "valgrind" if shutil.which("valgrind") else None


def instructions(command, counter):
    """User instructions of a command and its children. They repeat to a few per mille on a busy
    machine."""
    with tempfile.TemporaryDirectory() as folder:
        if counter == "perf":
            report = os.path.join(folder, "perf")
            run(["perf", "stat", "-x,", "-o", report, "-e", "instructions:u", *command])
            with open(report, encoding="utf-8") as file:
                return sum(int(line.split(",")[0]) for line in file if "instructions" in line)
        # valgrind takes calls that a simulation does not
        run(["env", "STALLCAST_SIM_SANDBOX=off", "valgrind", "-q", "--tool=cachegrind", "--cache-sim=no",
             "--trace-children=yes", f"--log-file={folder}/log.%p", f"--cachegrind-out-file={folder}/count.%p", *command])
        total = 0
        for name in glob.glob(folder + "/count.*"):
            with open(name, encoding="utf-8") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("summary:"))
        return total


class Report:
    """Text and tables, in Markdown, and the rows of the table of targets."""

    def __init__(self):
        self.text, self.targets = [], []

    def heading(self, text):
        self.line(f"\n## {text}\n")

    def line(self, text=""):
        print(text, flush=True)
        self.text.append(text)

    def table(self, heads, rows):
        """`heads` that end with ":" are of figures."""
        self.line("| " + " | ".join(head.rstrip(":") for head in heads) + " |")
        self.line("|" + "|".join("---:" if head.endswith(":") else "---" for head in heads) + "|")
        for row in rows:
            self.line("| " + " | ".join(str(cell) for cell in row) + " |")
        self.line()

    def target(self, work, measured, wanted):
        self.targets.append((work, measured, wanted))

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"text": self.text, "targets": self.targets}, file)

    def add(self, path):
        """What another report saved."""
        with open(path, encoding="utf-8") as file:
            saved = json.load(file)
        self.text += saved["text"]
        self.targets += [tuple(row) for row in saved["targets"]]


def seconds(value):
    """A time of three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} s"


def megabytes(value):
    return f"{value / 1e6:.0f} MB"


def note(text):
    print(f"... {text}", file=sys.stderr, flush=True)
