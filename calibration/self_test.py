"""Prints predictions next to what fio measured. Called by self_test.sh: FOLDER SECTION..."""
import json
import pathlib
import statistics
import sys


def predicted(path):
    """Bytes per second of the tenant, and its interval."""
    metrics = json.loads(path.read_text())["metrics"]
    total, low, high = 0.0, 0.0, 0.0
    for direction in ("read", "write"):
        metric = metrics.get(f"tenant.fio.{direction}")
        if metric is None:
            continue
        interval = metric.get("ci95") or [metric["value"]] * 2
        total, low, high = total + metric["value"], low + interval[0], high + interval[1]
    return total, low, high


def measured(folder, section):
    """Bytes per second of each run."""
    rates = []
    for path in sorted(folder.glob(f"{section}.measured.*.json")):
        text = path.read_text()
        jobs = json.loads(text[text.index("{"):])["jobs"]
        rates.append(sum(job[d]["bw_bytes"] for job in jobs for d in ("read", "write")))
    return rates


def main(folder, sections):
    print(f"\n{'job':18}{'predicted':>12}{'measured':>12}{'error':>9}{'fio runs':>22}")
    errors, noises = [], []
    for section in sections:
        value, _, _ = predicted(folder / f"{section}.predicted.json")
        rates = measured(folder, section)
        truth = statistics.median(rates)
        errors.append(value / truth - 1)
        noises.append(statistics.median(abs(rate / truth - 1) for rate in rates))
        runs = " ".join(f"{rate / 1e6:.0f}" for rate in rates)
        print(f"{section:18}{value / 1e6:>7.0f} MB/s{truth / 1e6:>7.0f} MB/s{errors[-1]:>+9.1%}{runs:>22}")
    size = sorted(abs(error) for error in errors)
    print(f"\nerror: median {statistics.median(size):.1%}, largest {size[-1]:.1%}; "
          f"fio repeats itself within {statistics.median(noises):.1%} (median)")


main(pathlib.Path(sys.argv[1]), sys.argv[2:])
