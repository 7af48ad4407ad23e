"""Rows of IO500 as scenarios written from facts alone, run with draws, and compared.

    python3 bench/io500_rows.py TABLE.csv [--draws 32] [--known] [--kind beegfs]

TABLE.csv has the facts and results of submissions, one a row (columns: FACTS of io500_scenarios.py, then results).
A row is cut down to FACTS before a scenario is made; results are looked at only to compare, and to choose settings
for rows of other submitters: for each row the value of each setting is searched with which its scenario gives its
result; a row is predicted with the mean and the spread of those of other submitters, same kind, and same medium first.
`--known` leaves out the row, its reruns with as many clients, and nothing else: another run of the system is known.
"""

import argparse
import collections
import csv
import json
import math
import os
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import measure
from cells import number
from io500_scenarios import INVERSE, PHASES, START, Row, log, per_second, scenario, start

ROUNDS = 4            # of the search for a row's own setting
FARTHEST = log(100)   # a setting that far off decides nothing
POOL = 1.0            # systems that what is known of other media counts as
SPREAD = 1.0          # of a setting, logarithm, where few rows tell
NAMES = ("checkpoint", "restore")


def run(row, phase, ranges, draws, folder):
    """The report of `stallcast run`, or None with the reason printed."""
    path = os.path.join(folder, f"{id(row)}-{phase}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(row, phase, ranges), file, indent=1)
    command = [measure.STALLCAST, "run", path, "--draws", str(draws), "--no-advice", "--format", "json", "--quiet",
               "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in measure.GOOD:
        measure.note(f"{row.name}, {phase}: {done.stderr.strip()[:300]}")
        return None
    return json.loads(done.stdout)["metrics"]


def exact(values):
    return {name: (value, value, value) for name, value in values.items()}


def own_settings(row, results, folder):
    """The settings with which a row's scenario gives its results: name -> logarithm over START. Settings that do
    not decide its result are left out."""
    found, values = {}, {setting: start(row, setting) for setting in START}
    for phase, pair in PHASES.items():
        moved = {setting: 0.0 for _, setting in pair}
        error = dict(moved)
        for turn in range(ROUNDS + 1):
            values.update({setting: start(row, setting) * math.exp(moved[setting]) for setting in moved})
            metrics = run(row, phase, exact(values), 0, folder)
            if metrics is None:
                return found
            for (column, setting), name in zip(pair, NAMES):
                got = per_second(row, phase, metrics[f"job.io.{name}.duration"]["value"])
                error[setting] = log(results[column]) - log(got)
                if turn < ROUNDS:
                    step = -error[setting] if setting in INVERSE else error[setting]
                    moved[setting] = max(-FARTHEST, min(FARTHEST, moved[setting] + step))
        found.update({s: moved[s] for s in moved if abs(error[s]) < 0.1})
    return found


class Known:
    """One row's own settings, and what it belongs to."""

    def __init__(self, row, settings):
        one = row.cells
        self.row, self.settings = row, settings
        self.submitter, self.system = one["institution"] or one["system"], one["system"] or one["institution"]
        self.group = (self.submitter, self.system, row.kind)

    def leaves_out(self, other, known):
        """Whether `other` may not be used for this row."""
        if known:
            return self.group == other.group and self.row.hosts == other.row.hosts
        same = self.row.cells["filesystem"] == other.row.cells["filesystem"]
        return (same and self.submitter == other.submitter) or self.system == other.system


def estimate(target, others, setting, known):
    """(median, low, high) of a setting of a row: of its kind and medium, shrunk to that of its kind."""
    votes = collections.Counter(one.group for one in others if setting in one.settings)
    used = [one for one in others if setting in one.settings]

    def mean(some, towards, pool):
        weights = [closeness(target, one, known) / votes[one.group] for one in some]
        total = sum(weights)
        middle = (sum(w * one.settings[setting] for w, one in zip(weights, some)) + pool * towards) / (total + pool)
        square = sum(w * (one.settings[setting] - middle) ** 2 for w, one in zip(weights, some))
        return middle, math.sqrt((square + pool * SPREAD ** 2) / (total + pool)), total

    kind = [one for one in used if one.row.kind == target.row.kind]
    towards = mean(kind, 0.0, 0.1)[0]
    middle, spread, total = mean([one for one in kind if one.row.medium == target.row.medium], towards, POOL)
    systems = total + POOL
    half = 1.645 * spread * math.sqrt(1 + 1 / systems) * (1 + 1 / systems)    # few tell little of the spread
    return tuple(start(target.row, setting) * math.exp(middle + side * half) for side in (0, -1, 1))


def closeness(target, one, known):
    """Votes of a row: another run of the same system counts for ten."""
    return 10.0 if known and one.group == target.group else 1.0


class Line:
    """One result compared."""

    def __init__(self, row, column, metric, phase, measured):
        self.row, self.column, self.measured = row, column, measured
        value = metric["value"]
        ends = metric.get("ci90", (value, value))
        self.median = per_second(row, phase, metric.get("median", value))
        self.high, self.low = (per_second(row, phase, end) for end in ends)

    @property
    def factor(self):
        return math.exp(abs(log(self.median) - log(self.measured)))

    @property
    def bias(self):
        return log(self.median) - log(self.measured)

    @property
    def inside(self):
        return self.low <= self.measured <= self.high

    @property
    def half_width(self):
        """As a factor."""
        return math.sqrt(self.high / self.low)


def summary(lines, title):
    print(f"\n| {title} | results | median factor | 90th percentile | bias | inside | half width, factor |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    by = collections.defaultdict(list)
    for one in lines:
        by[one.column.rsplit("_", 1)[0] if title == "result" else f"{one.row.kind}, {one.row.medium}"].append(one)
        by["all"].append(one)
    for name, some in by.items():
        factors = sorted(one.factor for one in some)
        print(f"| {name} | {len(some)} | {statistics.median(factors):.2f} |"
              f" {factors[max(0, math.ceil(0.9 * len(factors)) - 1)]:.2f} |"
              f" {math.exp(statistics.fmean(one.bias for one in some)):.2f} |"
              f" {100 * statistics.fmean(one.inside for one in some):.0f} % |"
              f" {statistics.median(one.half_width for one in some):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table")
    parser.add_argument("--kind")
    parser.add_argument("--draws", type=int, default=32)
    parser.add_argument("--known", action="store_true", help="other runs of the same system are known")
    parser.add_argument("--settings", action="store_true", help="print the settings of each kind")
    parser.add_argument("--lines", action="store_true", help="print each result")
    given = parser.parse_args()
    with open(given.table, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    rows = [(Row(cells), cells) for cells in table]
    unmodelled = collections.Counter(row.cells["filesystem"] or "no name" for row, _ in rows if not row.kind)
    rows = [(row, {c: number(cells[c]) for pair in PHASES.values() for c, _ in pair}) for row, cells in rows
            if row.kind and (not given.kind or row.kind == given.kind)]
    lines = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        knowns = list(pool.map(lambda one: Known(one[0], own_settings(*one, folder)), rows))

        def predict(index):
            one, (row, results) = knowns[index], rows[index]
            others = [other for other in knowns if not one.leaves_out(other, given.known)]
            ranges = {setting: estimate(one, others, setting, given.known) for setting in START}
            found = []
            for phase, pair in PHASES.items():
                metrics = run(row, phase, ranges, given.draws, folder)
                for (column, _), name in zip(pair, NAMES) if metrics else ():
                    if results[column]:
                        found.append(Line(row, column, metrics[f"job.io.{name}.duration"], phase, results[column]))
            return found

        for found in pool.map(predict, range(len(rows))):
            lines += found
    if given.lines:
        print("| system | result | measured | median | 90 % interval | inside |\n|---|---|---:|---:|---|---|")
        for one in lines:
            print(f"| {one.row.name} | {one.column} | {one.measured:.4g} | {one.median:.4g} |"
                  f" {one.low:.3g} to {one.high:.3g} | {'yes' if one.inside else 'no'} |")
    if given.settings:
        print("| kind, medium | setting | rows that tell | median | 5 % | 95 % |\n|---|---|---:|---:|---:|---:|")
        for kind, medium in sorted({(one.row.kind, one.row.medium) for one in knowns}):
            for setting in START:
                values = sorted(start(one.row, setting) * math.exp(one.settings[setting]) for one in knowns if setting in one.settings
                                and (one.row.kind, one.row.medium) == (kind, medium))
                if values:
                    print(f"| {kind}, {medium} | {setting} | {len(values)} | {statistics.median(values):.3g} |"
                          f" {values[0]:.3g} | {values[-1]:.3g} |")
    summary(lines, "result")
    summary(lines, "kind")
    print("\nnot modelled: " + ", ".join(f"{name} {count}" for name, count in sorted(unmodelled.items())))
    print("left out of the settings of a row: " + ("its runs with as many clients" if given.known else
                                                   "its submitter's rows of this file system, and systems of its name"))


main()
