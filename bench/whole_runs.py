"""Whole predictions, file in, report out: from the start of the process to its exit, workers included."""

import measure

# scenario, options, what it is, target of the wall time
RUNS = [
    ("100k-gpus", ("--no-fast-forward",), "100,000 GPUs, 100,000 steps, every step simulated", "1 s"),
    ("100k-gpus", (), "the same with fast-forward", "60 ms"),
    ("100k-gpus", ("--set", "jobs.train.step.jitter=1 %"), "the same with jitter, so every step", ""),
    ("64-hosts-1h", (), "512 GPUs, one simulated hour, jitter, saves", "60 ms"),
    ("examples/exercise-512-h100-async.json", (), "512 GPUs, 6,000 steps, a save every 200", ""),
    ("examples/unet3d-h100-ddn.json", (), "36 ranks x 16 workers, files of varied size", ""),
    ("1000-hosts-tail", (), "1,000 hosts one by one, heavy-tailed reads, 1,000 steps", "5 s"),
    ("1000-hosts-tail", ("--set", "run.detail=16"), "the same as 16 classes, the slowest of all drawn", "0.15 s"),
    ("1000-hosts-tail", ("--set", "cluster.hosts.gpu.gpus=8", "--set", "jobs.train.parallel.tensor=8",
                         "--set", "jobs.train.loader.workers=4"),
     "the same with 4 workers, and batches passed on to 8 GPUs", ""),
    ("1000-hosts-tail", ("--set", "storage.objects.server.count=6"),
     "the same where reads after each barrier fill the servers", ""),
]
PEAK = 100e6


def main(report, runs):
    report.heading("Whole runs")
    rows, most = [], 0.0
    for scenario, options, what, wanted in RUNS:
        measure.note(f"{scenario} {' '.join(options)}")
        used = measure.repeat(measure.stallcast(scenario, *options), runs)
        events = int(measure.json.loads(used.out)["elapsed"]["events"])
        if scenario == "100k-gpus":
            most = max(most, used.peak)
        rows.append((f"`{scenario}` {' '.join(options)}".strip(), what, measure.seconds(used.wall),
                     measure.seconds(used.cpu), measure.megabytes(used.peak), f"{events:,}"))
        if wanted:
            report.target(f"`{scenario}`: {what}",
                          f"{measure.seconds(used.wall)} (CPU {measure.seconds(used.cpu)})", wanted)
    report.target("`100k-gpus`: peak memory of the largest process", measure.megabytes(most),
                  measure.megabytes(PEAK))
    report.table(["run", "what", "wall:", "CPU:", "memory:", "events:"], rows)
