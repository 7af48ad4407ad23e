"""Rows of IO500 as scenarios written from facts alone, run with draws, and compared.

    python3 bench/io500_rows.py TABLE.csv [--learn OPEN.csv] [--draws 32] [--known] [--kind beegfs]

TABLE.csv has the facts and results of submissions, one a row (columns: FACTS of io500_facts.py, then results).
A row is cut down to FACTS before a scenario is made. Two passes: each row is predicted from data sheets and defaults;
then what other rows gave over that prediction (their median, by kind and medium) and how far they lay from it is put
into its scenario, and it is run again. Results of a row, of all rows of its submitter with this file system, and of
all systems of its name are left out of both. `--learn`: other rows are those of OPEN.csv, and TABLE.csv needs no
results. `--known` leaves out the
row, its reruns with as many clients, and nothing else: another run of the system is known.
"""

import argparse
import collections
import csv
import functools
import json
import math
import os
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import measure
from cells import number
from io500_facts import Row
from io500_scenarios import PHASES, log, per_second, scenario, settings_like, shapes

# Systems that what is known of all counts as for a kind, and of a kind for its medium. The pair is taken with which
# others predict each other best.
POOLS = ((0.5, 1.0), (2.0, 2.0), (10.0, 10.0))
OTHER_KIND = 0.25           # votes of a system of another kind on how far off rows are
INSIDE = 0.9
KNOWN = 30.0                # votes of another run of the same system, with --known


def run(row, phase, shape, learned, draws, folder):
    """The report of `stallcast run`, or None with the reason printed."""
    path = os.path.join(folder, f"{id(row)}-{phase}-{shape}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(row, phase, shape, learned), file, indent=1)
    command = [measure.STALLCAST, "run", path, "--draws", str(draws), "--no-advice", "--format", "json", "--quiet",
               "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in measure.GOOD:
        measure.note(f"{row.name}, {phase}: {done.stderr.strip()[:300]}")
        return None
    return json.loads(done.stdout)["metrics"]


class Known:
    """One row, and what it belongs to: `lines` are its results as first predicted, by setting and shape."""

    def __init__(self, row, lines):
        one = row.cells
        self.row, self.lines = row, {(line.setting, line.shape): line for line in lines}
        self.submitter, self.system = one["institution"] or one["system"], one["system"] or one["institution"]
        self.group = (self.submitter, self.system, row.kind)

    def leaves_out(self, other, known=False):
        """Whether `other` may not be used for this row."""
        if known:
            return self.group == other.group and self.row.hosts == other.row.hosts
        same = self.row.cells["filesystem"] == other.row.cells["filesystem"]
        return (same and self.submitter == other.submitter) or self.system == other.system


class Others:
    """What rows say together on one setting, as predicted in one shape. Each system has one vote."""

    def __init__(self, rows, setting, shape):
        self.rows = [(one, one.lines[setting, shape]) for one in rows if (setting, shape) in one.lines]
        votes = collections.Counter(one.group for one, _ in self.rows)
        self.votes = {group: 1 / count for group, count in votes.items()}
        self.sums = collections.defaultdict(lambda: [0.0, 0.0])    # of votes and of what is missing, by whose and what
        for one, line in self.rows:
            for what in self.classes(one.row):
                for whose in (None, one.group):
                    self.sums[whose, what][0] += self.votes[one.group]
                    self.sums[whose, what][1] += self.votes[one.group] * line.missing
        self.pools = min(POOLS, key=lambda pools: sum(
            self.votes[one.group] * abs(off) for one, _, off in self.offs(pools)))
        self.off = self.offs(self.pools)

    @staticmethod
    def classes(row):
        return ((), row.kind, (row.kind, row.medium))

    def offs(self, pools):
        """How far off each row is from what all but its system say."""
        return [(one, line, line.missing - self.shift(one, pools, one.group, -1.0)) for one, line in self.rows]

    def shift(self, target, pools=None, group=None, more=0.0):
        """Logarithm of what a row of this kind and medium gives over its first prediction. Votes of `group` count
        for so many `more`."""
        found = 0.0
        for what, pool in zip(self.classes(target.row), (1.0, *(pools or self.pools))):
            (votes, missing), (own, own_missing) = (self.sums.get((whose, what), (0.0, 0.0)) for whose in (None, group))
            if group is None:
                own = own_missing = 0.0
            found = (missing + more * own_missing + pool * found) / (votes + more * own + pool)
        return found

    def weight(self, one, kind):
        return (1.0 if one.row.kind == kind else OTHER_KIND) * self.votes[one.group]

    def error(self, kind, phase):
        """Mean, rows of a kind first, of kinds that have the same shapes."""
        found = [(self.weight(one, kind), abs(off)) for one, _, off in self.off
                 if shapes(phase, one.row.kind) == shapes(phase, kind)]
        return sum(weight * off for weight, off in found) / sum(weight for weight, _ in found)

    def beyond(self, kind, needed):
        """The INSIDE quantile of what each of the rows needs, those of a kind first; a little more where they are few,
        so that one more like them is inside as often."""
        found = sorted((needed(max(0.05, line.side(off)), abs(off)), self.weight(one, kind))
                       for one, line, off in self.off)
        total, squares = (sum(weight ** power for _, weight in found) for power in (1, 2))
        wanted = min(1.0, INSIDE * (1.0 + squares / total ** 2)) * total * (1.0 - 1e-9)
        for value, weight in found:
            wanted -= weight
            if wanted <= 0.0:
                break
        return value

    def wider(self, kind):
        """How many times as wide the first intervals need to be."""
        return self.beyond(kind, lambda side, off: off / side)

    def further(self, kind):
        """The half width that is to be added to the first intervals, as the root of squares."""
        return self.beyond(kind, lambda side, off: math.sqrt(max(0.0, off * off - side * side)))


class Line:
    """One result compared."""

    def __init__(self, row, compared, metric, phase, shape, measured):
        self.row, (self.column, self.setting, _), self.shape, self.measured = row, compared, shape, measured
        value = metric["value"]
        ends = metric.get("ci90", (value, value))
        self.median = per_second(row, phase, metric.get("median", value))
        self.high, self.low = (per_second(row, phase, end) for end in ends)
        self.upper, self.lower = log(self.high) - log(self.median), log(self.median) - log(self.low)

    def side(self, off):
        return self.upper if off > 0 else self.lower

    @property
    def missing(self):
        """What was measured over what was predicted, logarithm."""
        return log(self.measured) - log(self.median)

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


def predict(row, results, phase, shape, learned, draws, folder):
    """Each result of a phase as a Line; before anything is learned those that were measured."""
    metrics = run(row, phase, shape, learned, draws, folder)
    return [Line(row, one, metrics[f"job.io.{one[2]}.duration"], phase, shape, results[one[0]])
            for one in PHASES[phase] if metrics and (learned or results[one[0]])]


def table(path, kind):
    """Rows of kinds that are modelled, each with its results; and how many there are of others."""
    with open(path, newline="", encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    rows = [(Row(one), {column: number(one.get(column)) for compared in PHASES.values() for column, _, _ in compared})
            for one in cells]
    left = collections.Counter(row.cells["filesystem"] or "no name" for row, _ in rows if not row.kind)
    return [(row, results) for row, results in rows if row.kind and (not kind or row.kind == kind)], left


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table")
    parser.add_argument("--kind")
    parser.add_argument("--draws", type=int, default=32)
    parser.add_argument("--known", action="store_true", help="other runs of the same system are known")
    parser.add_argument("--in-sample", action="store_true", help="leave out nothing, not even the row itself")
    parser.add_argument("--learn", help="a table of the other rows")
    parser.add_argument("--shapes", action="store_true", help="print which shapes were taken")
    parser.add_argument("--lines", action="store_true", help="print each result")
    given = parser.parse_args()
    rows, unmodelled = table(given.table, given.kind)
    more = table(given.learn, given.kind)[0] if given.learn else []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        def predicted(one):
            return Known(one[0], [line for phase in PHASES for shape in shapes(phase, one[0].kind)
                                  for line in predict(*one, phase, shape, {}, given.draws, folder)])

        first = list(pool.map(predicted, rows + more))
        knowns, others = first[:len(rows)], first[len(rows):] or first

        @functools.cache
        def said(used, setting, shape):
            return Others([others[at] for at in used], setting, shape)

        def again(index):
            one, (row, results) = knowns[index], rows[index]
            used = tuple(at for at, other in enumerate(others)
                         if given.in_sample or not one.leaves_out(other, given.known))
            found = []
            for phase, compared in PHASES.items():
                shape = min(shapes(phase, row.kind), key=lambda shape: sum(
                    said(used, setting, shape).error(row.kind, phase) for setting in settings_like(phase)))
                learned = {}
                for _, setting, _ in compared:
                    some = said(used, setting, shape)
                    spread = (some.further if setting in ("write", "read") else some.wider)(row.kind)
                    group, more = (one.group, KNOWN - 1.0) if given.known else (None, 0.0)
                    learned[setting] = (math.exp(some.shift(one, None, group, more)), spread)
                found += predict(row, results, phase, shape, learned, given.draws, folder)
            return found

        lines = [line for found in pool.map(again, range(len(rows))) for line in found]
    if given.shapes:
        taken = collections.Counter((one.row.kind, one.column, one.shape) for one in lines)
        for (kind, column, shape), count in sorted(taken.items(), key=str):
            print(f"{kind} {column} {shape}: {count}")
    if given.lines:
        print("| system | result | measured | median | 90 % interval | inside |\n|---|---|---:|---:|---|---|")
        for one in lines:
            known = (f"{one.measured:.4g}", "yes" if one.inside else "no") if one.measured else ("", "")
            print(f"| {one.row.name} | {one.column} | {known[0]} | {one.median:.4g} |"
                  f" {one.low:.3g} to {one.high:.3g} | {known[1]} |")
    lines = [one for one in lines if one.measured]
    for title in ("result", "kind") if lines else ():
        summary(lines, title)
    print("\nnot modelled: " + ", ".join(f"{name} {count}" for name, count in sorted(unmodelled.items())))
    print("left out of the settings of a row: " + (
        "nothing" if given.in_sample else "its runs with as many clients" if given.known else
        "its submitter's rows of this file system, and systems of its name"))


main()
