"""What folding and fast-forward change in the figures of a run: nothing that counts.

Every figure of a report is compared with the same run simulated rank by rank (--no-fold), or step by
step (--no-fast-forward)."""

import measure

# Figures below this are compared with it: rounding of nearly nothing is not an error. Seconds or shares.
NOTHING = 1e-6
STEP_TIMES = "job.train.step.time"

# scenario, what is switched off, what is set
CASES = [
    *(("1000-hosts", "--no-fold", {"jobs__train__steps": 300, "cluster__hosts__gpu__count": n})
      for n in (16, 100, 300, 1000)),
    # A save each 1,400 steps of 12,500 hosts takes its part of the storage; here as much of less.
    *(("100k-gpus", "--no-fold", {"jobs__train__steps": 1500, "cluster__hosts__gpu__count": n,
                                  "storage__scratch__ost__count": n // 16,
                                  "storage__scratch__oss__count": max(1, n // 64),
                                  "jobs__train__model__parameters": f"{n * 32}e6"})
      for n in (16, 128, 512)),
    ("1000-hosts", "--no-fast-forward", {}),
    ("1000-hosts", "--no-fast-forward", {"cluster__hosts__gpu__count": 300}),
    ("100k-gpus", "--no-fast-forward", {"jobs__train__steps": 20000}),
    ("100k-gpus", "--no-fast-forward", {}),
]


def difference(a, b):
    return abs(a - b) / max(abs(a), abs(b), NOTHING)


def compare(scenario, option, sets):
    """(largest difference of step times, of all the rest, where)"""
    quick = measure.metrics(measure.run(measure.stallcast(scenario, **sets)))
    full = measure.metrics(measure.run(measure.stallcast(scenario, option, **sets)))
    if set(quick) != set(full):
        raise SystemExit(f"{scenario} {option}: not the same figures: {set(quick) ^ set(full)}")
    steps = max(difference(quick[n], full[n]) for n in quick if n.startswith(STEP_TIMES))
    rest = max((difference(quick[n], full[n]), n) for n in quick if not n.startswith(STEP_TIMES))
    return steps, *rest


def main(report, runs):
    del runs  # exact: once is enough
    report.heading("Exactness")
    rows, worst = [], 0.0
    for scenario, option, sets in CASES:
        steps, rest, where = compare(scenario, option, sets)
        worst = max(worst, steps)
        hosts = sets.get("cluster__hosts__gpu__count", {"1000-hosts": 1000, "100k-gpus": 12500}[scenario])
        count = sets.get("jobs__train__steps", {"1000-hosts": 1000, "100k-gpus": 100000}[scenario])
        rows.append((f"`{scenario}`, {hosts} hosts, {count} steps", f"`{option}`", f"{steps:.1e}",
                     f"{rest:.1e}", f"`{where}`"))
    report.table(["run", "against", "step times:", "worst of all other figures:", "which"], rows)
    report.target("step times folded against rank by rank, fast-forward against every step",
                  f"{worst:.1e} relative", "1e-9")
