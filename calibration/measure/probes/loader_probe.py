"""Costs of PyTorch's data loader on this machine. Prints one JSON object a line.

Usage: python3 -c SCRIPT FOLDER RUN_S REPEATS SEED; files of its own go below FOLDER, "" for none.
"""

import io
import json
import os
import random
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset, default_collate

FOLDER, RUN_S, REPEATS = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
torch.manual_seed(int(sys.argv[4]))
ORDER = random.Random(int(sys.argv[4]))
torch.set_num_threads(1)  # as in a worker of the loader
SAMPLES = [16384, 131072, 786432]  # bytes; no two batches are of equal size
BATCHES = [1, 16, 64]

try:
    from PIL import Image
except ImportError:
    Image = None


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


class Ready(Dataset):
    """Samples that cost nothing."""

    def __init__(self, size, batch, count):
        self.samples, self.count = samples_of(size, batch), count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.samples[index % len(self.samples)]


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
    """One worker: its pace, and what a batch that is ready costs the training process."""
    ahead, rounds = 4, 5
    count = (rounds + 3) * ahead
    loader = DataLoader(Ready(size, batch, batch * count), batch_size=batch, num_workers=1,
                        prefetch_factor=ahead, multiprocessing_context="fork")
    batches = iter(loader)
    next(batches)
    began, cpu = time.perf_counter(), time.process_time()
    for taken in range(2 * ahead):
        next(batches)
    pace = (time.perf_counter() - began) / (taken + 1)
    say(operation="worker", path="", size=size * batch, batch=batch, seconds=pace * (taken + 1),
        count=taken + 1, cpu=time.process_time() - cpu)
    seconds = spent = 0.0
    for _ in range(rounds):
        time.sleep(0.02 + 2 * ahead * pace)  # until what was asked for is ready
        began, cpu = time.perf_counter(), time.process_time()
        for _ in range(ahead):
            next(batches)
        seconds += time.perf_counter() - began
        spent += time.process_time() - cpu
    say(operation="handover", path="", size=size * batch, batch=batch, seconds=seconds,
        count=rounds * ahead, cpu=spent)
    for _ in batches:
        pass


def start(workers):
    loader = DataLoader(Ready(1, 1, workers), num_workers=workers, multiprocessing_context="fork")
    began, cpu = time.perf_counter(), time.process_time()
    batches = iter(loader)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    say(operation="start", path="fork", size=0, batch=1, seconds=seconds, count=workers, cpu=cpu)
    for _ in batches:
        pass


def main():
    parts = [(decode_raw, (size,)) for size in SAMPLES]
    if FOLDER:
        parts += [(read, (size,)) for size in SAMPLES]
    if Image is not None:
        parts += [(decode_jpeg, (side,)) for side in (256, 512, 768)]
    for size in SAMPLES:
        for batch in BATCHES:
            parts += [(collate, (size, batch)), (hand_over, (size, batch))]
    parts.append((start, (4,)))
    say(facts={"torch": torch.__version__, "python": sys.version.split()[0],
               "jpeg": "Pillow " + Image.__version__ if Image is not None else
                       "not measured: Pillow is not installed"})
    runs = [part for _ in range(REPEATS) for part in ORDER.sample(parts, len(parts))]
    for i, (work, args) in enumerate(runs):
        say(progress=i / len(runs), what=work.__name__.replace("_", " "))
        work(*args)


main()
