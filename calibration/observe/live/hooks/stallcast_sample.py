"""Single samples: what it takes to get one from a data set, in workers or in the process that trains.

For a batch with a sample to be measured, the data set that its fetcher uses is replaced by one that passes everything on.
Of samples that take little time only some are measured, so that measuring takes about half a hundredth of them; each
stands for those since the last one.
"""
import builtins
import io
import os
import sys
import threading
import time

from stallcast_record import (HOOK_TIME, MEASURED, SAMPLES, SAMPLES_OF, START_TIME, WORKER, clock, find_rank, guarded,
                              place_of, record)

SAMPLE_WALL, SAMPLE_CPU, SAMPLE_READ, SAMPLE_FILES, SAMPLE_DELAY, SAMPLE_FETCHED, COLLATE, COLLATE_CPU = range(10, 18)
SHARE = 0.005       # of a sample's time that measuring may take
ALWAYS = 8          # samples that are measured in any case
loader = -1         # number of the loader whose pass began last; forked workers inherit it
thread_time = time.thread_time


def in_worker():
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return getattr(worker, "_worker_info", None) is not None


class Meter:
    """What a thread has read and waited for so far, by /proc; one for each thread and loader."""

    def __init__(self):
        worker = in_worker()
        self.loader = loader
        self.place = place_of(SAMPLES_OF, loader, SAMPLES)
        self.cells = record.cells
        # A worker has threads of its own only for its samples.
        self.io = self.open("/proc/self/io" if worker else "/proc/thread-self/io")
        self.delay = self.open("/proc/thread-self/schedstat")
        self.process = os.getpid()
        self.thread = threading.get_ident()
        self.opened = []
        self.stride = 1.0
        self.left = self.drawn = 1
        self.told = 0       # of the samples since `left` was drawn, those that are counted
        self.many = True    # does a fetch give many?
        self.taken = 1      # samples of the batch under way, of a stream
        self.batches = 0    # since a collate was measured
        self.measured = 0
        self.cost = self.wall = 0.0
        if worker:
            record.put(WORKER, 1.0)
            find_rank()

    @staticmethod
    def open(path):
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return -1

    def now(self):
        """(bytes read by calls, bytes fetched from devices, length of what was just read)"""
        if self.io < 0:
            return None
        text = os.pread(self.io, 512, 0)
        words = text.split()
        return int(words[1]), int(words[9]), len(text)

    def waited(self):
        if self.delay < 0:
            return None
        return int(os.pread(self.delay, 128, 0).split()[1])

    def begin(self):
        came = thread_time()
        self.opened.clear()
        delay = self.waited()
        before = self.now()
        opens.begin(self)
        return came, delay, before, thread_time(), clock()

    def end(self, begun, samples):
        now, cpu = clock(), thread_time()
        closed(self)
        came, delay, before, cpu_then, then = begun
        after = self.now()
        late = self.waited()
        wall = (now - then) / samples
        number = self.loader
        stands = max(self.drawn - self.left, 1)  # for those since the last one, too
        record.count(MEASURED)
        record.add(SAMPLE_WALL, number, wall, stands)
        record.add(SAMPLE_CPU, number, (cpu - cpu_then) / samples, stands)
        if before is not None and after is not None:
            record.add(SAMPLE_READ, number, max(after[0] - before[0] - before[2], 0) / samples, stands)
            record.add(SAMPLE_FETCHED, number, (after[1] - before[1]) / samples, stands)
        record.add(SAMPLE_FILES, number, len(self.opened) / samples, stands)
        if delay is not None and late is not None:
            record.add(SAMPLE_DELAY, number, (late - delay) * 1e-9 / samples, stands)
        for path in self.opened[:4]:
            try:
                record.path(path)
            except OSError:
                pass
        self.measured += 1
        cost = cpu_then - came + thread_time() - cpu  # without what others took of the core
        if self.measured <= 2:  # the first one makes the file
            self.cost, self.wall = cost, wall * samples
        self.cost += 0.1 * (cost - self.cost)
        self.wall += 0.1 * (wall * samples - self.wall)
        record.spent(cost)

    def draw(self):
        """When to measure next; by chance, as batches and shards have a rhythm."""
        if self.measured >= ALWAYS:
            self.stride = min(max(self.cost / (SHARE * max(self.wall, 1e-7)), 1.0), 1e6)
        self.count()
        self.left = self.drawn = record.even(2 * int(self.stride) - 1)
        self.told = 0

    def count(self):
        """Tells how many samples there were since the last time."""
        more = self.drawn - self.left - self.told
        if more:
            self.cells[self.place] += more
            self.told += more


meters = {}


def meter():
    """The one of this process, thread and loader, or None."""
    key = threading.get_ident(), loader
    mine = meters.get(key)
    if mine is None or mine.process != os.getpid():
        if mine is not None:
            meters.clear()
        mine = Meter()
        meters[key] = mine
    return mine


class Opens:
    """Files that Python opens while samples are measured; nothing is in the way at other times."""

    places = ((builtins, "open"), (io, "open"), (os, "open"))

    def __init__(self):
        self.listeners = []
        self.own, self.ours = [], []

    def begin(self, mine):
        self.listeners.append(mine)
        if len(self.listeners) == 1:
            self.own = [getattr(module, name) for module, name in self.places]
            self.ours = [self.around(one) for one in self.own]
            for (module, name), one in zip(self.places, self.ours):
                setattr(module, name, one)

    def end(self, mine):
        self.listeners.remove(mine)
        if not self.listeners:
            for (module, name), one, ours in zip(self.places, self.own, self.ours):
                if getattr(module, name) is ours:
                    setattr(module, name, one)

    def around(self, original):
        def open(file, *args, **kwargs):
            heard(file)
            return original(file, *args, **kwargs)
        return open


opens = Opens()


@guarded
def heard(path):
    if isinstance(path, int):
        return
    path = os.fsdecode(path)
    if path.endswith((".py", ".pyc", ".so")) or path.startswith("/proc/"):
        return
    for mine in opens.listeners:
        if mine.thread == threading.get_ident() and len(mine.opened) < 1000:
            mine.opened.append(path)


begin = guarded(Meter.begin)
end = guarded(Meter.end)
draw = guarded(Meter.draw)


def measured(mine, samples, get):
    """The result of `get`, measured when its turn has come."""
    if mine.left > samples:
        value = get()
        mine.left -= samples
        return value
    begun = begin(mine)
    try:
        value = get()
    except BaseException:  # also a stream's end
        closed(mine)
        raise
    mine.left -= samples
    if begun is not None:
        end(mine, begun, samples)
        draw(mine)
    else:
        closed(mine)
    return value


@guarded
def closed(mine):
    if mine in opens.listeners:
        opens.end(mine)


class Samples:
    """A data set as its fetcher sees it."""

    def __init__(self, dataset, mine):
        self._stallcast = (dataset, mine)

    def __getattr__(self, name):
        return getattr(self._stallcast[0], name)

    def __getitem__(self, index):
        dataset, mine = self._stallcast
        if mine.left > 1:
            mine.left -= 1
            return dataset[index]
        return measured(mine, 1, lambda: dataset[index])


class BatchedSamples(Samples):
    """The same where the data set gives many at once."""

    @property
    def __getitems__(self):
        dataset, mine = self._stallcast
        many = dataset.__getitems__
        if not many:
            return many
        return lambda indices: measured(mine, max(len(indices), 1), lambda: many(indices))


class SampleStream:
    """The iterator of a data set as its fetcher sees it."""

    def __init__(self, iterator, mine):
        self._stallcast = (iterator, mine)

    def __getattr__(self, name):
        return getattr(self._stallcast[0], name)

    def __iter__(self):
        return self

    def __next__(self):
        iterator, mine = self._stallcast
        return measured(mine, 1, lambda: next(iterator))


def counting(collate, mine):
    """The collate function of a stream, whose last batch is shorter."""
    def call(samples):
        if mine.many:
            mine.taken = len(samples)
        return collate(samples)
    return call


def timing(collate, mine):
    def call(samples):
        began, cpu = clock(), thread_time()
        batch = collate(samples)
        collated(mine, clock() - began, thread_time() - cpu)
        return batch
    return call


@guarded
def collated(mine, wall, cpu):
    stands = max(mine.batches, 1)  # for those since the last one, too
    record.add(COLLATE, mine.loader, wall, stands)
    record.add(COLLATE_CPU, mine.loader, cpu, stands)
    mine.batches = 0


@guarded
def watch(fetcher, streams):
    began = clock()
    if not record.ready():
        return
    mine = meter()
    mine.many = bool(getattr(fetcher, "auto_collation", True))
    if streams:
        fetcher.collate_fn = counting(fetcher.collate_fn, mine)
    fetcher._stallcast = mine
    record.spent(clock() - began)
    if mine.measured == 0:
        record.put(START_TIME, record.cells[HOOK_TIME])


def stand_ins(fetcher, mine, streams):
    """What is measured in place of the fetcher's own."""
    collate = timing(fetcher.collate_fn, mine)
    if streams:
        return {"dataset_iter": SampleStream(fetcher.dataset_iter, mine), "collate_fn": collate}
    kind = BatchedSamples if hasattr(fetcher.dataset, "__getitems__") else Samples
    return {"dataset": kind(fetcher.dataset, mine), "collate_fn": collate}


@guarded
def exchange(fetcher, others):
    """Gives the fetcher `others`, and returns what it had."""
    own = {name: getattr(fetcher, name) for name in others}
    vars(fetcher).update(others)
    return own


tell = guarded(Meter.count)
stand_in = guarded(stand_ins)


def around_fetch(original, streams):
    def fetch(self, index):
        mine = self._stallcast
        if mine is None:
            return original(self, index)
        mine.batches += 1
        try:
            many = len(index) if mine.many else 1
        except TypeError:
            many = mine.left
        if mine.left > many:
            mine.taken = many
            value = original(self, index)
            if streams:
                many = mine.taken
            mine.left -= many
            mine.told += many
            mine.cells[mine.place] += many
            return value
        own = exchange(self, stand_in(self, mine, streams) or {})
        try:
            return original(self, index)
        finally:
            exchange(self, own or {})
            tell(mine)
    return fetch


def lay(module):
    import functools
    for name, streams in (("_MapDatasetFetcher", False), ("_IterableDatasetFetcher", True)):
        kind = getattr(module, name, None)
        original = kind.__init__

        def __init__(self, *args, _original=original, _streams=streams, **kwargs):
            _original(self, *args, **kwargs)
            watch(self, _streams)

        kind.__init__ = functools.wraps(original)(__init__)
        kind.fetch = functools.wraps(kind.fetch)(around_fetch(kind.fetch, streams))
        kind._stallcast = None
