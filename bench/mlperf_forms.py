#!/usr/bin/env python3
"""Whether intervals of AU in another form would be narrower, each submitter left out in turn.

Usage: stallcast validate --from mlperf-csv TABLE --format json > rows.json; bench/mlperf_forms.py rows.json

A form is a scale (points, odds, logarithm of the loss), a middle (the value, or the median of the draws) and whether
workloads are learned apart. On its scale an interval reaches sqrt((a d)^2 + w^2) from its middle, d being as far as the
5 % or 95 % quantile of the draws lies from their median. a and w are those with the narrowest intervals that hold nine in
ten of the rows of all other submitters.
"""
import json
import math
import sys

from cells import quantile

LEAST = 1e-3
FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)
SCALES = {
    "points": (lambda x: x, lambda y: min(max(y, 0.0), 1.0), [0.0025 * i for i in range(33)]),
    "odds": (lambda x: math.log(x / (1.0 - x)), lambda y: 1.0 / (1.0 + math.exp(-y)), [0.05 * i for i in range(31)]),
    "loss": (lambda x: -math.log(1.0 - x), lambda y: 1.0 - math.exp(-y), [0.05 * i for i in range(31)]),
}
GROUPS = {"together": (("unet3d", "resnet50", "cosmoflow"),), "by reader": (("unet3d",), ("resnet50", "cosmoflow")),
          "by workload": (("unet3d",), ("resnet50",), ("cosmoflow",))}
PART = 0.9


def inside(share):
    return min(max(share, LEAST), 1.0 - LEAST)


class Row:
    def __init__(self, case):
        figure = case["predicted"]["au_raw"]
        self.group, self.submitter = case["group"], case["case_id"][:3]
        self.measured = case["measured"]["au_raw"]
        self.quantiles = [inside(quantile(figure["draws"], part)) for part in (0.05, 0.5, 0.95)]
        self.middles = {"value": inside(figure["value"]), "median": self.quantiles[1]}

    def interval(self, scale, middle, factor, width):
        to, back, _ = SCALES[scale]
        low, median, high = (to(one) for one in self.quantiles)
        at = to(self.middles[middle])
        return (back(at - math.hypot(factor * (median - low), width)),
                back(at + math.hypot(factor * (high - median), width)))

    def holds(self, interval):
        return interval[0] <= self.measured <= interval[1]


def learned(rows, scale, middle):
    needed = min(len(rows), math.ceil(PART * (len(rows) + 1)))
    best = (math.inf, FACTORS[-1], SCALES[scale][2][-1])
    for factor in FACTORS:
        for width in SCALES[scale][2]:
            intervals = [row.interval(scale, middle, factor, width) for row in rows]
            if sum(row.holds(one) for row, one in zip(rows, intervals)) < needed:
                continue
            mean = sum(high - low for low, high in intervals) / len(rows)
            best = min(best, (mean, factor, width))
            break  # Wider ones are not narrower.
    return best[1:]


def judged(rows, scale, middle, groups):
    """Part of the rows inside, and the median half width in points."""
    held, halves = 0, []
    for group in groups:
        of_group = [row for row in rows if row.group in group]
        for submitter in {row.submitter for row in of_group}:
            form = learned([row for row in of_group if row.submitter != submitter], scale, middle)
            for row in of_group:
                if row.submitter == submitter:
                    interval = row.interval(scale, middle, *form)
                    held += row.holds(interval)
                    halves.append(50.0 * (interval[1] - interval[0]))
    return held / len(rows), quantile(halves, 0.5)


def main(path):
    with open(path, encoding="utf-8") as file:
        rows = [Row(case) for case in json.load(file)["cases"]
                if not case["calibrates"] and "au_raw" in case.get("measured", {}) and "au_raw" not in case["unscored"]]
    print(f"| {len(rows)} rows | scale | middle | inside | half width, median |\n|---|---|---|---:|---:|")
    for name, groups in GROUPS.items():
        for scale in SCALES:
            for middle in ("value", "median"):
                part, half = judged(rows, scale, middle, groups)
                print(f"| {name} | {scale} | {middle} | {100 * part:.0f} % | {half:.1f} points |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
