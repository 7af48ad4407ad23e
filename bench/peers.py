"""The same job in other programs (peers/), and our ways to run it."""

import os
import subprocess

import measure

PEER = os.path.join(measure.PROGRAMS, "s4u_actors")
LOOP = os.path.join(measure.PROGRAMS, "event_loop")
SIMPY = os.path.join(measure.ROOT, "bench/peers/simpy_processes.py")
PYTHON = "/usr/bin/python3"  # the distribution's, which has its SimPy
HOSTS, STEPS = 1000, 1000
FEW_HOSTS, FEW_STEPS = 200, 100  # whose instructions are counted
OURS = [
    ("folded, fast-forward", ()),
    ("folded", ("--no-fast-forward",)),
    ("rank by rank", ("--no-fold", "--no-fast-forward")),
]


def peers():
    """name -> command, of those that are there."""
    simpy = subprocess.run([PYTHON, "-c", "import simpy"], capture_output=True, check=False) if os.path.exists(PYTHON) else None
    found = {"S4U actors": [PEER], "event loop by hand": [LOOP]}
    found = {name: command for name, command in found.items() if os.path.exists(command[0])}
    if simpy is not None and simpy.returncode == 0:
        found["SimPy processes"] = [PYTHON, SIMPY]
    return found


def times(ratio):
    return f"{ratio:,.0f}" if ratio >= 9.5 else f"{ratio:.2g}"


def peer_figures(text):
    return {name: float(value) for name, value in map(str.split, text.splitlines())}


def ours(options, hosts, steps):
    return measure.stallcast("1000-hosts", *options, cluster__hosts__gpu__count=hosts, jobs__train__steps=steps)


def instructions(command, counter):
    """Of a step and host: `command(hosts, steps)` of twice as many steps less one of them, so that starting is left out."""
    if counter is None:
        return "-"
    few, many = (measure.instructions(command(FEW_HOSTS, n * FEW_STEPS), counter) for n in (1, 2))
    return f"{(many - few) / FEW_STEPS / FEW_HOSTS:,.0f}"


def main(report, runs):
    report.heading("Peers: the same job in other programs")
    others = peers()
    if "S4U actors" not in others or "event loop by hand" not in others:
        report.line("Not built.")
        return
    counter = measure.instruction_counter()
    rows, cpu, wanted = [], {}, None
    commands = {name: (lambda hosts, steps, words=words: [*words, str(hosts), str(steps)]) for name, words in others.items()}
    commands |= {name: (lambda hosts, steps, options=options: ours(options, hosts, steps)) for name, options in OURS}
    for name, command in commands.items():
        measure.note(f"{name}, {HOSTS} hosts, {STEPS} steps")
        usage = measure.repeat(command(HOSTS, STEPS), runs)
        step = peer_figures(usage.out)["step.time"] if name in others else measure.metrics(usage)["job.train.step.time"]
        wanted = wanted or step
        cpu[name] = usage.cpu
        rows.append([name, measure.seconds(usage.cpu), measure.seconds(usage.wall), measure.megabytes(usage.peak),
                     instructions(command, counter), f"{step:.9f}", f"{abs(step - wanted) / wanted:.0e}"])
    for row in rows:
        row.append(times(cpu[row[0]] / cpu["event loop by hand"]))
        row.append(times(cpu["S4U actors"] / cpu[row[0]]))
    error = max(float(row[6]) for row in rows)
    report.target(f"S4U actors, {HOSTS} hosts, {STEPS} steps, against folded without fast-forward",
                  f"{cpu['S4U actors'] / cpu['folded']:,.0f} times the CPU time, step time within {error:.0e}",
                  "300 times, 1e-6")
    report.target("the same rank by rank, against an event loop written by hand for it",
                  f"{times(cpu['rank by rank'] / cpu['event loop by hand'])} times the CPU time", "5 times")
    report.table(["program", "CPU:", "wall:", "memory:", "instructions a step and host:", "mean step, s:", "error:",
                  "CPU over the event loop's:", "S4U's over this:"], rows)
    report.line(f"Instructions: of {FEW_HOSTS} hosts, {FEW_STEPS} steps less as many steps before; counted by {counter}.")
