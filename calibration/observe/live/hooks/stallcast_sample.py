"""Single samples: what it takes to get one from a data set, in workers or in the process that trains.

The data set and the collate function that a fetcher uses are replaced by ones that pass everything on. Of samples that
take little time only some are measured, so that measuring takes about half a hundredth of them; each stands for those
since the last one.
"""
import os
import sys
import threading
import time

from stallcast_record import MEASURED, SAMPLES, WORKER, clock, find_rank, guarded, record

SAMPLE_WALL, SAMPLE_CPU, SAMPLE_READ, SAMPLE_FILES, SAMPLE_DELAY, SAMPLE_FETCHED, COLLATE, COLLATE_CPU = range(10, 18)
SHARE = 0.005       # of a sample's time that measuring may take
ALWAYS = 8          # samples that are measured in any case
loader = -1         # number of the loader whose pass began last; forked workers inherit it
thread_time = time.thread_time


def in_worker():
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return getattr(worker, "_worker_info", None) is not None


class Meter:
    """What a thread has read and waited for so far, by /proc; one for each process and fetcher."""

    def __init__(self):
        worker = in_worker()
        # A worker has threads of its own only for its samples.
        self.io = self.open("/proc/self/io" if worker else "/proc/thread-self/io")
        self.delay = self.open("/proc/thread-self/schedstat")
        self.process = os.getpid()
        self.thread = threading.get_ident()
        self.opened = []
        self.stride = 1.0
        self.left = self.drawn = 1
        self.told = 0       # of the samples since `left` was drawn, those that are counted
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
        listening[0] = self
        return came, delay, before, thread_time(), clock()

    def end(self, begun, samples):
        now, cpu = clock(), thread_time()
        listening[0] = None
        came, delay, before, cpu_then, then = begun
        after = self.now()
        late = self.waited()
        wall = (now - then) / samples
        stands = max(self.drawn - self.left, 1)  # for those since the last one, too
        record.count(MEASURED)
        record.add(SAMPLE_WALL, loader, wall, stands)
        record.add(SAMPLE_CPU, loader, (cpu - cpu_then) / samples, stands)
        if before is not None and after is not None:
            record.add(SAMPLE_READ, loader, max(after[0] - before[0] - before[2], 0) / samples, stands)
            record.add(SAMPLE_FETCHED, loader, (after[1] - before[1]) / samples, stands)
        record.add(SAMPLE_FILES, loader, len(self.opened) / samples, stands)
        if delay is not None and late is not None:
            record.add(SAMPLE_DELAY, loader, (late - delay) * 1e-9 / samples, stands)
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
            record.count(SAMPLES, float(more))
            self.told += more


meters = {}


def meter():
    """The one of this process and thread, or None."""
    mine = meters.get(threading.get_ident())
    if mine is None or mine.process != os.getpid():
        meters.clear()
        mine = Meter()
        meters[mine.thread] = mine
        listen()
    return mine


listening = [None]  # the meter of the sample that is being measured
hooked = []


def listen():
    """Files that are opened while a sample is measured, in this process."""
    if not hooked:
        hooked.append(True)
        sys.addaudithook(heard)


def heard(event, args, listening=listening):
    if listening[0] is None or event != "open":
        return
    mine = listening[0]
    if mine.thread != threading.get_ident() or len(mine.opened) >= 1000:
        return
    try:
        path = args[0]
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if isinstance(path, str) and not path.endswith((".py", ".pyc", ".so")) and not path.startswith("/proc/"):
            mine.opened.append(path)
    except Exception:
        pass


begin = guarded(Meter.begin)
end = guarded(Meter.end)
draw = guarded(Meter.draw)


def measured(mine, samples, get):
    """The result of `get`, measured when its turn has come."""
    begun = begin(mine) if mine.left <= samples else None
    value = get()
    mine.left -= samples
    if begun is not None:
        end(mine, begun, samples)
        draw(mine)
    return value


class Samples:
    """A data set as its fetcher sees it."""

    def __init__(self, dataset, mine):
        self._stallcast = (dataset, mine)

    def __getattr__(self, name):
        return getattr(self._stallcast[0], name)

    def __getitem__(self, index):
        dataset, mine = self._stallcast
        mine.left -= 1
        if mine.left > 0:
            return dataset[index]
        begun = begin(mine)
        value = dataset[index]
        if begun is not None:
            end(mine, begun, 1)
            draw(mine)
        return value


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


def around_collate(collate, mine):
    def call(samples):
        began, cpu = clock(), thread_time()
        batch = collate(samples)
        collated(mine, clock() - began, thread_time() - cpu)
        return batch
    return call


@guarded
def collated(mine, wall, cpu):
    record.add(COLLATE, loader, wall)
    record.add(COLLATE_CPU, loader, cpu)
    mine.count()


@guarded
def watch(fetcher, streams):
    mine = meter()
    if streams:
        fetcher.dataset_iter = SampleStream(fetcher.dataset_iter, mine)
    elif hasattr(fetcher.dataset, "__getitems__"):
        fetcher.dataset = BatchedSamples(fetcher.dataset, mine)
    else:
        fetcher.dataset = Samples(fetcher.dataset, mine)
    if callable(fetcher.collate_fn):
        fetcher.collate_fn = around_collate(fetcher.collate_fn, mine)


def lay(module):
    import functools
    for name, streams in (("_MapDatasetFetcher", False), ("_IterableDatasetFetcher", True)):
        kind = getattr(module, name, None)
        original = kind.__init__

        def __init__(self, *args, _original=original, _streams=streams, **kwargs):
            _original(self, *args, **kwargs)
            watch(self, _streams)

        kind.__init__ = functools.wraps(original)(__init__)
