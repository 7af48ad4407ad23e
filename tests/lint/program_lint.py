"""Checks on what was built and how it is formatted: libraries of programs, clang-format."""

import os
import re
import subprocess

from tracked import is_cpp

# Programs that may be linked with SimGrid, whose engine is a process-wide singleton (ADR 0003).
# What bench/ builds lies in a folder of its own and is not part of the product; bench/peers/ may
# include SimGrid (layers.json).
SIMGRID_PROGRAMS = {"stallcast-sim"}


def needed_libraries(program):
    out = subprocess.run(["readelf", "-d", program], check=True, capture_output=True).stdout
    return re.findall(r"\(NEEDED\).*\[([^\]]+)\]", out.decode())


def simgrid_programs(folder):
    """Only stallcast-sim among the programs in `folder` is linked with libsimgrid, and it is."""
    findings = []
    programs = sorted(p for p in (os.listdir(folder) if os.path.isdir(folder) else [])
                      if os.access(os.path.join(folder, p), os.X_OK)
                      and os.path.isfile(os.path.join(folder, p)))
    if not programs:
        findings.append(f"{folder}: there is no program to check")
    for program in programs:
        linked = any(lib.startswith("libsimgrid")
                     for lib in needed_libraries(os.path.join(folder, program)))
        if linked and program not in SIMGRID_PROGRAMS:
            findings.append(f"{program}: must not be linked with libsimgrid")
        if not linked and program in SIMGRID_PROGRAMS:
            findings.append(f"{program}: is expected to be linked with libsimgrid")
    return findings


def formatting(root, names, clang_format):
    sources = [n for n in names if is_cpp(n)]
    if not sources:
        return ["there is no source to check"]
    run = subprocess.run([clang_format, "--dry-run", "-Werror", "--ferror-limit=3", *sources],
                         cwd=root, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return []
    return [line for line in run.stderr.splitlines() if "error:" in line] or [run.stderr.strip()]
