"""Costs of PyTorch's data loader on this machine. Prints one JSON object a line.

Usage: python3 -c SCRIPT FOLDER RUN_S REPEATS SEED KINDS ENDS_S; files of its own go below FOLDER, "" for none.
KINDS: "mixed" or "all", of what processes compute at once. After ENDS_S by
CLOCK_MONOTONIC nothing is repeated a third time.
"""

import io
import json
import multiprocessing
import os
import random
import statistics
import sys
import time
import zlib

import torch
from torch.utils.data import DataLoader, Dataset, default_collate

FOLDER, RUN_S, REPEATS = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
torch.manual_seed(int(sys.argv[4]))
ORDER = random.Random(int(sys.argv[4]))
torch.set_num_threads(1)  # as in a worker of the loader
SAMPLES = [16384, 131072, 786432]  # bytes; no two batches are of equal size
BATCHES = [1, 16, 64]
FORK = multiprocessing.get_context("fork")

try:
    from PIL import Image
except ImportError:
    Image = None
try:
    import numpy
except ImportError:
    numpy = None


def cores():
    """Cores that this process may use, and their threads."""
    threads = os.sched_getaffinity(0)
    places = set()
    for thread in threads:
        at = "/sys/devices/system/cpu/cpu%d/topology/" % thread
        try:
            places.add(tuple(open(at + name).read() for name in ("physical_package_id", "core_id")))
        except OSError:
            places.add(thread)
    return len(places), len(threads)


CORES, THREADS = cores()


def say(**fields):
    print(json.dumps(fields), flush=True)


def timed(work):
    """Runs work() for RUN_S and at least three times: seconds, count, CPU seconds."""
    work()
    count, began, cpu = 0, time.perf_counter(), time.process_time()
    while count < 3 or time.perf_counter() - began < RUN_S:
        work()
        count += 1
    return time.perf_counter() - began, count, time.process_time() - cpu


def record(operation, path, size, work, batch=1):
    seconds, count, cpu = timed(work)
    say(operation=operation, path=path, size=size, batch=batch, seconds=seconds, count=count,
        cpu=cpu)


def random_bytes(size):
    return torch.randint(0, 256, (size,), dtype=torch.uint8)


def samples_of(size, count):
    """Tensors of their own: a sample that is used twice would be in the CPU's cache."""
    return [part.clone() for part in random_bytes(size * count).split(size)]


class Made(Dataset):
    """Samples that are computed and put into memory of their own, and say how long that took."""

    def __init__(self, size, batch, count):
        self.samples, self.count = samples_of(size, batch), count
        self.loops = 32000 // batch  # about 2 ms a batch: a worker is no closed loop of sending
        self.spent = FORK.RawValue("d", 0.0)  # core time, s

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        began = time.thread_time()
        python(self.loops)
        sample = self.samples[index % len(self.samples)].clone()
        self.spent.value += time.thread_time() - began
        return sample


def read(size):
    path = os.path.join(FOLDER, "sample-%d" % size)
    with open(path, "wb") as file:
        file.write(bytes(random_bytes(size).tolist()))

    def once():
        with open(path, "rb") as file:
            return file.read()

    record("read", "", size, once)


def decode_raw(size):
    data = bytearray(random_bytes(size).tolist())
    record("decode", "raw", size,
           lambda: torch.frombuffer(data, dtype=torch.uint8).to(torch.float32).div_(255.0))


def decode_jpeg(side):
    # Noise at an eighth of the resolution: about as many bytes a pixel as a photograph.
    small = random.Random(side).randbytes(3 * (side // 8) ** 2)  # every run decodes the same image
    image = Image.frombytes("RGB", (side // 8, side // 8), small).resize((side, side), 3)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=90)
    data = out.getvalue()
    record("decode", "jpeg", len(data),
           lambda: Image.open(io.BytesIO(data)).convert("RGB").load())


def collate(size, batch):
    samples = samples_of(size, batch)
    record("collate", "", size * batch, lambda: default_collate(samples), batch)


def hand_over(size, batch):
    """One worker: what a batch takes it, and what one that is ready costs the training process."""
    ahead, rounds = 4, 5
    data = Made(size, batch, batch * (rounds + 3) * ahead)
    batches = iter(DataLoader(data, batch_size=batch, num_workers=1, prefetch_factor=ahead,
                              multiprocessing_context=FORK))
    worker = multiprocessing.active_children()[0].pid
    next(batches)
    began = time.perf_counter()
    for taken in range(2 * ahead):
        next(batches)
    pace = (time.perf_counter() - began) / (taken + 1)
    seconds = spent = 0.0
    idle = []  # core time of the worker besides samples, each time that it has nothing to do
    for _ in range(rounds):
        time.sleep(0.02 + 2 * ahead * pace)  # until what was asked for is ready
        idle.append(core_time_of(worker) - data.spent.value)
        began, cpu = time.perf_counter(), time.process_time()
        for _ in range(ahead):
            next(batches)
        seconds += time.perf_counter() - began
        spent += time.process_time() - cpu
    say(operation="handover", path="", size=size * batch, batch=batch, seconds=seconds,
        count=rounds * ahead, cpu=spent)
    made = idle[-1] - idle[0]
    say(operation="make", path="", size=size * batch, batch=batch, seconds=made,
        count=(rounds - 1) * ahead, cpu=made)
    for _ in batches:
        pass


def core_time_of(process):
    """Of all threads of another process, s: its clock, as clock_getcpuclockid(3) numbers it."""
    return time.clock_gettime((~process << 3) | 2)


PACKED = zlib.compress(random.Random(1).randbytes(40000) + bytes(40000), 1)
PIXELS = torch.arange(100000).to(torch.uint8)


def python(loops=8000):
    total = 0
    for i in range(loops):
        total += i & 3
    return total


def unpack():
    return zlib.decompress(PACKED)


def arrays():
    if numpy is None:
        return PIXELS.to(torch.float32).div_(255.0)
    pixels = PIXELS.numpy().astype(numpy.float32)
    pixels -= pixels.mean()
    return pixels


def mixed():
    python()
    unpack()
    return arrays()


KINDS = {"mixed": mixed, "python": python, "zlib": unpack, "numpy": arrays}


def compute_by_itself(kind, gate, results):
    KINDS[kind]()
    gate.wait()
    results.put(timed(KINDS[kind]))


def compute(kind, processes):
    """So many processes that compute at one time, as workers that decode do."""
    gate, results = FORK.Barrier(processes), FORK.SimpleQueue()
    started = [FORK.Process(target=compute_by_itself, args=(kind, gate, results))
               for _ in range(processes)]
    for process in started:
        process.start()
    ended = [results.get() for _ in started]
    for process in started:
        process.join()
    # By core time: what else runs on the machine makes them wait, and is not theirs.
    count, cpu = sum(count for _, count, _ in ended), sum(cpu for _, _, cpu in ended)
    say(operation="compute", path=kind, size=0, batch=1, seconds=cpu / min(processes, THREADS),
        count=count, cpu=cpu, processes=processes, depth=processes / CORES)


class Decoded(Dataset):
    """Samples that are computed."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        return mixed()


def cycle():
    """From asking a worker that is idle for a batch to having it, s."""
    batches = iter(DataLoader(Decoded(), num_workers=1, prefetch_factor=1,
                              multiprocessing_context=FORK))
    next(batches)
    times = []
    for _ in range(8):
        began = time.perf_counter()
        next(batches)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def start(workers):
    """Workers that start: in the training process one after the other, then on their own."""
    usual = cycle()
    loader = DataLoader(Decoded(), num_workers=workers, multiprocessing_context=FORK)
    began, cpu = time.perf_counter(), time.process_time()
    batches = iter(loader)
    started, cpu = time.perf_counter(), time.process_time() - cpu
    next(batches)
    ready = time.perf_counter()
    say(operation="start", path="fork", size=0, batch=1, seconds=started - began, count=workers,
        cpu=cpu, processes=workers)
    # What a first batch takes besides the others: the worker imports, opens, is warmed up; both
    # ends start their threads and connect.
    if ready - started > usual:
        say(operation="boot", path="fork", size=0, batch=1, seconds=ready - started - usual, count=1,
            cpu=0.0, processes=workers)


def loaded(workers):
    """Batches of workers that compute all the time: the training process needs cores, too."""
    batch = 4
    batches = iter(DataLoader(Decoded(), batch_size=batch, num_workers=workers,
                              multiprocessing_context=FORK))
    for _ in range(3 * workers):
        next(batches)
    count, began, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < RUN_S or count % workers:
        next(batches)
        count += 1
    say(operation="loaded", path="mixed", size=0, batch=batch, seconds=time.perf_counter() - began,
        count=count, cpu=time.process_time() - cpu, processes=workers)


def main():
    parts = [(decode_raw, (size,)) for size in SAMPLES]
    if FOLDER:
        parts += [(read, (size,)) for size in SAMPLES]
    if Image is not None:
        parts += [(decode_jpeg, (side,)) for side in (256, 512, 768)]
    for size in SAMPLES:
        for batch in BATCHES:
            parts += [(collate, (size, batch)), (hand_over, (size, batch))]
    parts += [(start, (workers,)) for workers in sorted({1, 2, CORES, 2 * CORES})]
    parts += [(loaded, (workers,)) for workers in sorted({CORES, 2 * CORES})]
    parts += [(compute, (kind, processes)) for kind in (KINDS if sys.argv[5] == "all" else ["mixed"])
              for processes in sorted({1, 2, 3, CORES, THREADS, 2 * THREADS})]
    say(facts={"cores": "%d, %d threads" % (CORES, THREADS), "torch": torch.__version__, "python": sys.version.split()[0],
               "jpeg": "Pillow " + Image.__version__ if Image is not None else
                       "not measured: Pillow is not installed"})
    runs = [part for _ in range(REPEATS) for part in ORDER.sample(parts, len(parts))]
    for i, (work, args) in enumerate(runs):
        if i >= 2 * len(parts) and time.monotonic() > float(sys.argv[6]):
            break
        say(progress=i / len(runs), what=work.__name__.replace("_", " "))
        work(*args)


main()
