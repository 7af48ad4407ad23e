"""What a table of rows says, as numbers, and what a scenario says of a number that is not known well."""

import re


def number(text, default=0.0):
    """The first number of a cell."""
    found = re.search(r"[0-9]+(\.[0-9]+)?", text or "")
    return float(found.group()) if found else default


def ranged(value, low, high, unit, why):
    """A quantity as a scenario states it: exact where both ends are one, else with its range and the reason."""
    if low == high:
        return f"{value:.6g} {unit}"
    return {"value": f"{value:.6g} {unit}", "low": f"{low:.6g} {unit}", "high": f"{high:.6g} {unit}", "why": why}


def quantile(values, part):
    """Between neighbours in a straight line; 0 is the least value, 1 the largest."""
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
