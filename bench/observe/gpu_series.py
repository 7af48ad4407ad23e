"""The same training on a GPU with several numbers of workers, in turns: what a step takes, and where the time goes.

    python3 bench/observe/gpu_series.py measure bench/observe/h200_series.json --data FOLDER    (on the host with the GPU)

gpu.py makes a table of it.

Each run tells by itself: steps, what the loop waits for batches, how long it takes to launch a step, how long the GPU
works for it, and wall and core time of each sample in its worker. `bare` decodes the same samples in as many processes
as there are workers, right before the run and without a GPU: what the machine gives at that moment.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time

import gpu_job

BARE_S = 0.8
WORKERS = (2, 4, 3, 6, 5, 8)


def rounded(value):
    """To six digits: what a clock knows."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return {key: rounded(one) for key, one in value.items()} if isinstance(value, dict) else value


def decode(folder, seconds, queue):
    import torch

    torch.set_num_threads(1)
    images = gpu_job.images_of(folder, 1 << 20)
    began, count = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        images[count * 37 % 2880]
        count += 1
    queue.put((time.monotonic() - began) / count)


def bare(folder, processes):
    queue = multiprocessing.Queue()
    all_ = [multiprocessing.Process(target=decode, args=(folder, BARE_S, queue)) for _ in range(processes)]
    for one in all_:
        one.start()
    costs = [queue.get() for _ in all_]
    for one in all_:
        one.join()
    return statistics.mean(costs)


def one_run(args, model, workers, steps):
    import torch

    optimizer = gpu_job.sgd_of(model)
    loader = gpu_job.loader_of(gpu_job.images_of(args.data, 64 * steps, timed=True), 64, workers)
    waits, launches, ends, events, walls, cores = [], [], [], [], [], []
    asked = time.monotonic()
    for images, labels, wall, core in loader:
        came = time.monotonic()
        waits.append(came - asked)
        pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        images = images.to("cuda", non_blocking=True, memory_format=torch.channels_last)
        labels = labels.to("cuda", non_blocking=True)
        pair[0].record()
        gpu_job.learn(model, optimizer, images, labels)
        pair[1].record()
        events.append(pair)
        walls.append(wall.mean().item())
        cores.append(core.mean().item())
        asked = time.monotonic()
        launches.append(asked - came)
        ends.append(asked)
    torch.cuda.synchronize()
    ends[-1] = time.monotonic()
    warm = max(gpu_job.WARM, 2 * workers)  # batches that lay ready when the run began
    return {"step_s": (ends[-1] - ends[warm - 1]) / (len(ends) - warm), "wait_s": statistics.mean(waits[warm:]),
            "launch_s": statistics.mean(launches[warm:]),
            "gpu_s": statistics.mean(a.elapsed_time(b) / 1e3 for a, b in events[warm:]),
            "sample_wall_s": statistics.mean(walls[warm:]), "sample_core_s": statistics.mean(cores[warm:])}


def measure(args):
    import torch
    import torchvision

    gpu_job.make(args.data, 2880)
    end = time.monotonic() + args.seconds
    runs, models = [], {}
    for turn, name in enumerate(args.turns.split(",")):
        if name not in models:
            models[name] = getattr(torchvision.models, name)().to("cuda", memory_format=torch.channels_last)
            one_run(args, models[name], 8, 30)  # kernels are chosen
        for workers in WORKERS if turn % 2 == 0 else reversed(WORKERS):
            if time.monotonic() > end:
                break
            before = bare(args.data, workers)
            ran = one_run(args, models[name], workers, 50 + 5 * workers)
            runs.append({"model": name, "turn": turn, "workers": workers, "bare_s": before, **ran})
            print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
    with open(args.results, "w", encoding="utf-8") as file:
        json.dump(rounded(runs), file, separators=(",", ":"))
        file.write("\n")


def table(path, predicted):
    """Rows of Markdown; `predicted` has words for a model and a number of workers."""
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)
    lines = ["| | step | predicted | sample in its worker | the same without a GPU | launching a step | waiting for a batch |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for model, workers in sorted({(r["model"], r["workers"]) for r in runs}):
        mine = [r for r in runs if (r["model"], r["workers"]) == (model, workers)]
        name = f"{model.replace('resnet', 'r')}-w{workers}"
        step, launch, wait = (", ".join(f"{1000 * r[key]:.0f}" for r in mine) for key in ("step_s", "launch_s", "wait_s"))
        wall, alone = (", ".join(f"{1000 * r[key]:.1f}" for r in mine) for key in ("sample_wall_s", "bare_s"))
        lines.append(f"| {name} | {step} | {predicted.get(name, '')} | {wall} | {alone} | {launch} | {wait} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure",))
    parser.add_argument("results")
    parser.add_argument("--data", default="images")
    parser.add_argument("--turns", default="resnet152,resnet152,resnet50,resnet152")
    parser.add_argument("--seconds", type=float, default=200, help="after which no run begins")
    args = parser.parse_args()
    measure(args)


if __name__ == "__main__":
    main()
