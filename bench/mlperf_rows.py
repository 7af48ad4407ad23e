"""Rows of MLPerf Storage v1.0 as scenarios written from facts alone, run with draws, and compared.

    python3 bench/mlperf_rows.py TABLE.csv [--workload unet3d] [--draws 32] [--leave-out] [--default]

TABLE.csv has the columns of calibration/cases/mlperf-storage-v1.csv. Each row becomes an ordinary scenario as
somebody would write it who knows data sheets and the rules of the benchmark: hosts, ports, drives, threads,
stated rates. FACTS names all columns that a scenario may depend on; no result is among them, and a row is
cut down to them before a scenario is made. Measured AU and first step are looked at only to compare.

What no sheet says of the benchmark program (PRIORS) is one range for each workload, the same in all rows.
Their medians were chosen on the open rows of the table; `--leave-out` chooses them anew for every system
without its rows (least mean error of AU of plain runs, over a grid), which is the honest error. `--default`
leaves all of PRIORS to the simulator's own defaults.
"""

import argparse
import collections
import csv
import itertools
import json
import math
import os
import re
import statistics
import subprocess
import tempfile

import measure
from cells import number
from mlperf_scenarios import (GRID, PRIORS, Row, scenario)


def run(row, prior, draws, folder):
    """The report of `stallcast run`, or None with the reason printed."""
    path = os.path.join(folder, "row.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(row, prior), file, indent=1)
    command = [measure.STALLCAST, "run", path, "--draws", str(draws), "--no-advice", "--format", "json",
               "--quiet", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in measure.GOOD:
        measure.note(f"{row.cells['case_id']}: {done.stderr.strip()[:300]}")
        return None
    return json.loads(done.stdout)


def system_of(cells):
    """What is left out together: all results of one submitter."""
    return cells["submitter"]


def au_of(report):
    return 100 * report["metrics"]["job.train.au"]["value"]


def shifted(workload, point):
    """PRIORS of a workload with other medians."""
    prior = dict(PRIORS[workload])
    for name, value in point.items():
        prior[name] = (value, *prior[name][1:])
    return prior


def choose(rows, folder):
    """The best point of each workload's grid, for all rows and without those of each submitter."""
    found = {}
    for workload, grid in GRID.items():
        used = [cells for cells in rows if cells["workload"] == workload and number(cells["au_mean_pct"])]
        if not used:
            continue
        errors = {}
        for values in itertools.product(*grid.values()):
            prior = shifted(workload, dict(zip(grid, values)))
            reports = [run(Row(cells), prior, 0, folder) for cells in used]
            errors[values] = [(system_of(cells), au_of(report) - number(cells["au_mean_pct"]))
                              for cells, report in zip(used, reports) if report]
        for system in {system_of(cells) for cells in used} | {None}:
            best = min(errors, key=lambda values: statistics.fmean(
                abs(error) for one, error in errors[values] if one != system))
            found[workload, system] = dict(zip(grid, best))
        measure.note(f"{workload}: all rows {found[workload, None]}")
    return found


class Line:
    """A row compared."""

    def __init__(self, cells, report):
        self.case, self.workload = cells["case_id"], cells["workload"]
        self.measured, self.first = number(cells["au_mean_pct"]), number(cells["first_step_s_mean"])
        au, first = report["metrics"]["job.train.au"], report["metrics"]["job.train.first_step"]
        self.nominal = 100 * au["value"]
        self.median = 100 * au.get("median", au["value"])
        self.low, self.high = (100 * end for end in au.get("ci90", (au["value"], au["value"])))
        self.first_nominal, self.first_median = first["value"], first.get("median", first["value"])
        shares = [one for one in report.get("uncertainty", []) if "utilization" in one["metric"]]
        self.shares = ", ".join(f"{one['input'].split('.', 1)[-1]} {100 * one['share']:.0f} %"
                                for one in shares[:2])
        self.limit = next((one["resource"] for one in report["bottlenecks"] if one["blamed_share"]), "-")

    @property
    def inside(self):
        return self.low <= self.measured <= self.high

    def needed(self):
        """Points beyond the drawn interval."""
        return max(self.low - self.measured, self.measured - self.high, 0.0)


def extra(lines, share=0.9):
    """The half width, in points, that covers `share` of the rows, added to the drawn one of each side as the
    root of squares."""
    wanted = []
    for one in lines:
        error = one.measured - one.median
        side = one.high - one.median if error > 0 else one.median - one.low
        wanted.append(math.sqrt(max(0.0, error * error - side * side)))
    return sorted(wanted)[max(0, math.ceil(share * len(wanted)) - 1)]


def table(lines):
    print("| case | measured | nominal | median | 90 % interval | inside | first step factor | limit"
          " | draws |")
    print("|---|---:|---:|---:|---:|---|---:|---|---|")
    for one in lines:
        factor = f"{one.first_nominal / one.first:.2f}" if one.first else ""
        print(f"| {one.case} | {one.measured:.1f} | {one.nominal - one.measured:+.1f} |"
              f" {one.median - one.measured:+.1f} | {one.low:.1f} to {one.high:.1f} |"
              f" {'yes' if one.inside else 'no'} | {factor} | {one.limit} | {one.shares} |")


def summary(lines):
    print("\n| workload | rows | error, nominal | error, median | bias, median | inside | half width"
          " | first step: median factor | within 1.5 | extra half width for 90 % |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    by = collections.defaultdict(list)
    for one in lines:
        by[one.workload].append(one)
        by["all"].append(one)
    for workload, some in by.items():
        mean = statistics.fmean
        factors = [one.first_nominal / one.first for one in some if one.first]
        off = [max(factor, 1 / factor) for factor in factors]
        print(f"| {workload} | {len(some)} | {mean(abs(one.nominal - one.measured) for one in some):.2f} |"
              f" {mean(abs(one.median - one.measured) for one in some):.2f} |"
              f" {mean(one.median - one.measured for one in some):+.2f} |"
              f" {100 * mean(one.inside for one in some):.0f} % |"
              f" {statistics.median((one.high - one.low) / 2 for one in some):.1f} |"
              f" {statistics.median(factors):.2f} | {100 * mean(one < 1.5 for one in off):.0f} % |"
              f" {extra(some):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table")
    parser.add_argument("--workload")
    parser.add_argument("--case", help="only rows whose case_id has this in it")
    parser.add_argument("--draws", type=int, default=32)
    parser.add_argument("--leave-out", action="store_true", help="choose PRIORS without each row's submitter")
    parser.add_argument("--default", action="store_true", help="no priors of DLIO: the simulator's defaults")
    parser.add_argument("--show", action="store_true", help="print the scenarios and run nothing")
    given = parser.parse_args()
    with open(given.table, newline="", encoding="utf-8") as file:
        rows = [cells for cells in csv.DictReader(file)
                if not re.search("barrier removed", cells.get("anomaly") or "")]
    rows = [cells for cells in rows if not given.workload or cells["workload"] == given.workload]
    with tempfile.TemporaryDirectory() as folder:
        chosen = choose(rows, folder) if given.leave_out else {}
        lines = []
        for cells in rows:
            if given.case and given.case not in cells["case_id"]:
                continue
            row = Row(cells)
            prior = shifted(row.workload, chosen.get((row.workload, system_of(cells)), {}))
            if given.show:
                print(json.dumps(scenario(row, None if given.default else prior), indent=1))
                continue
            report = run(row, None if given.default else prior, given.draws, folder)
            if report:
                lines.append(Line(cells, report))
    if lines:
        table(lines)
        summary(lines)
    for (workload, system), point in sorted(chosen.items(), key=str):
        print(f"without {system}: {workload} {point}" if system else f"with all: {workload} {point}")


main()
