#!/usr/bin/env python3
"""Kills, full disks and the like, at drawn moments of every verb that writes: what is on disk is old or new.

Usage: faults_test.py STALLCAST [--points N] [--seed N] [--only TEXT] [--verbose]

Every point is a call of jobs.py, a fault and a moment, drawn with the seed. Afterwards

  - each product is as it was before, or as a call without a fault writes it, and the latter if the call said so;
  - nothing else has changed in the folder, but for what a killed program may leave (*.tmp.PID.N, a log of SQLite);
  - the exit code is one that docs/reference/exit-codes.md gives for this;
  - no process of the call is left;
  - the same call again, without a fault, gives the result of one that was never disturbed, and then nothing is left
    in the folder or among temporary files.

Disks are small file systems of the test's own where it may mount some (as root, or where users may have namespaces);
elsewhere files have a limit. Moments at a system call need strace. What cannot be had here is drawn anew.
"""

import argparse
import dataclasses
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import jobs as table
from faults import FAULTS
from lab import Lab, Place, listing, processes

QUICK = 15
LEFT_BY_KILLED = re.compile(r"\.tmp\.[0-9.]+$|-wal$|-shm$|-journal$")
CRASH = re.compile(r"^stallcast-crash-[0-9a-f]+-seed\d+\.json$")


def is_whole(name, data, path):
    """Whether a report is one, whatever it says: what was interrupted tells what it knows."""
    if name.endswith((".json", ".sarif")):
        return table.is_json(path)
    return data.rstrip().endswith({".html": b"</html>", ".svg": b"</svg>", ".xml": b">"}.get(
        os.path.splitext(name)[1], b"")) and data.endswith(b"\n")


def first_difference(new, got):
    try:
        lines = difflib.unified_diff((new or b"").decode().splitlines(), (got or b"").decode().splitlines(), n=0)
    except UnicodeDecodeError:
        return ""
    return "\n" + "\n".join(line[:200] for line in [*lines][:12])


def state_faults(job, fault, place, reference, code, said, more_codes):
    """What is wrong after the call with a fault."""
    usual = {reference.code} if job.name != "serve" else {143, -15}
    if job.seconds:
        usual |= {2}  # of a probe: no room
    if code not in usual | more_codes:
        yield f"exit {code}, which is none of {sorted(usual | more_codes)}: {said[-600:]}"
    # The call that fails may be the one that says so; a sweep says so in its report.
    mute = fault == "a call that fails" or job.name.startswith("sweep") and code == 4
    if code not in {0, -9, -2, -15, 130, 143} and code not in usual and not said.strip() and not mute:
        yield f"exit {code} without a word"
    # The answer without what is simulated beside it (gains, advice); a sweep without what is missing.
    lesser = (code in (130, 143) or job.simulates and "worker" in fault
              or job.name.startswith("sweep") and code not in usual)
    end = time.monotonic() + 10
    while (left := processes(place.mark)) and time.monotonic() < end:
        time.sleep(0.05)
    if left:
        yield f"processes are left: {left}"
    now = listing(place.folder)
    for name in sorted({*now, *reference.before, *reference.after}):
        was, new, got = (state.get(name) for state in (reference.before, reference.after, now))
        whole = (job.same or {}).get(name)
        if got == was and not (name in job.products and code == reference.code and not whole and was != new):
            continue
        path = os.path.join(place.folder, name)
        if got == new or (whole and got is not None and whole(path)):
            continue
        if got is not None and was is None and new is None and (
                CRASH.match(name) or LEFT_BY_KILLED.search(name) and (code == -9 or ".db" in name)):
            continue
        if got is not None and name in job.products and lesser and is_whole(name, got, path):
            continue
        if got is not None and name == "copy":  # the job of observe writes as it likes
            continue
        said += first_difference(new, got)
        shown = "is gone" if got is None else f"is neither old nor new ({len(got)} bytes)"
        yield f"{name} {shown}, exit {code}; was {len(was) if was else was}, new {len(new) if new else new}: {said[-900:]}"


def faults_of_next_call(lab, job, fault, place, reference):
    """What is wrong after the same call without a fault."""
    if job.seconds and job.name != "serve":
        said = ""  # too long for every point; its folder and temporary files must be clean as it is
    elif job.again:
        if "worker" in fault and ("w.db" in job.args or "--shard" in job.args):  # what failed is a result, until
            part = ["--shard", "1/2"] if "--shard" in job.args else []
            subprocess.run([lab.stallcast, "sweep", "retry", "w.db", *part], cwd=place.folder, check=False,
                           env=lab.environment(job, place), capture_output=True)
        process = lab.start(job, place)
        if job.name == "serve":
            process.stdout.readline()
        code, said = lab.end(job, process)
        usual = 143 if job.name == "serve" else reference.code
        if code != usual:
            yield f"the next call: exit {code}: {said[-600:]}"
    now = listing(place.folder)
    for name in sorted({*now, *reference.after}):
        whole = (job.same or {}).get(name)
        if CRASH.match(name) or name == "copy" or not job.again:
            continue
        if job.seconds and name in job.products:
            continue
        if whole and now.get(name) is not None and whole(os.path.join(place.folder, name)):
            continue
        if now.get(name) != reference.after.get(name):
            yield f"after the next call {name} is not as without a fault"
    if left := os.listdir(place.temporary):
        yield f"temporary files are left: {left}"


def point(lab, job, name, with_old, rng):
    """None when the fault cannot be had, else what is wrong."""
    reference = lab.reference(job, with_old)
    place = Place(lab.root)
    try:
        lab.fill(job, place.folder, with_old, lab.environment(job, place))
        reference = dataclasses.replace(reference, before=listing(place.folder))
        ended = FAULTS[name](lab, job, place, reference, rng)
        if ended is None:
            return None
        code, said, codes = ended
        wrong = list(state_faults(job, name, place, reference, code, said, codes))
        if place.mounted:
            where = place.folder + ".after"
            shutil.copytree(place.folder, where)
            for path in reversed(place.mounted):
                subprocess.run(["umount", "-l", path], check=True)
            place.mounted = []
            shutil.rmtree(place.folder)
            os.rename(where, place.folder)
        wrong += faults_of_next_call(lab, job, name, place, reference)
        return code, wrong
    finally:
        place.remove()


def with_mounts():
    """Starts this program again where it may mount what nobody else sees."""
    if os.environ.get("STALLCAST_FAULTS_MOUNTS"):
        return
    words = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--user", "--map-root-user"]
    with tempfile.TemporaryDirectory() as folder:
        can = shutil.which("unshare") and subprocess.run(
            [*words, "mount", "-t", "tmpfs", "none", folder], capture_output=True, check=False).returncode == 0
    os.environ["STALLCAST_FAULTS_MOUNTS"] = "1" if can else "0"
    if can:
        os.execvp("unshare", [*words, sys.executable, "-B", *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stallcast")
    parser.add_argument("--points", type=int, default=QUICK)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="jobs or faults whose name has this text")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with_mounts()
    stallcast = os.path.abspath(options.stallcast)
    quick = options.points <= QUICK
    slow = {"explorer", "probe io", "probe metadata", "validate --picture"}
    jobs = [job for job in table.jobs() if not (quick and job.name in slow)
            and os.path.exists(os.path.join(os.path.dirname(stallcast), job.program))]
    pairs = [(job, fault) for job in jobs for fault in FAULTS if options.only in job.name or options.only == fault]
    rng = random.Random(options.seed)
    done, faulty, counts, began = 0, 0, {}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stallcast-faults-") as root:
        lab = Lab(stallcast, root)
        drawn = []
        while done < options.points:
            if not drawn:
                drawn = rng.sample(pairs, len(pairs))
            job, fault = drawn.pop()
            seed = rng.randrange(1 << 32)
            with_old = rng.random() < 0.5
            found = point(lab, job, fault, with_old, random.Random(seed))
            if found is None:
                continue
            done += 1
            code, wrong = found
            counts[fault] = counts.get(fault, 0) + 1
            if options.verbose or wrong:
                print(f"{job.name}: {fault}, {'old files' if with_old else 'no files'}, exit {code}"
                      + "".join(f"\n    {what}" for what in wrong), flush=True)
            faulty += bool(wrong)
    print("; ".join(f"{fault} {count}" for fault, count in sorted(counts.items())))
    print(f"{done} points of seed {options.seed} over {len(jobs)} jobs in {time.monotonic() - began:.0f} s: {faulty} faulty")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
