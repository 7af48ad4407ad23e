#!/usr/bin/env python3
"""No verb crashes on any scenario of ours, nor on one with other numbers.

Usage: every_verb_test.py STALLCAST REPOSITORY [MUTANTS [SEED]]

Every scenario of scenarios/library and examples goes through lint, resolve, run, plan, a sweep of one input and a diff
with itself (explain_library_test explains them), and every variant of each through lint, resolve, run, explain and, in
turns, one of the rest. Then
MUTANTS (500) copies with one to four other numbers go through one verb each, drawn with SEED (1). All must end with
an exit code of 0 to 3 and, where they write JSON, with numbers only. What does not is printed with the command and
the file that shows it.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

COMMON = ["--quiet"]
# Mutants may be larger than anything anybody would run.
SIMULATED = [*COMMON, "--format", "json", "--replicas", "1", "--time-limit", "1s"]
VERBS = {
    "lint": lambda file, _: ["lint", file, *COMMON],
    "resolve": lambda file, _: ["resolve", file, *COMMON],
    "run": lambda file, _: ["run", file, *SIMULATED, "--draws", "4"],
    # A plan looks on until the limit, at more of the same.
    "plan": lambda file, _: ["plan", file, *SIMULATED[:-1], "300ms"],
    "explain": lambda file, _: ["explain", file, *SIMULATED],
    "sweep": lambda file, axis: ["sweep", file, "--vary", axis, *SIMULATED],
    "diff": lambda file, _: ["diff", file, file, *SIMULATED],
}
# A plan of a scenario covers most of what those of its variants do.
OF_VARIANTS = {"plan": ["--checks", "0", "--tornado", "0"]}
# What limits scenarios and what would help is found by explain, too: here of variants, by explain_library_test of the rest.
OF_ALL = {"run": ["--no-advice"], "diff": ["--no-advice"]}
IN_TURNS = ["plan", "sweep", "diff"]
# Most are runs, which reach most of the code.
DRAWN = ["run", "run", "run", "plan", "explain", "sweep", "diff", "lint", "resolve"]
FACTORS = [0, 1e-9, 1e-3, 0.1, 0.5, 1.5, 2, 3, 10, 1e3, 1e6, 1e9, -1]
STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
TRAILING_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[\]}])', re.S)
NUMBER = re.compile(r'"(?P<quantity>\d+(?:\.\d+)?) ?(?P<unit>[A-Za-z%/]+)"|(?<=[:\[ ])(?P<bare>\d+(?:\.\d+)?)(?=[,\s\]}])')
NOT_A_NUMBER = re.compile(r"\b(?:nan|inf)\b", re.I)


def parsed(text):
    """JSON with comments and trailing commas."""
    def keep_strings(match):
        return match.group(0) if match.group(0).startswith('"') else " "
    return json.loads(TRAILING_COMMA.sub(keep_strings, STRING_OR_COMMENT.sub(keep_strings, text)))


def axis_of(scenario):
    """One input of it and two values, as --vary takes them."""
    for name, parameter in scenario.get("params", {}).items():
        value = parameter.get("value") if isinstance(parameter, dict) else parameter
        if isinstance(value, (int, float)):
            return f"{name}={value},{value + 1}"
    return "run.seed=1,2"


def changed(text, rng):
    """`text` with one to four other numbers."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        places = list(NUMBER.finditer(text))
        place = rng.choice(places)
        value = float(place["quantity"] or place["bare"]) * rng.choice(FACTORS)
        shown = repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        new = f'"{shown} {place["unit"]}"' if place["quantity"] else shown
        text = text[:place.start()] + new + text[place.end():]
    return text


def fault_of(stallcast, arguments, folder):
    """What is wrong with a call, or None."""
    try:
        done = subprocess.run([stallcast, *arguments], capture_output=True, text=True, cwd=folder, check=False,
                              timeout=60 * float(os.environ.get("STALLCAST_TEST_PATIENCE", "1")))
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode not in (0, 1, 2, 3):
        return f"exit {done.returncode}: {done.stderr.strip()[-300:]}"
    if "--help" in done.stderr:
        return f"did not understand the call: {done.stderr.strip()[-300:]}"
    if "json" in arguments and (found := NOT_A_NUMBER.search(done.stdout)):
        return "says " + done.stdout[max(0, found.start() - 80):found.end()]
    return None


def calls_of_ours(scenarios):
    variants = 0
    for path, text in scenarios.items():
        scenario = parsed(text)
        for variant in [None, *scenario.get("scenarios", {})]:
            options = [] if variant is None else ["--variant", variant]
            variants += 1 if variant else 0
            for verb, arguments in VERBS.items():
                if verb == "explain" and variant is None:
                    continue
                if variant and verb in IN_TURNS and verb != IN_TURNS[variants % len(IN_TURNS)]:
                    continue
                # of a diff, each side has its own
                file = f"{path}#{variant}" if verb == "diff" and variant else str(path)
                yield [*arguments(file, axis_of(scenario)), *([] if verb == "diff" else options),
                       *OF_ALL.get(verb, []), *(OF_VARIANTS.get(verb, []) if variant else [])]


def calls_of_mutants(scenarios, count, seed, folder):
    rng = random.Random(seed)
    paths = sorted(scenarios)
    for number in range(count):
        path = rng.choice(paths)
        text = changed(scenarios[path], rng)
        file = os.path.join(folder, f"{number}-{path.name}")
        pathlib.Path(file).write_text(text, encoding="utf-8")
        verb = rng.choice(DRAWN)
        yield VERBS[verb](file, axis_of(parsed(scenarios[path])))


def main():
    stallcast, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    files = sorted([*(root / "scenarios" / "library").glob("*.json"), *(root / "examples").glob("*.json")])
    scenarios = {file: file.read_text(encoding="utf-8") for file in files}
    with tempfile.TemporaryDirectory() as folder:
        ours = list(calls_of_ours(scenarios))
        mutants = list(calls_of_mutants(scenarios, count, seed, folder))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = list(pool.map(lambda call: fault_of(stallcast, call, folder), ours + mutants))
        faulty = [(call, fault) for call, fault in zip(ours + mutants, faults) if fault]
        for call, fault in faulty[:8]:
            print(f"stallcast {' '.join(call)}\n  {fault}")
            if call[1].startswith(folder):
                print(pathlib.Path(call[1]).read_text(encoding="utf-8"))
    print(f"{len(files)} scenarios, {len(ours)} calls, {len(mutants)} mutants of seed {seed}, {len(faulty)} faulty")
    return 1 if faulty or not files else 0


if __name__ == "__main__":
    sys.exit(main())
