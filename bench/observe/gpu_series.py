"""The same training on a GPU with several numbers of workers, in turns: what a step takes, and where the time goes.

    python3 bench/observe/gpu_series.py measure OUT --data FOLDER    (on the host with the GPU; 3 minutes)
    python3 bench/observe/gpu_series.py table OUT

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

import gpu
import gpu_job

BARE_S = 0.8
WORKERS = (2, 4, 3, 6, 5, 8)


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
    from torch.utils.data import DataLoader

    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_of = torch.nn.CrossEntropyLoss()
    loader = DataLoader(gpu_job.images_of(args.data, 64 * steps, timed=True), batch_size=64, shuffle=True,
                        num_workers=workers, pin_memory=True, drop_last=True)
    waits, launches, ends, events, walls, cores = [], [], [], [], [], []
    asked = time.monotonic()
    for images, labels, wall, core in loader:
        came = time.monotonic()
        waits.append(came - asked)
        pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        images = images.to("cuda", non_blocking=True, memory_format=torch.channels_last)
        labels = labels.to("cuda", non_blocking=True)
        pair[0].record()
        with torch.autocast("cuda", torch.bfloat16):
            loss = loss_of(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
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
        json.dump(gpu.rounded(runs), file, separators=(",", ":"))
        file.write("\n")


def table(args):
    with open(args.results, encoding="utf-8") as file:
        runs = json.load(file)
    print("| model | workers | step, ms | wait | launch | GPU | sample: wall, core, bare | 64 x wall / workers |\n|---|--:|---|---|---|---|---|---|")
    for model, workers in sorted({(r["model"], r["workers"]) for r in runs}):
        mine = [r for r in runs if (r["model"], r["workers"]) == (model, workers)]
        words = [" ".join(f"{1000 * r[key]:.{digits}f}" for r in mine) for key, digits in
                 (("step_s", 0), ("wait_s", 0), ("launch_s", 0), ("gpu_s", 0))]
        sample = " / ".join(" ".join(f"{1000 * r[key]:.2f}" for r in mine) for key in ("sample_wall_s", "sample_core_s", "bare_s"))
        bound = " ".join(f"{64000 * r['sample_wall_s'] / workers:.0f}" for r in mine)
        print(f"| {model} | {workers} | {' | '.join(words)} | {sample} | {bound} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("results")
    parser.add_argument("--data", default="images")
    parser.add_argument("--turns", default="resnet152,resnet152,resnet50,resnet152")
    parser.add_argument("--seconds", type=float, default=200, help="after which no run begins")
    args = parser.parse_args()
    (measure if args.what == "measure" else table)(args)


if __name__ == "__main__":
    main()
