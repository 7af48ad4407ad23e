"""./stallcast.sh bench [PART...] [--runs N] [--update]: measures, and prints what was aimed at.

Parts are whole_runs, exactness, peers, growth, and every other program: the executable *.sh and *.py
here and what the CMake target `bench` built. Such a program prints Markdown, and for the table of
targets lines of the form

    RESULT<TAB>work<TAB>measured<TAB>target

--update writes the report to bench/results.md and the table of targets into docs/performance.md."""

import argparse
import datetime
import os
import platform
import re

import exactness
import growth
import measure
import peers
import whole_runs

PARTS = {"whole_runs": whole_runs.main, "exactness": exactness.main, "peers": peers.main,
         "growth": growth.main}
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(measure.ROOT, "docs/performance.md")
MARKS = ("<!-- targets: written by ./stallcast.sh bench --update -->", "<!-- end of targets -->")


def other_programs():
    """name -> path of what is no part above."""
    found = {}
    for folder in (HERE, measure.PROGRAMS):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK) and path != peers.PEER:
                found[os.path.splitext(name)[0]] = path
    return found


def run_program(report, name, path):
    report.heading(name)
    measure.note(name)
    for line in measure.run([path]).out.splitlines():
        if line.startswith("RESULT\t"):
            report.target(*line.split("\t")[1:4])
        else:
            report.line(line)


def machine():
    model = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read()).group(1)
    except (OSError, AttributeError):
        pass
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores of {model}, load {load:.0f}, {datetime.date.today()}"


def targets(report, runs):
    """The table of targets, as lines."""
    table = measure.Report()
    print()
    table.line(f"{machine()}; medians of {runs}.\n")
    table.table(["work", "measured:", "target:"], report.targets)
    return table.text


def update(report, table):
    with open(os.path.join(HERE, "results.md"), "w", encoding="utf-8") as file:
        file.write("# Results\n\nWritten by `./stallcast.sh bench --update`; method: "
                   "[performance](../docs/performance.md).\n\n" + "\n".join(table + report.text) + "\n")
    with open(PAGE, encoding="utf-8") as file:
        before, rest = file.read().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + MARKS[0] + "\n" + "\n".join(table) + MARKS[1] + after)


def main():
    others = other_programs()
    parser = argparse.ArgumentParser(prog="./stallcast.sh bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", help=", ".join([*PARTS, *others]))
    parser.add_argument("--runs", type=int, default=5, help="medians of so many (default 5)")
    parser.add_argument("--update", action="store_true", help="write the tables; needs all parts")
    args = parser.parse_args()
    unknown = set(args.part) - set(PARTS) - set(others)
    if unknown or (args.update and args.part):
        parser.error(f"no part {', '.join(unknown)}" if unknown else "--update needs all parts")

    report = measure.Report()
    report.line("# Measurements")
    for name, part in PARTS.items():
        if not args.part or name in args.part:
            part(report, args.runs)
    for name, path in others.items():
        if not args.part or name in args.part:
            run_program(report, name, path)
    table = targets(report, args.runs)
    if args.update:
        update(report, table)


if __name__ == "__main__":
    main()
