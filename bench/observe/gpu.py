"""A training on a GPU, observed once and predicted with other numbers of workers, next to measurements.

    python3 bench/observe/gpu.py measure bench/observe/h200.json --data FOLDER     (on the host with the GPU; 6 minutes)
    python3 bench/observe/gpu.py page bench/observe/h200.json > docs/validation/gpu.md

`measure` makes 2,880 JPEG images, runs gpu_job.py by itself with each number of workers and under `stallcast observe` with
some of them, and leaves what they said in one file. `page` imports the observations and simulates each with the other
numbers of workers. Nothing measured but the one observation is given to a prediction.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import gpu_series

HERE = os.path.dirname(os.path.abspath(__file__))
STALLCAST = os.path.join(HERE, "..", "..", "build", "release", "bin", "stallcast")
DEEP, SMALL = ["--model", "resnet152"], ["--model", "resnet50"]
# Name: arguments of gpu_job.py; a name that ends with "b" is the same once more.
TRUTHS = {
    "r152-same": [*DEEP, "--batches", "same", "--steps", "60"],
    **{f"r152-w{n}": [*DEEP, "--workers", str(n), "--steps", "60"] for n in (1, 2, 3, 4)},
    **{f"r152-w{n}": [*DEEP, "--workers", str(n), "--steps", "100"] for n in (5, 6, 8, 12)},
    "r152-log-w2": [*DEEP, "--workers", "2", "--steps", "60", "--log"],
    "r152-log-w8": [*DEEP, "--workers", "8", "--steps", "100", "--log"],
    "r50-same": [*SMALL, "--batches", "same", "--steps", "100"],
    **{f"r50-w{n}": [*SMALL, "--workers", str(n), "--steps", "120"] for n in (4, 8, 15)},
    "r152-save-w8": [*DEEP, "--workers", "8", "--steps", "60", "--save", "10"],
    "r152-w2b": [*DEEP, "--workers", "2", "--steps", "60"],
    "r152-w8b": [*DEEP, "--workers", "8", "--steps", "100"],
}
# Name: arguments, and what it predicts.
SEEN = {
    "r152-w2": TRUTHS["r152-w2"], "r152-w8": TRUTHS["r152-w8"], "r152-log-w2": TRUTHS["r152-log-w2"],
    "r50-w4": [*SMALL, "--workers", "4", "--steps", "80"], "r152-save-w8": TRUTHS["r152-save-w8"],
}


NOTES = """
`w2` has 2 workers; `log` waits for each step's loss, as scripts do that print it; `r50` is ResNet-50, the others are
ResNet-152; a save is `torch.save` of model and optimizer, 0.5 GB, every 10 steps, which nobody flushes. Where a run was
made twice both are given, and their mean is compared with.

## What it shows

- **What runs differ by bounds what can be said.** The machine is shared: equal runs differ by 8 and 11 %, a sample took
  2.9 ms of core time in one observed run and 3.6 in another, and steps of one run drift from 40 to 60 ms within seconds.
  Runs were made one after the other, each with what the machine gave then.
- **3 to 6 workers took 18 to 56 % longer than predicted**, in both directions of prediction. A slower machine in those
  two minutes would do that, and so would something that the model of the loader lacks where it is just fast enough. It was
  the machine: [in turns](#in-turns).
- With fewer or more workers than that, steps lie within 17 %, inside the intervals. The save does not.
- **Intervals**: 10 of 22 held before the [drift of a run](../models/observed-job.md) (equation 8) was made part of what
  is not known. That was made with these runs in view, as were the first step (`step.warm_up`: it took 0.7 to 1.1 s, and had
  been in the mean of all) and the end of a GPU's work at `optimizer.step` (before, it held the copies of saves; that
  observation is given without its `gpu` here).

## In turns

Another day, on the same kind of machine: every number of workers once a turn, three turns of ResNet-152 with one of ResNet-50 between
them ([how](../../bench/observe/gpu_series.py)), ms. Before each run as many processes as it has workers decoded the same images
for 0.8 s, without a GPU. What is predicted is that of the first table, from `r152-w2` and `r152-w8`.

SERIES

- **The middle of the range is as predicted where the machine is as fast as it was when observed.** In the third turn a
  sample took 2.5 to 2.9 ms alone, and steps of 3 to 8 workers 64, 52, 49, 50 and 55 ms; predicted from `r152-w2` 66, 50, 50, 50, 50.
- **The machine slows down by half for minutes**: in the first turn a sample took 3.3 to 3.9 ms without any GPU, and the same steps 104,
  78, 76, 76 and 58 ms. No mechanism is missing there; a figure of one run is a figure of its minute.
- **The law holds run by run.** A step takes the larger of what launching takes and `(64 s + c) / w`, `s` a sample in its worker
  and `c` what a batch costs beside its samples (38 MB are collated into shared memory: 25 to 37 ms, taken of each turn's run with two
  workers). That gives the other 20 runs from 9 % too short to 2 % too long, in the median 1 % too short. It is the model's
  [loader](../models/dataloader.md).
- **Launching is the step.** The GPU's time between the events of a step is that of launching it (44 to 77 ms, within 1 ms): its
  kernels are short and PyTorch launches them one by one. So `steps.gpu` is the host's speed here, and follows it; a graph of kernels
  or a compiled model would be another job.

## The probe

`stallcast probe gds --quick` on the same kind of machine, medians of 3 runs of 0.2 s:

| copy | 64 KiB | 16 MiB |
|---|--:|--:|
| to the GPU, pinned | 7.4 GB/s, 8.8 us | 53.9 GB/s |
| from the GPU, pinned | 8.7 GB/s, 7.5 us | 54.2 GB/s |
| to the GPU, pageable (huge pages) | 4.3 GB/s, 15.2 us | 17.3 GB/s |
| from the GPU, pageable (huge pages) | 4.8 GB/s, 13.5 us | 18.0 GB/s |

The catalogue had 55 GB/s for it, from another source on an H100, and assumed 6 to 12 GB/s for pageable memory: the range
is 6 to 18 now. Reads of a virtual disk into the GPU, 4 MiB by 8 threads: 2.9 GB/s pageable, 2.4 pinned, 2.2 with copies
beside reads; that is the disk. cuFile refused every file: nobody ran udev there. The probe had opened its file without a
name, whose flags cuFile refuses with another error (5019); it opens it once more now. That cuFile then moves data through
host memory, or directly, is not shown by any machine yet.
"""


def series_of(name):
    return name.rsplit("-", 1)[0]


def workers_of(name):
    return int(name.rsplit("-w", 1)[1].rstrip("b"))


def measure(args):
    job = [sys.executable, os.path.join(HERE, "gpu_job.py"), args.data]
    subprocess.run([*job, "--make", "2880"], check=True)
    out = {"runs": {}, "observations": {}}
    for name, options in TRUTHS.items():
        print(name, file=sys.stderr)
        done = subprocess.run([*job, *options], capture_output=True, text=True, check=True)
        out["runs"][name] = json.loads(done.stdout)
    with tempfile.TemporaryDirectory() as work:
        for name, options in SEEN.items():
            print("observed:", name, file=sys.stderr)
            file = os.path.join(work, "o.json")
            subprocess.run([STALLCAST, "observe", "-o", file, "--", *job, *options], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            with open(file, encoding="utf-8") as text:
                out["observations"][name] = json.load(text)
    with open(args.results, "w", encoding="utf-8") as file:
        json.dump(gpu_series.rounded(out), file, separators=(",", ":"))
        file.write("\n")


def stallcast(*args):
    done = subprocess.run([STALLCAST, *args], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(" ".join(args) + ": " + done.stderr[-800:])
    return done.stdout


def rows(results, work):
    """(observed, predicted, what, seconds of each run, predicted seconds, interval)"""
    for seen, observation in results["observations"].items():
        scenario, file = os.path.join(work, seen + ".scenario.json"), os.path.join(work, seen + ".json")
        with open(file, "w", encoding="utf-8") as text:
            json.dump(observation, text)
        stallcast("import", "observation", file, "-o", scenario, "--quiet")
        for name in results["runs"]:
            if name.endswith(("same", "b")) or series_of(name) != series_of(seen):
                continue
            metrics = json.loads(stallcast("run", scenario, "--set", f"job.train.loader.workers={workers_of(name)}",
                                           "--draws", "32", "--no-advice", "--format", "json", "--quiet"))["metrics"]
            what, key, figure = (("save", "save_s", "checkpoint.stall") if "save" in name else
                                 ("step", "step_s", "steady.step.time"))
            told = metrics["job.train." + figure]
            runs = [results["runs"][one][key] for one in (name, name + "b") if one in results["runs"]]
            yield seen, name, what, runs, told["value"], told["ci90"]


def page(args):
    with open(args.results, encoding="utf-8") as file:
        results = json.load(file)
    host = next(iter(results["runs"].values()))
    print(f"""<!-- bench/observe/gpu.py page {args.results} -->
# A training on a GPU, observed and predicted

ResNets in bfloat16 on one {host["gpu"]} (PyTorch {host["torch"].split("+")[0]}, 16 cores of a virtual machine), fed by JPEG
images of 500 x 375 pixels that the loader's workers decode, in batches of 64. Observed once with one number of workers,
predicted with others. [The job](../../bench/observe/gpu_job.py), [how](../../bench/observe/gpu.py).
""")
    print("| observed with | predicted with | | measured | predicted | error | 90 % | inside |\n|---|---|---|--:|--:|--:|--:|---|")
    errors, inside, all_ = [], 0, 0
    with tempfile.TemporaryDirectory() as work:
        told = list(rows(results, work))
    for seen, name, what, values, guess, (low, high) in told:
        middle = statistics.mean(values)
        errors.append(abs(guess / middle - 1))
        held = low <= middle <= high
        inside, all_ = inside + held, all_ + 1
        print(f"| {seen} | {name} | {what} | {' and '.join(f'{1000 * v:.0f}' for v in values)} ms | {1000 * guess:.0f} ms | "
              f"{100 * (guess / middle - 1):+.0f} % | {1000 * low:.0f}-{1000 * high:.0f} ms | {'yes' if held else 'no'} |")
    steps = {}
    for seen, name, what, _, guess, (low, high) in told:
        if what == "step" and seen in ("r152-w2", "r152-w8", "r50-w4"):
            steps.setdefault(name, []).append(f"{1000 * guess:.0f} ({1000 * low:.0f}-{1000 * high:.0f})")
    series = gpu_series.table(os.path.join(HERE, "h200_series.json"), {name: ", ".join(words) for name, words in steps.items()})
    print(f"\nMedian error {100 * statistics.median(errors):.0f} %, {inside} of {all_} inside.\n{NOTES.replace('SERIES', series)}", end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "page"))
    parser.add_argument("results")
    parser.add_argument("--data", default="images")
    args = parser.parse_args()
    (measure if args.what == "measure" else page)(args)


if __name__ == "__main__":
    main()
