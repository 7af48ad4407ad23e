"""Faults by name: each a function that runs a call with it.

It takes the lab, the job, its place, a call without a fault, and the generator of what is drawn; it gives the exit
code, what was said, and the codes that are right besides those of a call without a fault. None: it cannot be had here.
"""

import contextlib
import os
import resource
import shutil
import signal
import sqlite3
import time

from lab import workers

FAILS = "write,pwrite64,fsync,fdatasync,ftruncate,rename"


def signalled(number, codes):
    def fault(lab, job, place, reference, rng):
        process = lab.start(job, place)
        time.sleep(rng.uniform(0.0, reference.seconds * 1.05))
        process.send_signal(number)
        return *lab.end(job, process), codes
    return fault


def killed_at_a_call(lab, job, place, reference, rng):
    if not reference.calls:
        return None
    # Most of what is written is written at the end.
    call, number = reference.calls[-1 - min(int(rng.expovariate(1 / 15.0)), len(reference.calls) - 1)]
    inject = f"inject={call}:signal=KILL:when={number}"
    process = lab.start(job, place, [lab.strace, "-o", "/dev/null", "-e", "trace=" + call, "-e", inject])
    return *lab.end(job, process), {-9}


def failing_call(lab, job, place, reference, rng):
    if not reference.calls:
        return None
    call, number = rng.choice([call for call in reference.calls[-60:] if call[0] in FAILS.split(",")])
    error = rng.choice(["ENOSPC", "EIO", "EDQUOT"])
    inject = f"inject={call}:error={error}:when={number}" + rng.choice(["", "+"])
    process = lab.start(job, place, [lab.strace, "-o", "/dev/null", "-e", "trace=" + call, "-e", inject])
    return *lab.end(job, process), {2, 4}


def full_disk(lab, job, place, reference, rng):
    new = sum(len(data or b"") for data in reference.after.values())
    old = sum(len(data or b"") for data in reference.before.values())
    blocks = sum(-(-len(data or b"") // 4096) + 1 for data in reference.before.values())
    room = rng.uniform(0.0, 1.1) * max(new - old, 20_000)
    if not lab.can_mount or job.before[:1] == [["git", "init", "-q"]]:
        largest = max(1, int(room))
        return *lab.end(job, lab.start(job, place, limits=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY)))), {2, 4}
    kept = place.folder + ".kept"
    os.rename(place.folder, kept)
    os.mkdir(place.folder)
    place.mount(place.folder, "-t", "tmpfs", "-o", f"size={(blocks + 2) * 4096 + int(room) // 4096 * 4096}", "none")
    shutil.copytree(kept, place.folder, dirs_exist_ok=True)
    return *lab.end(job, lab.start(job, place)), {2, 4}


def limited_files(lab, job, place, reference, rng):
    largest = int(rng.uniform(0.0, 1.2) * max((len(data or b"") for data in reference.after.values()), default=1))
    return *lab.end(job, lab.start(job, place, limits=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY)))), {2, 4}


def read_only_folder(lab, job, place, reference, rng):
    if os.geteuid() != 0:
        os.chmod(place.folder, 0o555)
    elif lab.can_mount:
        place.mount(place.folder, "--bind", place.folder)
        place.mount(place.folder, "-o", "remount,bind,ro")
    else:
        return None
    ended = lab.end(job, lab.start(job, place))
    os.chmod(place.folder, 0o755) if os.geteuid() != 0 else None
    return *ended, {2, 4}


def no_place_for_temporary_files(lab, job, place, reference, rng):
    where = rng.choice(["/dev/null/none", "/proc", "/dev/null"])
    return *lab.end(job, lab.start(job, place, env={"TMPDIR": where, "HOME": where, "XDG_CONFIG_HOME": where,
                                                    "XDG_DATA_HOME": where, "XDG_CACHE_HOME": where})), {2}


def killed_worker(lab, job, place, reference, rng):
    if not job.simulates:
        return None
    process = lab.start(job, place)
    time.sleep(rng.uniform(0.0, reference.seconds))
    for pid in rng.sample(found, 1) if (found := workers(place.mark)) else []:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return *lab.end(job, process), {4}


def worker_without_memory(lab, job, place, reference, rng):
    if not job.simulates:
        return None
    wrapper = os.path.join(place.root, "sim")
    worker = os.path.join(os.path.dirname(lab.stallcast), "stallcast-sim")
    with open(wrapper, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nulimit -v {rng.randint(9_000, 20_000)}\nexec {worker} \"$@\"\n")
    os.chmod(wrapper, 0o755)
    return *lab.end(job, lab.start(job, place, env={"STALLCAST_SIM": wrapper})), {2, 4}


def busy_database(lab, job, place, reference, rng):
    name = next((name for name in job.products if ".db" in name), None)
    if name is None or not reference.before.get(name):
        return None
    holder = sqlite3.connect(os.path.join(place.folder, name), isolation_level=None)
    holder.execute(rng.choice(["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"]))
    process = lab.start(job, place)
    time.sleep(rng.uniform(0.05, 1.0))
    holder.execute("ROLLBACK")
    holder.close()
    return *lab.end(job, process), set()


def clock_that_jumped(lab, job, place, reference, rng):
    then = rng.choice([0, 4_102_444_800])  # 1970 and 2100
    for name in os.listdir(place.folder):
        os.utime(os.path.join(place.folder, name), (then, then))
    return *lab.end(job, lab.start(job, place)), set()


FAULTS = {
    "SIGKILL": signalled(signal.SIGKILL, {-9}),
    "SIGKILL at a call": killed_at_a_call,
    "SIGINT": signalled(signal.SIGINT, {130, -2}),
    "SIGTERM": signalled(signal.SIGTERM, {143, -15}),
    "a call that fails": failing_call,
    "a full disk": full_disk,
    "a limit of files": limited_files,
    "a read-only folder": read_only_folder,
    "no place for temporary files": no_place_for_temporary_files,
    "a killed worker": killed_worker,
    "a worker without memory": worker_without_memory,
    "a busy database": busy_database,
    "files of another century": clock_that_jumped,
}
