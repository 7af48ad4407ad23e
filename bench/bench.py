"""./stallcast.sh bench [PART...] [--runs N] [--update]: measures, and prints what was aimed at.

Parts are whole_runs, exactness, peers, growth, sweeps, and every other program that the CMake target `bench`
built; what measures against measurements of others, or for half an hour, is started by itself. Such a program
prints Markdown, and for the table of targets lines of the form

    RESULT<TAB>work<TAB>measured<TAB>target

Each part is kept in build/release/bench/results/. --update writes them all, those that were measured
now and those kept, to bench/results.md and the table of targets into docs/performance.md."""

import argparse
import datetime
import mmap
import os
import platform
import re
import time

import exactness
import growth
import measure
import peers
import sweeps
import whole_runs

PARTS = {"whole_runs": whole_runs.main, "exactness": exactness.main, "peers": peers.main,
         "growth": growth.main, "sweeps": sweeps.main}
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(measure.ROOT, "docs/performance.md")
KEPT = os.path.join(measure.PROGRAMS, "results")
MARKS = ("<!-- targets: written by ./stallcast.sh bench --update -->", "<!-- end of targets -->")


def other_programs():
    """name -> path of what is not a part above."""
    folder, found = measure.PROGRAMS, {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK) and path not in (peers.PEER, peers.LOOP):
            found[name] = path
    return found


def run_program(report, name, path):
    report.heading(name)
    measure.note(name)
    for line in measure.run([path]).out.splitlines():
        if line.startswith("RESULT\t"):
            report.target(*line.split("\t")[1:4])
        else:
            report.line(line)


def all_parts():
    """name -> what measures it, into a report, of so many runs."""
    out = dict(PARTS)
    for name, path in other_programs().items():
        out[name] = lambda report, runs, name=name, path=path: run_program(report, name, path)
    return out


def machine():
    model = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read()).group(1)
    except (OSError, AttributeError):
        pass
    return f"{os.cpu_count()} cores of {model}"


def page_fault():
    """us that the first touch of a page takes: 0.3 to 11, and most of the time of what starts processes."""
    pages, rounds, took = 1000, 20, 0.0  # few at a time: the peak of this process hides those of smaller children
    for _ in range(rounds):
        with mmap.mmap(-1, pages * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
            began = time.perf_counter()
            for at in range(0, len(memory), mmap.PAGESIZE):
                memory[at] = 1
            took += time.perf_counter() - began
    return 1e6 * took / (rounds * pages)


def targets(report):
    """The table of targets, as lines."""
    table = measure.Report()
    print()
    table.line(f"{machine()}.\n")
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
    parts = all_parts()
    parser = argparse.ArgumentParser(prog="./stallcast.sh bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", help=", ".join(parts))
    parser.add_argument("--runs", type=int, default=5,
                        help="medians of so many (default 5), of three that take long")
    parser.add_argument("--update", action="store_true", help="write the tables")
    args = parser.parse_args()
    if unknown := set(args.part) - set(parts):
        parser.error(f"no part {', '.join(unknown)}")

    os.makedirs(KEPT, exist_ok=True)
    measured = measure.Report()
    print("# Measurements", flush=True)
    for name in args.part or parts:
        report = measure.Report()
        began = os.getloadavg()[0]
        parts[name](report, args.runs)
        report.line(f"{datetime.date.today()}, medians of {args.runs}, of three that took long; "
                    f"load {began:.0f} before, {os.getloadavg()[0]:.0f} after; "
                    f"a page fault takes {page_fault():.2g} us.")
        kept = os.path.join(KEPT, name + ".json")
        report.save(kept)
        measured.add(kept)
    if not args.update:
        targets(measured)
        return
    everything = measure.Report()
    for name in parts:
        kept = os.path.join(KEPT, name + ".json")
        if not os.path.exists(kept):
            raise SystemExit(f"{name} was not measured yet")
        everything.add(kept)
    update(everything, targets(everything))


if __name__ == "__main__":
    main()
