"""Training loops that are observed and predicted: `python3 loops.py NAME FOLDER STEPS`, with PyTorch.

Each reads what `make` wrote into FOLDER, sleeps in place of an accelerator, and prints one line of JSON of what it
measured by itself: the mean step but for the first, the first batch, the mean save. Nothing here knows that it may
be watched.
"""

import io
import json
import os
import random
import sys
import tarfile
import threading
import time
import zlib

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

KB = 1000
COMPUTE_S = 0.040
BATCH = 8


class Folder(Dataset):
    """One file a sample."""

    def __init__(self, folder, load):
        self.files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        self.load = load

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.load(self.files[index])


class Windows(Dataset):
    """Random windows of one file: tokens by memory map, or reads at offsets."""

    def __init__(self, folder, window, mapped):
        self.path = os.path.join(folder, "one")
        self.window, self.mapped, self.open = window, mapped, None
        self.count = os.path.getsize(self.path) // window

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.open is None:
            self.open = numpy.memmap(self.path, numpy.uint8, "r") if self.mapped else os.open(self.path, os.O_RDONLY)
        at = index * self.window
        if self.mapped:
            return torch.from_numpy(numpy.array(self.open[at:at + self.window]))
        return torch.frombuffer(bytearray(os.pread(self.open, self.window, at)), dtype=torch.uint8)


class Tars(IterableDataset):
    """Shards, read from end to end; each worker has its own."""

    def __init__(self, folder):
        super().__init__()
        self.shards = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        mine = self.shards[worker.id::worker.num_workers] if worker else self.shards
        for shard in mine:
            with tarfile.open(shard, "r|") as tar:
                for member in tar:
                    yield torch.frombuffer(bytearray(tar.extractfile(member).read()), dtype=torch.uint8)


def npy(path):
    return torch.from_numpy(numpy.load(path))


def packed(path):
    with open(path, "rb") as file:
        return torch.frombuffer(bytearray(zlib.decompress(file.read())), dtype=torch.uint8)


def heavy(path):
    sample = npy(path)
    total = 0
    for i in range(60000):  # Python by itself, as transforms of lists and dictionaries are
        total += i & 3
    return sample + (total & 1)


def write_npy(folder, count, size):
    for i in range(count):
        numpy.save(os.path.join(folder, f"{i:05d}.npy"),
                   numpy.frombuffer(random.randbytes(size), numpy.uint8))


def write_packed(folder, count, size):
    for i in range(count):
        with open(os.path.join(folder, f"{i:05d}.z"), "wb") as file:
            file.write(zlib.compress(random.randbytes(size // 2) + bytes(size), 1))


def write_one(folder, count, size):
    with open(os.path.join(folder, "one"), "wb") as file:
        for _ in range(count):
            file.write(random.randbytes(size))


def write_tars(folder, count, size):
    shards = 8
    for s in range(shards):
        with tarfile.open(os.path.join(folder, f"{s:03d}.tar"), "w") as tar:
            for i in range(count // shards):
                info = tarfile.TarInfo(f"{i:05d}.bin")
                info.size = size
                tar.addfile(info, io.BytesIO(random.randbytes(size)))


def saves(how, size=20_000 * KB, files=1, sync=True, every=10):
    """In `front` of the training or `behind` it; every so many steps."""
    return {"how": how, "size": size, "files": files, "sync": sync, "every": every}


def loop(dataset, write=write_npy, size=200 * KB, workers=2, shuffle=True, save=None, **options):
    return {"dataset": dataset, "write": write, "size": size, "workers": workers, "shuffle": shuffle, "save": save,
            "options": options}


LOOPS = {
    "npy folder": loop(lambda f: Folder(f, npy)),
    "npy folder, workers 0": loop(lambda f: Folder(f, npy), workers=0),
    "npy folder, workers 4, prefetch 4": loop(lambda f: Folder(f, npy), workers=4, prefetch_factor=4),
    "npy folder, warm": loop(lambda f: Folder(f, npy)),
    "large npy, waits": loop(lambda f: Folder(f, npy), size=1000 * KB),
    "packed images": loop(lambda f: Folder(f, packed), write_packed, 400 * KB),
    "heavy transform": loop(lambda f: Folder(f, heavy)),
    "token memmap": loop(lambda f: Windows(f, 64 * 1024, True), write_one, 64 * 1024),
    "reads of one file": loop(lambda f: Windows(f, 256 * 1024, False), write_one, 256 * 1024),
    "tar shards": loop(Tars, write_tars, shuffle=False),
    "saves in front": loop(lambda f: Folder(f, npy), save=saves("front")),
    "saves behind": loop(lambda f: Folder(f, npy), save=saves("behind")),
    "saves of shards in front": loop(lambda f: Folder(f, npy), save=saves("front", 10_000 * KB, files=4)),
    "large saves behind": loop(lambda f: Folder(f, npy), save=saves("behind", 60_000 * KB, every=20)),
    "saves without fsync": loop(lambda f: Folder(f, npy), save=saves("front", sync=False)),
}


def make(name, folder, steps):
    """Writes the files of a loop; the same ones each time."""
    random.seed(name)
    os.makedirs(folder)
    one = LOOPS[name]
    one["write"](folder, BATCH * steps, one["size"])


class Saver:
    """Files of a state, in the loop or beside it."""

    def __init__(self, save, folder):
        self.save, self.times, self.thread = save, [], None
        if save:
            base = folder.rstrip("/") + ".save"
            self.paths = [base + (str(number) if number else "") for number in range(save["files"])]
            self.state = {"w": torch.rand(save["size"] // 4)}

    def write(self):
        began = time.monotonic()
        for path in self.paths:
            with open(path, "wb") as file:
                torch.save(self.state, file)
                if self.save["sync"]:
                    file.flush()
                    os.fsync(file.fileno())
        self.times.append(time.monotonic() - began)

    def step(self, number):
        if not self.save or number % self.save["every"] != self.save["every"] - 1:
            return
        if self.save["how"] == "front":
            return self.write()
        if self.thread is not None:
            self.thread.join()
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def end(self):
        if self.thread is not None:
            self.thread.join()
        for path in self.paths if self.save else []:
            os.remove(path)


def main(name, folder, steps):
    one = LOOPS[name]
    loader = DataLoader(one["dataset"](folder), batch_size=BATCH, shuffle=one["shuffle"], num_workers=one["workers"],
                        **one["options"])
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], 0.1)
    saver = Saver(one["save"], folder)
    began = time.monotonic()
    first = ended = None
    count = 0
    for number, _ in enumerate(loader):
        if first is None:
            first = time.monotonic() - began
        time.sleep(COMPUTE_S)
        optimizer.step()
        saver.step(number)
        now = time.monotonic()
        if number == 0:
            after_first = now
        ended, count = now, number
        if number + 1 == steps:
            break
    saver.end()
    print(json.dumps({"step_s": (ended - after_first) / max(count, 1), "first_batch_s": first,
                      "save_s": sum(saver.times) / len(saver.times) if saver.times else None}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
