"""The same job as one writes it with SimGrid alone (peers/s4u_actors.cpp), and our ways to run it."""

import os

import measure

PEER = os.path.join(measure.PROGRAMS, "s4u_actors")
HOSTS, STEPS = 1000, 1000
OURS = [
    ("folded, fast-forward", ()),
    ("folded", ("--no-fast-forward",)),
    ("rank by rank", ("--no-fold", "--no-fast-forward")),
]


def peer_figures(text):
    return {name: float(value) for name, value in map(str.split, text.splitlines())}


def main(report, runs):
    report.heading("Peer: plain S4U actors")
    if not os.path.exists(PEER):
        report.line("Not built.")
        return
    measure.note(f"peer, {HOSTS} hosts, {STEPS} steps")
    peer = measure.repeat([PEER, str(HOSTS), str(STEPS)], runs)
    wanted = peer_figures(peer.out)["step.time"]
    rows = [("S4U actors", measure.seconds(peer.cpu), measure.seconds(peer.wall),
             measure.megabytes(peer.peak), f"{wanted:.9f}", "", "1")]
    for name, options in OURS:
        measure.note(name)
        ours = measure.repeat(measure.stallcast("1000-hosts", *options), runs)
        step = measure.metrics(ours)["job.train.step.time"]
        error = abs(step - wanted) / wanted
        faster = peer.cpu / ours.cpu
        rows.append((name, measure.seconds(ours.cpu), measure.seconds(ours.wall),
                     measure.megabytes(ours.peak), f"{step:.9f}", f"{error:.1e}", f"{faster:,.0f}"))
        if name == "folded":
            report.target(f"S4U actors, {HOSTS} hosts, {STEPS} steps, against folded without fast-forward",
                          f"{faster:,.0f} times the CPU time, step time within {error:.0e}",
                          "300 times, 1e-6")
    report.table(["program", "CPU:", "wall:", "memory:", "mean step, s:", "error:", "times faster (CPU):"],
                 rows)
