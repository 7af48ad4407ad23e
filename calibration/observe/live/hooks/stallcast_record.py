"""What one process of an observed job writes down: counts and bounded choices of values in a mapped file.

The file is an array of doubles that `stallcast observe` reads while the process lives and after it died, however it
died: HEAD single numbers, TEXT doubles of JSON, then slots of one quantity each. Layout: side_file.hpp.
"""
import json
import mmap
import os
import sys
import time

MAGIC = 20261123.0
HEAD, TEXT = 64, 1024
SLOT_HEAD, KEPT = 8, 512
SLOT = SLOT_HEAD + 3 * KEPT
GROWTH, MOST_SLOTS, MOST_FILES = 8, 64, 4096
# Places in the head.
(VERSION, PID, PARENT, WORKER, RANK, WORLD, BEGAN, HOOK_TIME, HOOK_CALLS, SLOTS, SAMPLES, ERRORS, SYNCS, SYNC_TIME,
 TEXT_LENGTH, ASYNC, PENDING_SAVE, PENDING_SAVE_BYTES, PENDING_SAVE_FILES, IN_MEMORY, STEPS, MEASURED) = range(1, 23)
# One for each of four loaders: how many there were, also of those that were not measured.
START_TIME, NOWHERE, INTERVALS_OF, STEPS_OF, SAMPLES_OF = 50, 51, 52, 56, 60

clock = time.perf_counter


class Record:
    """The file of this process, made when the first value comes; a forked child makes its own."""

    def __init__(self, folder):
        self.folder = folder
        self.reset()

    def reset(self):
        if getattr(self, "fd", -1) >= 0:  # of the parent
            os.close(self.fd)
        self.cells = None
        self.broken = False
        self.maps = []
        self.slots = {}
        self.random = (os.getpid() * 2654435761 + 12345) & 0xffffffffffffffff
        self.facts = {}
        self.fd = -1
        self.paths = set()
        self.path_count = 0

    def ready(self):
        if self.cells is None and not self.broken:
            try:
                self.open()
            except Exception:
                self.broken = True
        return not self.broken

    def open(self):
        self.broken = True
        if len(os.listdir(self.folder)) > MOST_FILES:
            return
        path = os.path.join(self.folder, "%d-%d.side" % (os.getpid(), time.time_ns()))
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self.capacity = 0
        self.grow()
        head = self.cells
        head[0], head[VERSION], head[PID], head[PARENT] = MAGIC, 1.0, float(os.getpid()), float(os.getppid())
        head[RANK] = head[WORLD] = -1.0
        head[BEGAN] = time.time()
        self.broken = False

    def grow(self):
        # Room is reserved: a full disk is an error here, not a bus error at the first write.
        capacity = self.capacity + GROWTH
        size = 8 * (HEAD + TEXT + capacity * SLOT)
        os.posix_fallocate(self.fd, 0, size)
        mapped = mmap.mmap(self.fd, size)
        self.maps.append(mapped)
        self.cells = memoryview(mapped).cast("d")
        self.capacity = capacity

    def slot(self, kind, loader):
        """Where the values of a kind begin; None when there is no room."""
        at = self.slots.get((kind, loader))
        if at is None:
            number = len(self.slots)
            if number >= MOST_SLOTS:
                return None
            if number >= self.capacity:
                self.grow()
            at = HEAD + TEXT + number * SLOT
            self.cells[at], self.cells[at + 1] = float(kind), float(loader)
            self.slots[kind, loader] = at
            self.cells[SLOTS] = number + 1.0
        return at

    def add(self, kind, loader, value, weight=1):
        """One more value, which stands for `weight` of them; an even choice of KEPT stays, each with how many there were
        before it and its weight (Vitter, Algorithm R, 1985)."""
        if not self.ready():
            return
        at = self.slot(kind, loader)
        if at is None:
            return
        cells = self.cells
        count = cells[at + 2]
        if count == 0.0 or value < cells[at + 4]:
            cells[at + 4] = value
        if count == 0.0 or value > cells[at + 5]:
            cells[at + 5] = value
        cells[at + 3] += value * weight
        place = int(cells[at + 6])
        if place >= KEPT:
            place = int(self.draw() * (place + 1))
        if place < KEPT:
            here = at + SLOT_HEAD + 3 * place
            cells[here], cells[here + 1], cells[here + 2] = count, value, weight
        cells[at + 6] += 1.0
        cells[at + 2] = count + weight

    def draw(self):
        """A number from 0 to less than 1; the job's own generators are left alone."""
        self.random = (self.random * 6364136223846793005 + 1442695040888963407) & 0xffffffffffffffff
        return (self.random >> 11) / 9007199254740992.0

    def even(self, most):
        """A whole number of 1 to `most`."""
        return 1 + int(self.draw() * most)

    def count(self, place, more=1.0):
        if self.ready():
            self.cells[place] += more

    def put(self, place, value):
        if self.ready():
            self.cells[place] = float(value)

    def tell(self, key, value):
        """A fact of few words, kept as JSON."""
        if not self.ready() or self.facts.get(key) == value:
            return
        facts = dict(self.facts)
        facts[key] = value
        text = json.dumps(facts).encode("utf-8")
        if len(text) > 8 * TEXT:
            return
        self.facts = facts
        self.cells[TEXT_LENGTH] = 0.0
        self.maps[-1][8 * HEAD:8 * HEAD + len(text)] = text
        self.cells[TEXT_LENGTH] = float(len(text))

    def path(self, path):
        """A file that was opened: its name and size beside the numbers, fewer and fewer of them."""
        self.path_count += 1
        known = len(self.paths)
        if known >= 512 or path in self.paths or self.path_count % (1 << min(known // 64, 16)):
            return
        path = os.path.abspath(path)
        self.paths.add(path)
        if "\n" in path or not self.ready():
            return
        line = "%d\t%s\n" % (os.stat(path).st_size, path)
        name = os.path.join(self.folder, "%d.paths" % os.getpid())
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, line.encode("utf-8", "surrogateescape"))
        finally:
            os.close(fd)

    def spent(self, seconds):
        """Time of the job that went into its observation."""
        if self.ready():
            self.cells[HOOK_TIME] += seconds
            self.cells[HOOK_CALLS] += 1.0

    def failed(self):
        """A hook has failed: counted, and kept from the job."""
        try:
            self.count(ERRORS)
        except Exception:
            self.broken = True


record = Record(os.path.dirname(os.path.abspath(__file__)))
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=record.reset)


def place_of(first, loader, other=NOWHERE):
    """Where the head counts something of a loader, or of one without a place of its own."""
    return first + loader if 0 <= loader < 4 else other


def guarded(function):
    """`function`, whose errors are nobody's."""
    def call(*args):
        try:
            return function(*args)
        except Exception:
            record.failed()
            return None
    return call


def number_of(*names):
    """The first environment variable of these that is a whole number, or -1."""
    for name in names:
        try:
            return int(os.environ[name])
        except (KeyError, ValueError):
            pass
    return -1


@guarded
def find_rank():
    """The rank of this process: torch.distributed's, else the launcher's."""
    rank = number_of("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
    world = number_of("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        rank, world = distributed.get_rank(), distributed.get_world_size()
    record.put(RANK, rank)
    record.put(WORLD, world)
