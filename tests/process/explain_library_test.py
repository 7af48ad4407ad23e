#!/usr/bin/env python3
"""Every number that `explain` takes apart, put together again.

Usage: explain_library_test.py STALLCAST REPOSITORY

Of every scenario of scenarios/library and examples, with and without simulating: what the equation of a node
gives for the values of its children is the value of the node, to 1e-9; every input says where it comes from;
every page that is named exists; every name that is printed below "What limits it" can be asked for; and no headline
number is a leaf that says nothing of itself. With simulating, changes are tried, too: every_verb_test leaves these calls to this test.
"""
import json
import math
import pathlib
import re
import subprocess
import sys

FUNCTIONS = {"min": min, "max": max, "ceil": math.ceil, "sqrt": math.sqrt, "floor": math.floor}


def explain(stallcast, scenario, *options):
    run = subprocess.run([stallcast, "explain", str(scenario), "--quiet", "--format", "json", *options],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None, f"exit {run.returncode}: {run.stderr.strip()}"
    try:
        return json.loads(run.stdout, parse_constant=no_number), None
    except ValueError as fault:
        return None, str(fault)


def no_number(word):
    raise ValueError(f"says {word}")


def printed_limits(stallcast, scenario):
    """What a report names below "What limits it"."""
    run = subprocess.run([stallcast, "explain", str(scenario), "--quiet", "--replicas", "1", "--what-if", "1", "--format",
                          "markdown"],
                         capture_output=True, text=True, check=False)
    rows = run.stdout.partition("### What limits it")[2].partition("\n#")[0]
    return re.findall(r"^\| (?!resource \|)([^|]+) \|", rows, re.M)


def faults_of(node, root, path=""):
    path = f"{path}/{node['name']}"
    children = node.get("children", [])
    if "equation" in node:
        values = {c["symbol"]: c["value"] for c in children if "symbol" in c}
        try:
            value = eval(node["equation"], {"__builtins__": {}}, {**FUNCTIONS, **values})  # our own equations
        except Exception as fault:  # whatever is wrong is told with its place
            yield f"{path}: {node['equation']}: {fault}"
        else:
            # Of a sum that nearly cancels, rounding is that of its parts.
            largest = max([abs(v) for v in values.values()] + [0.0]) if "rest" in values else 0.0
            if not math.isclose(value, node["value"], rel_tol=1e-9, abs_tol=1e-12 * largest):
                yield f"{path}: {node['equation']} = {value}, not {node['value']}"
    if node["kind"] == "input" and not node["source"]["where"]:
        yield f"{path}: no source"
    page = re.match(r"docs/[a-z/-]+\.md", node.get("reference", ""))
    if page and not (root / page.group()).exists():
        yield f"{path}: no page {page.group()}"
    if not children and node["kind"] != "input" and "/" not in path[1:] and not node.get("note"):
        yield f"{path}: neither taken apart nor said why not"
    for child in children:
        yield from faults_of(child, root, path)


def main():
    stallcast, root = sys.argv[1], pathlib.Path(sys.argv[2])
    scenarios = sorted([*(root / "scenarios" / "library").glob("*.json"), *(root / "examples").glob("*.json")])
    failed = limits = 0
    for scenario in scenarios:
        for options in (["--replicas", "1"], ["--no-simulation"]):
            explanation, fault = explain(stallcast, scenario, *options)
            problems = [fault] if fault else [p for tree in explanation["trees"] for p in faults_of(tree, root)]
            names = printed_limits(stallcast, scenario) if options != ["--no-simulation"] else []
            limits += len(names)
            if names:
                named, fault = explain(stallcast, scenario, *names, *options)
                problems += [fault] if fault else [p for tree in named["trees"] for p in faults_of(tree, root)]
            if not fault and not explanation["trees"] and options != ["--no-simulation"]:
                problems.append("nothing is explained")
            failed += bool(problems)
            for problem in problems[:8]:
                print(f"{scenario.name} {' '.join(options)}: {problem}")
    print(f"{len(scenarios)} scenarios, {limits} names of limits, {failed} faulty explanations")
    return 1 if failed or not scenarios or not limits else 0


if __name__ == "__main__":
    sys.exit(main())
