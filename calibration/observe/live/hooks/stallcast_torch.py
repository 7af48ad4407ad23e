"""Hooks around PyTorch's loaders, optimizers, saves and loads: what they note, see docs/reference/observe.md.

Every hook calls what it is laid around with the same arguments and gives back the same result or error. What it does
before and after is guarded, and its own time is counted.
"""
import functools
import os
import sys
import threading

from stallcast_job import LOAD, LOAD_BYTES, Pass, begin_flush, begin_part, end_part, end_step, flushed, heard, job, saved
from stallcast_record import ASYNC, IN_MEMORY, RANK, STEPS, SYNC_TIME, SYNCS, clock, find_rank, guarded, record
import stallcast_sample

# Kinds of values: side_file.hpp.
WAIT, INTERVAL, FIRST_BATCH, BATCH_BYTES = range(1, 5)
BETWEEN = 8
MOST_LOADERS = 4


def sampler_of(loader):
    kind = type(getattr(loader, "sampler", None))
    if kind.__name__ == "_InfiniteConstantSampler":
        return "iterable"
    return kind.__name__ if kind.__module__.split(".")[0] == "torch" else "custom"


def number_of_loader(loader):
    """0 to 3; the facts of a loader are told when it is seen first. None: one too many."""
    number = job.loaders.get(loader)
    if number is None:
        number = len(job.loaders)
        if number >= MOST_LOADERS:
            return None
        job.loaders[loader] = number
        batch = loader.batch_size
        if batch is None:
            batch = getattr(getattr(loader, "batch_sampler", None), "batch_size", None)
        sampler = sampler_of(loader)
        try:  # a stream may not know its length, or take long to find out
            length = None if sampler == "iterable" else len(loader.dataset)
        except Exception:
            length = None
        facts = {"workers": loader.num_workers, "prefetch": getattr(loader, "prefetch_factor", None), "batch": batch,
                 "sampler": sampler, "pinned": bool(loader.pin_memory), "dataset": length,
                 "persistent": bool(getattr(loader, "persistent_workers", False))}
        record.tell(str(number), facts)
    return number


@guarded
def before_pass(loader, asked):
    number = number_of_loader(loader)
    if number is None:
        return None
    find_rank()
    stallcast_sample.loader = number
    record.spent(clock() - asked)
    return Pass(number, asked)


def around_iter(original):
    @functools.wraps(original)
    def __iter__(self):
        state = before_pass(self, clock())
        iterator = original(self)
        if state is not None:
            try:
                iterator._stallcast = state
            except Exception:
                record.failed()
        return iterator
    return __iter__


@guarded
def asked(state, now):
    end_step()
    if job.current is not state:  # another loader had its turn, or an epoch begins
        job.current = state
        job.begin = state.asked if state.first else now
        job.wait = job.saved = 0.0
        job.batches = 0
    interval(state, now)
    state.last_ask = now
    record.spent(clock() - now)


def interval(state, now):
    if state.last_ask is not None:
        record.add(INTERVAL, state.loader, now - state.last_ask)
        record.add(WAIT, state.loader, state.last_wait)
        record.add(BETWEEN, state.loader, max(now - state.last_ask - state.last_wait, 0.0))


def size_of(data, left):
    """Bytes of the tensors and arrays in a batch; `left` bounds how many are looked at."""
    left[0] -= 1
    if left[0] < 0:
        return 0
    if hasattr(data, "element_size") and hasattr(data, "nelement"):
        return data.element_size() * data.nelement()
    if isinstance(data, (bytes, bytearray)):
        return len(data)
    if isinstance(data, str):
        return 0
    if isinstance(getattr(data, "nbytes", None), int):
        return data.nbytes
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, (list, tuple)):
        return sum(size_of(one, left) for one in data)
    return 0


@guarded
def got(state, data, began, now):
    begun = state.asked if state.first else began
    job.wait += now - begun
    job.batches += 1
    state.last_wait = now - begun
    if state.first:
        record.add(FIRST_BATCH, state.loader, now - begun)
        if state.last_ask is not None:
            state.last_ask = begun
        state.first = False
    state.sized += 1
    if state.sized <= 64 or state.sized % 16 == 0:
        left = [256]
        size = size_of(data, left)
        if left[0] >= 0 and size > 0:
            record.add(BATCH_BYTES, state.loader, float(size))
    record.spent(clock() - now)


@guarded
def ended(state):
    end_step()
    state.last_ask = None


def around_next(original):
    @functools.wraps(original)
    def __next__(self):
        state = getattr(self, "_stallcast", None)
        if state is None:
            return original(self)
        began = clock()
        asked(state, began)
        began = clock()
        job.inside += 1
        try:
            data = original(self)
        except StopIteration:
            ended(state)
            raise
        finally:
            job.inside -= 1
        got(state, data, began, clock())
        return data
    return __next__


def around_step(original):
    @functools.wraps(original)
    def step(self, *args, **kwargs):
        job.depth += 1
        try:
            return original(self, *args, **kwargs)
        finally:
            job.depth -= 1
            if job.depth == 0:
                job.marked = clock()
                stepped()
    step._stallcast = True
    return step


@guarded
def stepped():
    job.steps += 1
    if job.thread is None:
        job.thread = threading.get_ident()
        find_rank()
    record.put(STEPS, job.steps)


@guarded
def watch_step(kind):
    """Lays the hook around the class's step, unless it has one; a step within a step counts once."""
    if not getattr(kind.step, "_stallcast", False):
        kind.step = around_step(kind.step)


def around_init(original):
    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        watch_step(type(self))
    return __init__


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
        began = begin_part(f, began) or began
        try:
            result = original(obj, f, *args, **kwargs)
        finally:
            end_part()
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
        begin_part(None, began)
        try:
            result = original(*args, **kwargs)
        finally:
            end_part()
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
        save = begin_flush()
        began = clock()
        try:
            return original(fd)
        finally:
            synced(save, began, clock())
    return sync


@guarded
def synced(save, began, now):
    if stallcast_sample.in_worker():
        return
    record.count(SYNCS)
    record.count(SYNC_TIME, now - began)
    flushed(save, began, now)


def replace(module, name, around, *more):
    original = getattr(module, name, None)
    if original is not None and not getattr(original, "_stallcast", False):
        setattr(module, name, around(original, *more))


@guarded
def lay(name, module):
    """The hooks of a module of torch that was just imported."""
    if name == "torch.utils.data.dataloader":
        replace(module.DataLoader, "__iter__", around_iter)
        replace(module._BaseDataLoaderIter, "__next__", around_next)
        record.tell("torch", getattr(sys.modules.get("torch.version"), "__version__", ""))
    elif name == "torch.utils.data._utils.fetch":
        stallcast_sample.lay(module)
    elif name == "torch.optim.optimizer":
        replace(module.Optimizer, "__init__", around_init)
    elif name == "torch.serialization":
        replace(module, "save", around_save)
        replace(module, "load", around_load)
        replace(os, "fsync", around_sync)
        replace(os, "fdatasync", around_sync)
        sys.addaudithook(heard)
    else:
        for one in ("save", "save_state_dict"):
            replace(module, one, around_distributed, moved, False)
        for one in ("load", "load_state_dict"):
            replace(module, one, around_distributed, moved, True)
        replace(module, "async_save", around_distributed, paused)
