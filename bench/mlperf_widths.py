#!/usr/bin/env python3
"""How wide intervals must be made for what no input explains, each submitter left out in turn.

Usage: stallcast validate --from mlperf-csv TABLE --format json > rows.json; bench/mlperf_widths.py rows.json

A row's measurement is inside where it is no further from the median of its draws than
sqrt(d^2 + w^2), d being where the 5 % or the 95 % quantile of the draws lies, all of it on the odds of AU or the
logarithm of the others. The width that a row needs follows; that of all is the one that nine in ten need at most.
"""
import json
import math
import sys

from cells import quantile

LEAST = 1e-6


def odds(share):
    inside = min(max(share, LEAST), 1 - LEAST)
    return math.log(inside / (1 - inside))


SCALES = {"au_raw": odds, "first_step_s": math.log, "accelerators": math.log}
# How PyTorch's processes read and what tf.data costs are not equally well known.
GROUPS = {"au_raw": (("unet3d",), ("resnet50", "cosmoflow"))}
ALL = ("unet3d", "resnet50", "cosmoflow")


def needed(figure, measured, scale):
    draws = [scale(one) for one in figure["draws"]]
    middle, value, at = quantile(draws, 0.5), scale(figure["value"]), scale(measured)
    reach = quantile(draws, 0.95) - middle if at > middle else middle - quantile(draws, 0.05)
    off = abs(at - middle)
    if off <= reach or min(value, middle) <= at <= max(value, middle):
        return 0.0
    return math.sqrt(off * off - reach * reach)


def learned(widths):
    """The one that nine in ten of as many new rows need at most, by ranks."""
    return sorted(widths)[min(len(widths), math.ceil(0.9 * (len(widths) + 1))) - 1]


def main(path):
    with open(path, encoding="utf-8") as file:
        cases = [case for case in json.load(file)["cases"] if not case["calibrates"]]
    print("| metric | of | rows | width of all | with a submitter left out | its rows inside |\n"
          "|---|---|---:|---:|---:|---:|")
    for metric, scale in SCALES.items():
        for groups in GROUPS.get(metric, (ALL,)):
            learn(metric, scale, groups, [case for case in cases if case["group"] in groups])


def learn(metric, scale, groups, cases):
    rows = [(case["case_id"][:3], needed(case["predicted"][metric], case["measured"][metric], scale))
            for case in cases if metric in case.get("measured", {}) and metric not in case["unscored"]]
    widths, inside = [], 0
    for group in {name for name, _ in rows}:
        widths.append(learned([width for name, width in rows if name != group]))
        inside += sum(width <= widths[-1] for name, width in rows if name == group)
    print(f"| `{metric}` | {', '.join(groups)} | {len(rows)} | {learned([width for _, width in rows]):.2f} | "
          f"{min(widths):.2f}-{max(widths):.2f} | {100 * inside / len(rows):.0f} % |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
