"""How the cost of a step grows with hosts, OSTs, steps and jobs, and that of a verb with what is large in its input.

Of a step: the difference of a long and a short run over the steps between, so that starting does not
count; user instructions where they can be counted, CPU time always."""

import copy
import json
import os
import tempfile

import measure


def per_step(scenario, options, few, many, runs, counter, **sets):
    """(CPU seconds of a step, instructions of a step or None, peak memory of the longer run)"""
    def command(steps):
        return measure.stallcast(scenario, *options, jobs__train__steps=steps, **sets)
    measure.note(f"{scenario} {' '.join(options)} {sets} {few}..{many} steps")
    short, long = measure.repeat(command(few), runs), measure.repeat(command(many), runs)
    cpu = (long.cpu - short.cpu) / (many - few)
    count = None
    if counter:
        count = (measure.instructions(command(many), counter) -
                 measure.instructions(command(few), counter)) / (many - few)
    return cpu, count, long.peak


def row(name, cpu, count, peak):
    instructions = "-" if count is None else f"{count:,.0f}"
    return (name, f"{cpu * 1e6:,.1f}", instructions, measure.megabytes(peak))


HEADS = ["CPU us a step:", "instructions a step:", "memory:"]


def hosts_folded(report, runs, counter):
    report.line("\n### Hosts, folded (`1000-hosts`, one OST for 10 hosts, every step simulated)\n")
    rows, costs = [], []
    for hosts in (10, 100, 1000, 10_000, 100_000):
        figures = per_step("1000-hosts", ("--no-fast-forward",), 2000, 22_000, runs, counter,
                           cluster__hosts__gpu__count=hosts, storage__scratch__ost__count=hosts // 10,
                           jobs__train__dataset__size="1000 PB")
        costs.append(figures[1] or figures[0])
        rows.append(row(f"{hosts:,}", *figures))
    report.table(["hosts:", *HEADS], rows)
    report.target("cost of a step, folded: 100,000 hosts over 100 hosts",
                  f"{costs[-1] / costs[1]:.2f}", "1")


def hosts_one_by_one(report, runs, counter):
    for title, scenario, options in (
            ("alike (`1000-hosts --no-fold`)", "1000-hosts", ("--no-fold", "--no-fast-forward")),
            ("that differ (`1000-hosts-tail`)", "1000-hosts-tail", ("--no-fold",))):
        report.line(f"\n### Hosts one by one, {title}\n")
        rows, costs = [], []
        for hosts, few, many in ((10, 200, 4200), (30, 100, 1600), (100, 100, 600), (300, 50, 200),
                                 (1000, 20, 70)):
            sets = {"cluster__hosts__gpu__count": hosts}
            if scenario == "1000-hosts":
                sets["storage__scratch__ost__count"] = max(1, hosts // 10)
            else:
                sets["storage__objects__server__count"] = max(1, round(10 * hosts / 1000))
            cpu, count, peak = per_step(scenario, options, few, many, runs, counter, **sets)
            each = (count or cpu * 1e6) / hosts
            costs.append(each)
            rows.append((*row(f"{hosts:,}", cpu, count, peak), f"{each:,.2f}"))
        unit = "instructions" if counter else "CPU us"
        report.table(["hosts:", *HEADS, f"{unit} a step and host:"], rows)
        report.target(f"cost of a step and host, one by one, {title}: 1,000 hosts over 100",
                      f"{costs[-1] / costs[2]:.2f}", "1.5 (n log n)")


def osts(report, runs, counter):
    report.line("\n### OSTs, folded (`100k-gpus`, every step simulated; below 240 they are too few)\n")
    rows = []
    for count in (10, 100, 1000, 10_000):
        rows.append(row(f"{count:,}", *per_step(
            "100k-gpus", ("--no-fast-forward",), 1000, 21_000, runs, counter,
            storage__scratch__ost__count=count, storage__scratch__oss__count=max(1, count // 4))))
    report.table(["OSTs:", *HEADS], rows)


def steps(report, runs):
    report.line("\n### Steps, whole runs (`100k-gpus`)\n")
    rows = []
    for count in (1000, 10_000, 100_000, 1_000_000):
        measure.note(f"{count} steps")
        size = {"jobs__train__steps": count, "jobs__train__dataset__size": "1000 PB"}
        jump = measure.repeat(measure.stallcast("100k-gpus", **size), runs)
        every = measure.repeat(measure.stallcast("100k-gpus", "--no-fast-forward", **size), runs)
        rows.append((f"{count:,}", measure.seconds(every.cpu), measure.megabytes(every.peak),
                     measure.seconds(jump.cpu), measure.megabytes(jump.peak)))
    report.table(["steps:", "every step, CPU:", "memory:", "fast-forward, CPU:", "memory:"], rows)


def jobs(report, runs, counter):
    report.line("\n### Jobs of 100 hosts on one storage system, folded, 2,000 steps each, every step simulated\n")
    rows = []
    scenario = measure.load("1000-hosts")
    job, host = scenario["jobs"][0], scenario["cluster"]["hosts"][0]
    for count in (1, 2, 4, 8, 16, 32):
        measure.note(f"{count} jobs")
        scenario["jobs"], scenario["cluster"]["hosts"] = [], []
        for j in range(count):
            scenario["cluster"]["hosts"].append({**copy.deepcopy(host), "id": f"gpu{j}", "count": 100})
            scenario["jobs"].append({**copy.deepcopy(job), "id": f"train{j}", "hosts": f"gpu{j}",
                                     "steps": 2000,
                                     "step": {"compute": f"{100 + j} ms", "jitter": "0 %"}})
        scenario["storage"][0]["ost"]["count"] = 10 * count
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "jobs.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scenario, file)
            command = measure.stallcast(path, "--no-fast-forward")
            used = measure.repeat(command, runs)
            counted = measure.instructions(command, counter) if counter else None
        rows.append(row(count, used.cpu / 2000 / count, counted and counted / 2000 / count, used.peak))
    report.table(["jobs:", "CPU us a step and job:", "instructions a step and job:", "memory:"], rows)


def fleet(jobs, tenants=0):
    """Each on hosts of its own, all on one storage system, for a few steps."""
    job = {"steps": 20, "epochs": 1, "step": {"compute": "100 ms"}, "loader": {"workers": 1, "batch": 1},
           "dataset": {"on": "scratch", "format": "raw", "sample": "1 MB", "samples": 10_000}}
    tenant = {"type": "fio", "on": "scratch", "hosts": "others", "rw": "randread", "bs": "1 MiB", "numjobs": 1,
              "iodepth": 1}
    return {"cluster": {"hosts": [{"id": f"h{i}", "count": 1, "gpus": 1} for i in range(jobs)] +
                                 ([{"id": "others", "count": tenants}] if tenants else [])},
            "storage": [{"id": "scratch", "type": "nfs", "head": {"count": 20}}],
            "jobs": [{"id": f"j{i}", "hosts": f"h{i}", **job} for i in range(jobs)],
            "tenants": [{"id": f"t{i}", **tenant} for i in range(tenants)],
            "expect": [{"id": f"e{i}", "that": f"job.j{i}.gpu.utilization >= 80 %"} for i in range(jobs)],
            "run": {"replicas": 1}}


def variants(count):
    return {**fleet(1), "scenarios": {f"v{i}": {"storage": [{"id": "scratch", "head": {"count": i + 1}}]}
                                      for i in range(count)}}


def iostat(reports):
    disk = {"r/s": 1e4, "w/s": 1e3, "rkB/s": 1.28e6, "wkB/s": 6.4e4, "r_await": 0.8, "w_await": 2.0, "rareq-sz": 128.0,
            "wareq-sz": 64.0, "aqu-sz": 10.0, "util": 100.0}
    return {"sysstat": {"hosts": [{"nodename": "node", "statistics": [
        {"disk": [{"disk_device": f"nvme{d}n1", **disk} for d in range(8)]} for _ in range(reports)]}]}}


ONE_RUN = ["--draws", "0", "--no-advice"]
# What is large, a verb, what it takes of so many, how many, its options
LARGE = [
    ("jobs", "lint", fleet, (50, 100, 200), []),
    ("jobs", "run", fleet, (50, 100, 200), ONE_RUN),
    ("jobs, with draws and gains", "run", fleet, (25, 50, 100), []),
    ("jobs", "explain", fleet, (25, 50, 100), ["--what-if", "0"]),
    ("jobs", "plan", fleet, (5, 10, 20), []),
    ("tenants", "run", lambda n: fleet(1, n), (250, 500, 1000), ONE_RUN),
    ("tenants, with draws", "run", lambda n: fleet(1, n), (250, 500, 1000), ["--no-advice"]),
    ("variants", "lint", variants, (50, 100, 200), []),
    ("reports of iostat, 8 drives each", "import iostat", iostat, (2500, 5000, 10_000), []),
]


def large_inputs(report, counter):
    """Instructions of a whole command and its workers: twice as much for twice the input is n, four times n^2."""
    report.line("\n### Large inputs\n")
    rows = []
    for what, verb, make, sizes, options in LARGE:
        counts = []
        for size in sizes:
            measure.note(f"{verb} of {size} {what}")
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "large.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(make(size), file, indent=1)
                command = [measure.STALLCAST, *verb.split(), path, "--quiet", "--jobs", "1", *options]
                if verb == "lint":
                    command = [measure.STALLCAST, "lint", path]
                used = measure.run(command)
                counts.append(measure.instructions(command, counter) if counter else used.cpu * 1e9)  # ns
            rows.append((verb, f"{size:,} {what}", f"{counts[-1] / 1e6:,.0f} M", measure.megabytes(used.peak),
                         f"{counts[-1] / counts[-2]:.2f}" if len(counts) > 1 else ""))
        report.target(f"`{verb}` of {sizes[-1]:,} {what} over {sizes[-2]:,}", f"{counts[-1] / counts[-2]:.2f}",
                      "2.4 (n log n)")
    report.table(["verb", "of", "instructions:" if counter else "CPU time in ns:", "memory:", "of the row above:"], rows)


def main(report, runs):
    counter = measure.instruction_counter()
    runs = min(runs, 3)
    report.heading("Growth")
    report.line(f"Medians of {runs}. Instructions: "
                f"{'counted by ' + counter if counter else 'cannot be counted here'}.")
    hosts_folded(report, runs, counter)
    hosts_one_by_one(report, runs, counter)
    osts(report, runs, counter)
    steps(report, runs)
    jobs(report, runs, counter)
    large_inputs(report, counter)
