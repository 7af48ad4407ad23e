"""How the cost of a step grows with hosts, OSTs, steps and jobs.

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
