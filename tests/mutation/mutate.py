#!/usr/bin/env python3
"""Whether tests notice when an operator, a comparison or a constant of the models is another.

  mutate.py sample TREE [--count 300] [--seed 1]    draws mutants and writes them into TREE, a copy of the repository
  mutate.py build TREE -- COMMAND...                builds it (ninja -k 0); mutants that do not compile are taken out again
  mutate.py reach TREE [--build build/release]      runs every test case once: which mutants does it reach?
  mutate.py run TREE [--seconds N]                  runs, for each mutant, the test cases that reach it, fastest first
  mutate.py report TREE                             how many were noticed, and those that were not

All mutants are in one build: each changed expression is a choice by a global (mutant.hpp). What is known is in
TREE/mutants.json, so that a later call goes on. Sources are engine/sim and models without models/catalogue, which is
data. Not drawn: lines with text in quotes (messages, names of fields), assertions, and what only the compiler sees.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MOST = 4096
OPERATORS = {
    "+": [("Plus", "-")], "-": [("Minus", "+")], "*": [("Times", "/")], "/": [("Over", "*")],
    "<": [("Less", "<="), ("LessNot", ">=")], "<=": [("AtMost", "<"), ("AtMostNot", ">")],
    ">": [("More", ">="), ("MoreNot", "<=")], ">=": [("AtLeast", ">"), ("AtLeastNot", "<")],
    "==": [("Is", "!=")], "!=": [("IsNot", "==")]}
OPERATOR = re.compile(r"(?<=\S) (\+|-|\*|/|<=|>=|<|>|==|!=|&&|\|\|)(?= |$)")
NUMBER = re.compile(r"(?<![\w.<])(\d+\.\d*(?:e[+-]?\d+)?|\d+)(?![\w.'>])")
LEAST = re.compile(r"\bstd::(min|max)\(")
LEFT_OUT = re.compile(r"""^\s*(\#|//|case\b|template\b|using\b|static_assert|friend\b)|["']|assert\(|static constexpr|requires"""
                      r"""|operator|co_await|reserve\(|if constexpr|kVersion|enum\b|unit::|std::array<""")


def sources(tree):
    headers = [path for folder in ("engine/sim", "models") for path in sorted((tree / folder).rglob("*.hpp"))]
    outside = "\n".join(path.read_text(encoding="utf-8") for folder in ("engine", "scenarios", "calibration", "ui")
                        for path in sorted((tree / folder).rglob("*.[ch]pp")) if "engine/sim" not in str(path))
    own = [path for path in headers if f'"{path.relative_to(tree)}"' not in outside]  # others would build everything
    units = [path for folder in ("engine/sim", "models") for path in sorted((tree / folder).rglob("*.cpp"))]
    return [path for path in sorted(own + units) if "catalogue" not in str(path)]


def candidates(path, tree):
    """(line, column, length, kind, original, what it becomes, replacement with %d for the number)"""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        code = line.split("//")[0].rstrip()
        if LEFT_OUT.search(code) or not code:
            continue
        for match in OPERATOR.finditer(code):
            op = match[1]
            if "constexpr" in code:
                continue
            if op == "&&":
                kinds = [("and", "&& false", "&& mut::true_unless<%d>() &&")]
            elif op == "||":
                kinds = [("or", "|| true", "|| mut::false_unless<%d>() ||")]
            else:
                kinds = [("operator", becomes, f"{op} (mut::{name}<%d>{{}}) {op}") for name, becomes in OPERATORS[op]]
            for kind, becomes, replacement in kinds:
                yield number, match.start(1), len(op), kind, op, becomes, replacement
        for match in NUMBER.finditer(code):
            text = match[1]
            value = float(text) if "." in text else int(text)
            becomes = repr((1.0 if value == 0 else value * 2) if "." in text else value + 1)
            name = "late" if "constexpr" in code else "constant"
            yield number, match.start(1), len(text), "constant", text, becomes, f"mut::{name}<%d>({text})"
        for match in LEAST.finditer(code):
            other = {"min": "max", "max": "min"}[match[1]]
            yield (number, match.start(), len(match[0]), "least", match[0][:-1], f"std::{other}",
                   f"mut::{match[1]}<%d>(")


class Mutants:
    def __init__(self, tree):
        self.tree = pathlib.Path(tree).resolve()
        self.file = self.tree / "mutants.json"
        self.all = json.loads(self.file.read_text()) if self.file.exists() else []

    def save(self):
        self.file.with_suffix(".new").write_text(json.dumps(self.all, indent=1))
        self.file.with_suffix(".new").replace(self.file)

    def valid(self):
        return [m for m in self.all if m["state"] != "does not compile"]

    def write(self, files=None):
        """Sources with their mutants."""
        for name in sorted({m["file"] for m in self.all} if files is None else files):
            path, kept = self.tree / name, self.tree / (name + ".original")
            if not kept.exists():
                kept.write_bytes(path.read_bytes())
            lines = kept.read_text(encoding="utf-8").splitlines()
            mine = [m for m in self.valid() if m["file"] == name]
            for m in sorted(mine, key=lambda m: (m["line"], m["column"]), reverse=True):
                line = lines[m["line"]]
                new = m["replacement"] % m["id"]
                lines[m["line"]] = line[:m["column"]] + new + line[m["column"] + m["length"]:]
            for number in {m["line"] for m in mine if m["kind"] == "constant"}:  # a constant that can be another
                lines[number] = re.sub(r"\b(inline )?constexpr\b(?=.*=)", r"\1const", lines[number])
            head = f'#include "{HERE}/mutant.hpp"\n#line 1\n' if mine else ""
            path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def sample(options):
    mutants = Mutants(options.tree)
    drawn = []
    for path in sources(mutants.tree):
        for line, column, length, kind, original, becomes, replacement in candidates(path, mutants.tree):
            drawn.append({"file": str(path.relative_to(mutants.tree)), "line": line, "column": column, "length": length,
                          "kind": kind, "original": original, "becomes": becomes, "replacement": replacement,
                          "text": path.read_text(encoding="utf-8").splitlines()[line].strip(), "state": "drawn"})
    rng = random.Random(options.seed)
    rng.shuffle(drawn)
    places, chosen = set(), []
    for m in drawn:  # one of the two that a comparison may become
        if (place := (m["file"], m["line"], m["column"])) not in places:
            places.add(place)
            chosen.append(m)
    print(f"{len(chosen)} places, {options.count} drawn with seed {options.seed}")
    # Some do not compile, and some only the compiler sees.
    mutants.all = [{"id": i, **m} for i, m in enumerate(chosen[:min(options.count * 5 // 4, MOST)])]
    mutants.write()
    mutants.save()


PLACE = re.compile(r"^(?:In file included from )?(\S+?\.[ch]pp):(\d+)(?::\d+)?:")


def build(options):
    mutants = Mutants(options.tree)
    while True:
        done = subprocess.run(options.command, capture_output=True, text=True, check=False)
        out = done.stdout + done.stderr
        if done.returncode == 0:
            break
        bad, block = set(), []
        for line in out.splitlines():
            if place := PLACE.match(line):
                named = re.sub(r"^.*?/(?=(models|engine)/)", "", os.path.normpath(place[1]))
                bad.add((named, int(place[2]) - 1))
            block.append(line)
        dropped = [m for m in mutants.valid() if (m["file"], m["line"]) in bad]
        if not dropped:
            print("\n".join(block[-60:]))
            sys.exit("cannot build it")
        for m in dropped:
            m["state"] = "does not compile"
        mutants.write({m["file"] for m in dropped})
        mutants.save()
        print(f"{len(dropped)} do not compile", flush=True)
    print(f"{len(mutants.valid())} of {len(mutants.all)} mutants are built")


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_cases(program, cases, tree, seconds, **env):
    """Whether all pass; None when they do not end."""
    words = [str(program), "--abort", ",".join(
        '"' + re.sub(r"([\\,\[\]\"*~])", r"\\\1", case) + '"' for case in cases)]
    process = subprocess.Popen(words, cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL, env={**os.environ, **env}, preexec_fn=limits,
                               start_new_session=True)
    try:
        return process.wait(timeout=seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def cases_of(program, tree):
    out = subprocess.run([str(program), "--list-test-names-only"], cwd=tree, capture_output=True, text=True, check=False)
    return [line for line in out.stdout.splitlines() if line.strip()]


def reach(options):
    mutants = Mutants(options.tree)
    tree, programs = mutants.tree, sorted((mutants.tree / options.build / "tests").glob("*_test"))
    programs = [p for p in programs if os.access(p, os.X_OK) and re.search(options.programs, p.name)]
    work = [(program, case) for program in programs for case in cases_of(program, tree)]

    def one(pair):
        program, case = pair
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(MOST)
            began = time.monotonic()
            passed = run_cases(program, [case], tree, 120, MUTANTS_REACHED=file.name)
            seconds = time.monotonic() - began
            found = [i for i, byte in enumerate(file.read()) if byte]
        return {"program": program.name, "case": case, "seconds": seconds, "passed": passed, "reaches": found}

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(one, work))
    bad = [f"{case['program']}: {case['case']}" for case in found if not case["passed"]]
    print(f"{len(found)} test cases of {len(programs)} programs, {sum(c['seconds'] for c in found):.0f} s; "
          f"left out, since they fail as they are: {bad or 'none'}")
    (tree / "reached.json").write_text(json.dumps([case for case in found if case["passed"]]))


def run(options):
    mutants = Mutants(options.tree)
    tree = mutants.tree
    cases = json.loads((tree / "reached.json").read_text())
    end = time.monotonic() + options.seconds

    def one(m):
        """The state of a mutant, and who noticed it."""
        mine = sorted((case for case in cases if m["id"] in case["reaches"]), key=lambda case: case["seconds"])
        if not mine:
            return "not reached", ""
        for part in (mine[:6], mine[6:40], mine[40:]):
            by_program = {}
            for case in part:
                by_program.setdefault(case["program"], []).append(case)
            for program, some in by_program.items():
                patience = 10 + 10 * sum(case["seconds"] for case in some)
                passed = run_cases(tree / options.build / "tests" / program, [case["case"] for case in some], tree,
                                   patience, MUTANT=str(m["id"]))
                if not passed:
                    return ("does not end" if passed is None else "noticed"), program
        return "survived", ""

    waiting = [m for m in mutants.valid()[:options.count] if m["state"] in ("drawn", *options.again)]

    def attempt(m):
        if time.monotonic() < end:
            m["state"], m["by"] = one(m)
        return m

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, m in enumerate(pool.map(attempt, waiting)):
            if number % 10 == 9:
                mutants.save()
                print(f"{number + 1} of {len(waiting)}", flush=True)
    mutants.save()
    report(options)


def report(options):
    mutants = Mutants(options.tree)
    of = [m for m in mutants.valid()[:options.count] if m["state"] != "drawn"]
    left = [m for m in of if m["state"] in ("survived", "not reached")]
    for m in sorted(left, key=lambda m: (m["file"], m["line"])):
        print(f"{m['file']}:{m['line'] + 1}:{m['column'] + 1} {m['state']}: {m['original']} -> {m['becomes']}    {m['text']}")
    states = {state: sum(m["state"] == state for m in of) for state in sorted({m["state"] for m in of})}
    print(f"{len(of)} mutants run: {states}; {len(left) / max(1, len(of)):.1%} were not noticed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["sample", "build", "reach", "run", "report"])
    parser.add_argument("tree")
    parser.add_argument("command", nargs="*")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--programs", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--again", nargs="*", default=[], help="states that are run again, as survived")
    options = parser.parse_args()
    {"sample": sample, "build": build, "reach": reach, "run": run, "report": report}[options.action](options)


if __name__ == "__main__":
    main()
