#!/usr/bin/env python3
"""Predictions of the reference scenarios, held to recorded ones.

Usage: library_test.py STALLCAST REPOSITORY [--update]

Every scenario of scenarios/library and examples is run with one replica and compared with
tests/golden/library/<name>.json: each metric to 1e-9, the breakdown, and the ranking of bottlenecks. A
difference is reviewed, then recorded with --update; it is never re-recorded blind.
"""
import json
import math
import pathlib
import subprocess
import sys


def predict(stallcast, scenario):
    run = subprocess.run([stallcast, "run", str(scenario), "--replicas", "1", "--no-advice", "--draws", "0", "--quiet",
                          "--format", "json"], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        return None, f"exit {run.returncode}: {run.stderr.strip()}"
    result = json.loads(run.stdout)
    return {"verdict": result["verdict"],
            "metrics": {name: metric["value"] for name, metric in result["metrics"].items()},
            "breakdown": result["breakdown"],
            "bottlenecks": [b["resource"] for b in result["bottlenecks"]]}, None


def differences(expected, actual):
    out = []
    for key in ("verdict", "bottlenecks"):
        if expected[key] != actual[key]:
            out.append(f"{key}: {expected[key]} -> {actual[key]}")
    flat = {"metrics": expected["metrics"], **{f"breakdown.{j}": s for j, s in expected["breakdown"].items()}}
    flat_now = {"metrics": actual["metrics"], **{f"breakdown.{j}": s for j, s in actual["breakdown"].items()}}
    for group, values in flat.items():
        now = flat_now.get(group, {})
        for name in sorted(values.keys() | now.keys()):
            old, new = values.get(name), now.get(name)
            if old is None or new is None or not math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12):
                out.append(f"{group}.{name}: {old} -> {new}")
    return out


def main():
    stallcast, root = sys.argv[1], pathlib.Path(sys.argv[2])
    update = "--update" in sys.argv[3:]
    golden = root / "tests" / "golden" / "library"
    scenarios = sorted([*(root / "scenarios" / "library").glob("*.json"), *(root / "examples").glob("*.json")])
    failed = 0
    for scenario in scenarios:
        actual, fault = predict(stallcast, scenario)
        file = golden / scenario.name
        if fault:
            problems = [fault]
        elif update:
            file.write_text(json.dumps(actual, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            problems = []
        elif not file.exists():
            problems = ["nothing is recorded: review it, then run with --update"]
        else:
            problems = differences(json.loads(file.read_text(encoding="utf-8")), actual)
        if problems:
            failed += 1
            print(f"{scenario.relative_to(root)}:")
            for problem in problems[:12]:
                print(f"  {problem}")
            if len(problems) > 12:
                print(f"  ... and {len(problems) - 12} more")
    orphans = {f.name for f in golden.glob("*.json")} - {s.name for s in scenarios}
    for orphan in sorted(orphans):
        failed += 1
        print(f"tests/golden/library/{orphan}: its scenario is gone")
    print(f"{len(scenarios)} scenarios, {failed} differ")
    return 1 if failed or not scenarios else 0


if __name__ == "__main__":
    sys.exit(main())
