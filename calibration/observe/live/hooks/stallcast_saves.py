"""Hooks around what saves and loads: torch.save, torch.load, torch.distributed.checkpoint and fsync."""
import functools
import os
import threading

from stallcast_job import LOAD, LOAD_BYTES, aside, goes_on_until, job, saved
from stallcast_record import ASYNC, IN_MEMORY, PENDING_SAVE, RANK, SYNC_TIME, SYNCS, clock, guarded, record
import stallcast_sample


def size_on_disk(target):
    """Bytes behind a path or an open file; 0 when nobody can tell."""
    try:
        if isinstance(target, (str, bytes, os.PathLike)):
            return float(os.stat(target).st_size)
        return float(os.fstat(target.fileno()).st_size)
    except (AttributeError, OSError, ValueError):
        return 0.0


def around_save(original):
    @functools.wraps(original)
    def save(obj, f, *args, **kwargs):
        began = clock()
        job.saving += 1
        try:
            result = original(obj, f, *args, **kwargs)
        finally:
            job.saving -= 1
        now = clock()
        written(f, began, now)
        return result
    return save


@guarded
def written(f, began, now):
    if job.inside or stallcast_sample.in_worker():
        return
    if not isinstance(f, (str, bytes, os.PathLike)) and not hasattr(f, "name"):
        record.count(IN_MEMORY)
        return
    saved(f, began, now, size_on_disk(f), 1)


def around_load(original):
    @functools.wraps(original)
    def load(f, *args, **kwargs):
        began = clock()
        result = original(f, *args, **kwargs)
        now = clock()
        loaded(f, began, now)
        return result
    return load


@guarded
def loaded(f, began, now):
    if job.inside or stallcast_sample.in_worker():
        return  # it reads a sample
    size = 0.0
    if isinstance(f, (str, bytes, os.PathLike)) or hasattr(f, "name"):
        size = size_on_disk(f)
    seconds, before = job.load or (0.0, 0.0)
    job.load = (seconds + now - began, before + size)
    job.saved += now - began


def around_distributed(original, after, *more):
    @functools.wraps(original)
    def call(*args, **kwargs):
        began = clock()
        job.saving += 1
        try:
            result = original(*args, **kwargs)
        finally:
            job.saving -= 1
        after(args, kwargs, began, clock(), *more)
        return result
    return call


@guarded
def paused(args, kwargs, began, now):
    """An asynchronous save has copied what it will write; the thread that writes it calls save."""
    record.put(ASYNC, 1.0)
    job.saved += now - began


@guarded
def moved(args, kwargs, began, now, loads):
    """torch.distributed.checkpoint: this rank's own files of the folder."""
    folder = kwargs.get("checkpoint_id")
    for one in (kwargs.get("storage_writer"), kwargs.get("storage_reader"), *args):
        folder = folder or getattr(one, "path", None)
    size, files = 0.0, 0
    mark = "__%d_" % max(int(record.cells[RANK]) if record.ready() else 0, 0)
    if isinstance(folder, (str, os.PathLike)):
        for entry in os.scandir(folder):
            if entry.name.startswith(mark):
                size += entry.stat().st_size
                files += 1
    if loads:
        record.add(LOAD, 0, now - began)
        record.add(LOAD_BYTES, 0, size)
        job.saved += now - began
    else:
        saved(folder, began, now, size, files)


def around_sync(original):
    @functools.wraps(original)
    def sync(fd):
        began = clock()
        try:
            return original(fd)
        finally:
            synced(clock() - began)
    return sync


@guarded
def synced(seconds):
    if stallcast_sample.in_worker():
        return
    record.count(SYNCS)
    record.count(SYNC_TIME, seconds)
    if job.saving == 0 and aside():
        # However many steps that took: it is the thread that saved, and has not ended.
        if job.save is not None and job.side is not None and job.side[0] == threading.get_ident():
            goes_on_until(clock())
            record.put(PENDING_SAVE, job.save[1])
    elif job.saving == 0:  # the save that it makes durable takes as much longer
        job.saved += seconds
        if job.save is not None:
            job.save[1] += seconds
            record.put(PENDING_SAVE, job.save[1])
