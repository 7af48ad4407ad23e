"""What observing costs a training loop of tiny samples: pairs of runs, watched and not, in turn.

    python3 bench/observe/overhead.py build/release/bin/stallcast [PAIRS [CASE...]]

Needs PyTorch in the python3 of the system. Samples are a few kilobytes of a cached file, tens of thousands a second: the
worst case for hooks that every sample passes. Prints the median over pairs and the middle
half of wall time and of core time, watched over not.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

JOB = """
import os, sys, torch
from torch.utils.data import DataLoader, Dataset, IterableDataset
torch.set_num_threads(1)
kind, workers, samples = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SIZE = 4096
fd = os.open("data.bin", os.O_RDONLY)
def sample(index):
    return torch.frombuffer(bytearray(os.pread(fd, SIZE, index % 1024 * SIZE)), dtype=torch.uint8)
class Map(Dataset):
    def __len__(self): return samples
    def __getitem__(self, index): return sample(index)
class Stream(IterableDataset):
    def __iter__(self): return (sample(index) for index in range(samples // max(workers, 1)))
weight = torch.nn.Parameter(torch.zeros(SIZE))
optimizer = torch.optim.SGD([weight], lr=1e-3)
loader = DataLoader(Map() if kind == "map" else Stream(), batch_size=int(sys.argv[4]), num_workers=workers)
for batch in loader:
    optimizer.zero_grad()
    (batch.float().mean(0) * weight).sum().backward()
    optimizer.step()
"""
CASES = (("map", 0, 1200000, 64), ("map", 2, 1200000, 64), ("stream", 0, 1200000, 64), ("map", 0, 100000, 1))


def run(words, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = os.times().elapsed
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = os.times().elapsed - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spread(shares):
    """The median, and the middle half."""
    low, middle, high = (100 * one for one in statistics.quantiles(shares, n=4))
    return "%+.1f %% (%+.1f to %+.1f)" % (middle, low, high)


def main():
    program, pairs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    only = sys.argv[3:]  # such as "map0/64"
    print("| samples | workers | batch | time of one | wall | core time | said |\n|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "data.bin"), "wb") as file:
            file.write(os.urandom(4 << 20))
        for kind, workers, samples, batch in CASES:
            if only and "%s%d/%d" % (kind, workers, batch) not in only:
                continue
            job = ["/usr/bin/python3", "-c", JOB, kind, str(workers), str(samples), str(batch)]
            walls, cores, said = [], [], []
            for pair in range(pairs):
                watched = [program, "observe", "--quiet", "-o", "o.json", "--", *job]
                first, second = (job, watched) if pair % 2 == 0 else (watched, job)
                one, two = run(first, folder), run(second, folder)
                plain, seen = (one, two) if pair % 2 == 0 else (two, one)
                walls.append(seen[0] / plain[0] - 1)
                cores.append(seen[1] / plain[1] - 1)
                with open(os.path.join(folder, "o.json"), encoding="utf-8") as file:
                    text = json.load(file)
                said.append(text["figures"]["overhead_share"])
            print("| %s | %d | %d | %.1f us | %s | %s | %.1f %% |"
                  % (kind, workers, batch, 1e6 * text["samples"]["wall"]["mean"], spread(walls), spread(cores),
                     100 * statistics.median(said)), flush=True)


if __name__ == "__main__":
    main()
