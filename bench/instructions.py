#!/usr/bin/env python3
"""Instructions of fourteen fixed jobs against those of the baseline: fails where one needs 3 % more.

Usage: instructions.py STALLCAST [--update] [--only TEXT] [--where FOLDER]

Times on shared machines say nothing about 3 %; counts by valgrind are the same to a few in a million. They depend on
the compiler, the libraries and what the processor offers, so the baseline says which it is of, and with others the
check is skipped (exit 77). A change that needs more for a reason raises the baseline in its own commit: --update.
--where keeps what callgrind wrote there: `callgrind_annotate FILE` names the functions.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "bench" / "instructions.json"
MOST_GROWTH = 0.03
SKIPPED = 77
ONE = ["--jobs", "1", "--quiet", "--seed", "1", "--replicas", "1"]
RUN = [*ONE, "--draws", "0", "--no-advice"]
JOBS = {
    "start": ["--version"],
    "lint": ["lint", "scenarios/library/mlperf-unet3d.json"],
    "resolve with provenance": ["resolve", "scenarios/library/llm-rail-optimized.json", "--provenance"],
    "loaders": ["run", "bench/scenarios/4-hosts-10s.json", *RUN],
    "many hosts": ["run", "bench/scenarios/1000-hosts.json", *RUN],
    "hosts one by one": ["run", "bench/scenarios/1000-hosts.json", *RUN, "--no-fold", "--set", "jobs.train.steps=4"],
    "hosts that differ": ["run", "bench/scenarios/1000-hosts-tail.json", *RUN, "--set", "jobs.train.steps=20"],
    "saves": ["run", "scenarios/library/llm-async-ckpt.json", *RUN],
    "failures": ["run", "scenarios/library/host-failure.json", *RUN],
    "small files, an HTML page": ["run", "scenarios/library/raw-against-tar.json", *RUN, "--format", "html",
                                  "--set", "run.duration=5 s"],
    "what limits": ["run", "scenarios/library/llm-sync-ckpt.json", *ONE, "--draws", "0", "--set", "run.duration=10 min"],
    "sweep": ["sweep", "examples/exercise-512-h100-sync.json", "--vary", "n_ost=20,30,40,50", *ONE],
    "20 jobs": ["run", "jobs.json", *RUN, "--format", "json"],
    "one of 5 stores, explained": ["explain", "stores.json", "--no-simulation", "--quiet"],
}


def made_jobs():
    """Each on hosts of its own: what looks at all jobs for each of them shows."""
    ids = [f"job{i}" for i in range(20)]
    job = {"steps": 3, "epochs": 1, "step": {"compute": "100 ms"}, "loader": {"workers": 1, "batch": 1},
           "dataset": {"on": "scratch", "format": "raw", "sample": "1 MB", "samples": 10000}}
    return {"cluster": {"hosts": [{"id": f"hosts-{i}", "count": 1, "gpus": 1} for i in ids]},
            "storage": [{"id": "scratch", "type": "nfs", "head": {"count": 20}}],
            "jobs": [{"id": i, "hosts": f"hosts-{i}", **job} for i in ids], "run": {"replicas": 1}}


def made_stores():
    """Of which nobody uses any but one."""
    store = {"type": "nfs", "head": {"count": 4}}
    return {"extends": str(ROOT / "bench" / "scenarios" / "4-hosts-10s.json"),
            "storage": [{"id": f"other{i}", **store} for i in range(4)]}


MADE = {"jobs.json": made_jobs, "stores.json": made_stores}


def text_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def built_with(stallcast):
    """What counts depend on besides the sources."""
    compiler = re.findall(r"GCC: \((.*)", text_of("readelf", "-p", ".comment", stallcast)) + ["unknown"]
    libraries = text_of("ldd", os.path.join(os.path.dirname(stallcast), "stallcast-sim"))
    simgrid = re.search(r"libsimgrid\.so\.([\d.]+)", libraries)
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("flags")[2].partition("\n")[0].split()
    cache = pathlib.Path(stallcast).parent.parent / "CMakeCache.txt"
    build = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache.read_text(encoding="utf-8"), re.M) if cache.exists() else None
    return {"compiler": compiler[0].replace(") ", " "), "build": build[1] if build else "unknown",
            "libc": os.confstr("CS_GNU_LIBC_VERSION"), "simgrid": simgrid[1] if simgrid else "unknown",
            "valgrind": text_of("valgrind", "--version").strip(), "avx2": "avx2" in flags}


def count(stallcast, name, where):
    """Instructions of a job and the processes that it starts."""
    out = os.path.join(where, re.sub(r"\W+", "-", name) + ".%p") if where else "/dev/null"
    with tempfile.TemporaryDirectory() as folder:
        words = list(JOBS[name])
        for made, scenario in MADE.items():
            if made in words:
                words[words.index(made)] = os.path.join(folder, made)
                pathlib.Path(folder, made).write_text(json.dumps(scenario()), encoding="utf-8")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={out}",
             f"--log-file={folder}/log.%p", stallcast, *words], cwd=ROOT, env={**os.environ, "STALLCAST_SIM_SANDBOX": "off"},
            capture_output=True, text=True, check=False)  # valgrind takes calls that a simulation does not
        logs = [path.read_text(encoding="utf-8", errors="replace") for path in pathlib.Path(folder).glob("log.*")]
    if done.returncode not in (0, 1):
        sys.exit(f"{name}: exit {done.returncode}\n{done.stderr}")
    counts = [int(found) for log in logs for found in re.findall(r"Collected : (\d+)", log)]
    if not counts:
        sys.exit(f"{name}: valgrind counted nothing\n" + "".join(logs))
    return sum(counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stallcast")
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--only", default="", help="jobs whose name has this text")
    parser.add_argument("--where", help="keep callgrind's files in this folder")
    options = parser.parse_args()
    stallcast = os.path.abspath(options.stallcast)
    try:
        here = built_with(stallcast)
    except FileNotFoundError as missing:
        print(f"skipped: {missing.filename} is not installed")
        return SKIPPED
    baseline = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {"with": {}, "jobs": {}}
    if baseline["with"] != here and not options.update:
        print(f"skipped: the baseline is of {baseline['with']}, this is {here}")
        return SKIPPED
    names = [name for name in JOBS if options.only in name]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(names, pool.map(lambda name: count(stallcast, name, options.where), names)))
    grown = []
    for name, now in found.items():
        was = baseline["jobs"].get(name)
        growth = now / was - 1.0 if was else None
        if growth is None or growth > MOST_GROWTH:
            grown.append(name)
        print(f"{name:26} {now / 1e6:10.1f} M" + (f" {growth:+8.2%}" if growth is not None else "      new"))
    if options.update:
        baseline = {"with": here, "jobs": {**{n: c for n, c in baseline["jobs"].items() if n in JOBS}, **found}}
        BASELINE.write_text(json.dumps(baseline, indent=1) + "\n", encoding="utf-8")
        return 0
    if grown:
        print(f"more than {MOST_GROWTH:.0%} more than {BASELINE.relative_to(ROOT)}: {', '.join(grown)}. Where: --where FOLDER; "
              "for a reason: --update, in the same commit")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
