"""Hooks around PyTorch's loaders and optimizers: what they note, see docs/reference/observe.md.

Every hook calls what it is laid around with the same arguments and gives back the same result or error. What it does
before and after is guarded, and its own time is counted.
"""
import functools
import os
import sys
import threading

from stallcast_device import BATCH_GPU, device
from stallcast_job import FIRST_BETWEEN, Pass, end_step, first_of_all, job, rest, stands
from stallcast_record import INTERVALS_OF, clock, find_rank, guarded, place_of, record
import stallcast_sample
from stallcast_saves import around_distributed, around_load, around_save, around_sync, moved, paused

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
    """0 to 3, and -1 for all others; the facts of a loader are told when it is seen first. Loaders of the same facts are
    one: a script may make a new one for each epoch."""
    number = job.loaders.get(loader)
    if number is None:
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
        kind = type(loader.dataset), *facts.values()
        number = job.numbers.setdefault(kind, len(job.numbers))
        if number >= MOST_LOADERS:
            job.numbers.pop(kind)
            number = -1
        else:
            record.tell(str(number), facts)
        job.loaders[loader] = number
    return number


@guarded
def before_pass(loader, asked):
    number = number_of_loader(loader)
    find_rank()
    stallcast_sample.loader = number
    record.spent(clock() - asked)
    return Pass(number, asked)


def around_iter(original):
    @functools.wraps(original)
    def __iter__(self):
        began = clock()
        iterator = original(self)
        state = getattr(iterator, "_stallcast", None)
        if state is not None:
            state.asked, state.opened = began, clock() - began
        return iterator
    return __iter__


def begins(iterator, loader, began):
    """A pass begins, of an iterator that was just made or is used again."""
    try:
        iterator._stallcast = before_pass(loader, began)
    except Exception:
        record.failed()


def around_made(original):
    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        began = clock()
        original(self, *args, **kwargs)
        begins(self, args[0] if args else kwargs.get("loader"), began)
    return __init__


def around_reset(original):
    @functools.wraps(original)
    def _reset(self, *args, **kwargs):
        began = clock()
        result = original(self, *args, **kwargs)
        first = args[1] if len(args) > 1 else kwargs.get("first_iter", False)
        if not first:
            begins(self, args[0] if args else kwargs.get("loader"), began)
        return result
    return _reset


@guarded
def asked(state, now):
    end_step()
    if job.current is not state:  # another loader had its turn, or an epoch begins
        job.current = state
        job.begin, job.first = now, True
        if state.first:
            job.begin = state.asked if state.opened is None else now - state.opened
        job.wait = job.saved = 0.0
        job.batches = job.rest = 0
        device.drop()
    if job.steps == 0:
        interval(state, now)
    state.last_ask = now
    record.spent(clock() - now)


def interval(state, now):
    if not record.ready():
        return
    if state.last_ask is None and not state.first:  # of a batch that was counted alone
        job.passed += 1
        record.cells[place_of(INTERVALS_OF, state.loader)] += 1.0
    if state.last_ask is not None:
        many = stands()
        record.add(INTERVAL, state.loader, now - state.last_ask, many)
        record.add(WAIT, state.loader, state.last_wait, many)
        between = max(now - state.last_ask - state.last_wait, 0.0)
        record.add(BETWEEN, state.loader, between, many)
        if first_of_all(FIRST_BETWEEN, state.loader, between):
            device.drop()
        device.step(BATCH_GPU, state.loader, many, 1)
        counted = place_of(INTERVALS_OF, state.loader)
        record.cells[counted] += 1.0
        rest(now - state.last_ask, record.cells[counted])


def resting(state):
    """Is this batch one of those that are counted alone?"""
    if job.steps == 0:  # batches are steps
        job.rest -= 1
        job.passed += 1
        record.cells[place_of(INTERVALS_OF, state.loader)] += 1.0
        state.last_ask = None
        return True
    if job.marked is not None:
        job.passed += 1
        job.begin, job.marked = job.marked, None
        record.cells[state.steps] += 1.0
        job.rest -= 1
        if job.rest == 0:
            job.wait = job.saved = 0.0
            job.batches = 0
            return False
    return True


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
    begun = began
    if state.first:
        begun = state.asked if state.opened is None else began - state.opened
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
    if job.rest == 0:
        device.begin()
    record.spent(clock() - now)


@guarded
def ended(state):
    end_step()
    state.last_ask = None


def around_next(original):
    @functools.wraps(original)
    def __next__(self):
        state = self._stallcast
        if state is None:
            return original(self)
        if job.rest > 0 and state is job.current and job.save is None and job.load is None and resting(state):
            job.inside += 1
            try:
                return original(self)
            finally:
                job.inside -= 1
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
                job.steps += 1
                device.optimizer_step()
                if job.thread is None:
                    stepped()
    step._stallcast = True
    return step


@guarded
def stepped():
    job.thread = threading.get_ident()
    find_rank()


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


def replace(module, name, around, *more):
    original = getattr(module, name, None)
    if original is not None and not getattr(original, "_stallcast", False):
        setattr(module, name, around(original, *more))


@guarded
def lay(name, module):
    """The hooks of a module of torch that was just imported."""
    if name == "torch.utils.data.dataloader":
        replace(module.DataLoader, "__iter__", around_iter)
        module._BaseDataLoaderIter._stallcast = None
        replace(module._BaseDataLoaderIter, "__init__", around_made)
        replace(module._BaseDataLoaderIter, "_reset", around_reset)
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
    else:
        for one in ("save", "save_state_dict"):
            replace(module, one, around_distributed, moved, False)
        for one in ("load", "load_state_dict"):
            replace(module, one, around_distributed, moved, True)
        replace(module, "async_save", around_distributed, paused)
