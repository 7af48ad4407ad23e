"""Small designs of a sweep, as `stallcast sweep` is used: planned, simulated, kept in a file, shown."""

import os
import tempfile

import measure

POINTS = 286 * 7
VARIED = ("--vary", "jobs[train].step.compute=850 ms..900 ms:286",
          "--vary", "storage[scratch].ost.count=40..46:7")


def main(report, runs):
    report.heading("Sweeps")
    scenario = os.path.join(measure.SCENARIOS, "4-hosts-10s.json")
    rows, walls = [], {}
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "sweep.db")

        def sweep(*words):
            return [measure.STALLCAST, "sweep", *words, "--quiet", "--format", "csv"]

        def fresh(command):
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            return command

        for what, form in [("plan and run", ()), ("plan alone", ("plan",))]:
            measure.note(f"sweep: {what}")
            used = measure.repeat(lambda form=form: fresh(sweep(*form, scenario, *VARIED, "-o", kept)), runs)
            walls[what] = used.wall
            rows.append((what, measure.seconds(used.wall), measure.seconds(used.cpu),
                         f"{POINTS / used.wall:,.0f}", f"{1e3 * used.cpu / POINTS:.2f} ms"))
    report.line(f"{POINTS:,} points of `4-hosts-10s` in a new file, by default two more at a time than there are cores:\n")
    report.table(["what", "wall:", "CPU:", "points a second:", "CPU of each:"], rows)
    report.target("`sweep` of independent small designs, 2 cores",
                  f"{POINTS / walls['plan and run']:,.0f} a second", "1,000 a second")
