"""How far the first batch of a loop differs between runs of it: on the disk as it is, and on one held to limits.

    sudo python3 bench/observe/first_batches.py [--runs 10] [--folder FOLDER] > table.md

Loops are those of loops.py, their files not in memory; the limits are store A of run.py. Runs of a loop on both take
turns. The standard deviation is that of the logarithm.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import loops
import run

LOOPS = ["npy folder", "large npy, waits", "token memmap"]


class Limits(run.Limits):
    """Groups of its own, so that run.py may run beside it."""

    def group(self, store):
        return super().group(store) + "-first"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=".", help="a folder on a disk of its own")
    parser.add_argument("--runs", type=int, default=10)
    args = parser.parse_args()
    steps = 8
    folder = tempfile.mkdtemp(dir=args.folder)
    data = os.path.join(folder, "data")
    limits = Limits(folder)
    print("| loop | store | first batch, median | least | most | standard deviation |\n|---|---|---:|---:|---:|---:|")
    try:
        for name in LOOPS:
            loops.make(name, data, 60)
            script = [sys.executable, os.path.join(run.HERE, "loops.py"), name, data, str(steps)]
            seen = {"as it is": [], "A": []}
            for _ in range(args.runs + 1):  # the first one brings Python and PyTorch into memory
                for store, values in seen.items():
                    run.forget(data)
                    if store == "A":
                        printed = limits.run(store, *script)
                    else:
                        printed = subprocess.run(script, capture_output=True, text=True, check=True).stdout
                    values.append(1000 * json.loads(printed)["first_batch_s"])
            for store, values in seen.items():
                values = values[1:]
                print(f"| {name} | {store} | {statistics.median(values):.1f} ms | {min(values):.1f} | {max(values):.1f} | "
                      f"{100 * statistics.stdev(math.log(value) for value in values):.0f} % |", flush=True)
            shutil.rmtree(data)
    finally:
        limits.end()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
