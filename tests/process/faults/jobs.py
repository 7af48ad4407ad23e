"""What is done to the program: one job for every verb and option that writes a file.

A job is a call in a folder of its own with the files of INPUTS. `products` are the files it writes; what each of them
is afterwards is compared with what a call without a fault wrote. `old` is what a product is before, where "old" would
not do; `same` says how it is compared: bytes, or, where no two runs write the same bytes, whether it is whole.
"""

import dataclasses
import json
import os
import shutil
import sqlite3
import sys
import tempfile

SCENARIO = """{
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 8, "read": "4 GB/s", "write": "4 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
              "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" } } ],
  "run": { "duration": "10 min", "seed": 1, "replicas": 1 },
  "growth": { "of": { "storage.scratch.ost.count": "10 %/month" } },
  "expect": [ { "id": "util", "that": "job.train.gpu.utilization >= 10 %" } ]
}
"""
DLIO = """model: {name: unet3d}
framework: pytorch
dataset: {data_folder: data, format: npz, num_files_train: 168, num_samples_per_file: 1,
          record_length_bytes: 146600628, num_files_eval: 0}
reader: {data_loader: pytorch, batch_size: 7, read_threads: 4}
train: {epochs: 5, computation_time: 0.323}
"""
TRACE = "".join(f'100 {1700000000 + i * 0.01:.6f} {call} <0.000100>\n' for i, call in enumerate(
    ['openat(AT_FDCWD, "/data/x", O_RDONLY) = 3', 'read(3, ""..., 65536) = 65536', 'read(3, ""..., 65536) = 65536',
     'close(3) = 0']))
SCRIPT = [{"do": "open", "file": "s.json"}, {"do": "set", "path": "storage[scratch].ost.count", "value": 9},
          {"do": "wait"}, {"do": "save_variant", "file": "variant.json"},
          {"do": "save_project", "file": "project.stallcast"}, {"do": "screenshot", "name": "shot"},
          {"do": "screen", "name": "export"}, {"do": "report", "to": "report.html"}, {"do": "wait"}]
INPUTS = {"s.json": SCENARIO, "dlio.yaml": DLIO, "calls.strace": TRACE, "steps.json": json.dumps(SCRIPT),
          "fio.json": os.path.join(os.path.dirname(__file__), "..", "..", "calibration", "data", "vm-disk-sweep.json")}

FEW = ["--draws", "0"]
AXIS = ["--vary", "storage.scratch.ost.count=4,6,8,10"]


def is_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            json.load(file)
    except ValueError:
        return False
    return True


def is_database(path):
    """A sweep that SQLite finds nothing wrong with, or one that is not begun; with its log, which is a part of it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "w.db")
        for suffix in ("", "-wal", "-journal"):
            if os.path.exists(path + suffix):
                shutil.copy(path + suffix, copy + suffix)
        database = sqlite3.connect(copy)
        try:
            sound = database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except sqlite3.DatabaseError:
            return False
        finally:
            database.close()
    return sound and tables in (set(), {"meta", "points", "designs", "results"})


def is_picture(path):
    with open(path, "rb") as file:
        return file.read().endswith(b"IEND\xaeB`\x82")


@dataclasses.dataclass
class Job:
    name: str
    args: list
    products: list
    same: object = None       # of each product: None is the same bytes
    before: list = dataclasses.field(default_factory=list)  # calls that make what it needs
    old: dict = dataclasses.field(default_factory=dict)
    code: int = 0
    simulates: bool = False
    again: bool = True        # a second call gives the same
    program: str = "stallcast"
    seconds: float = 0.0      # faults come within this time; 0: as long as the call takes
    env: dict = dataclasses.field(default_factory=dict)


def jobs():
    run = [*FEW, "--quiet"]
    out = [
        Job("run", ["run", "s.json", *run, "-o", "r.txt"], ["r.txt"], simulates=True),
        Job("run --format html", ["run", "s.json", *run, "--format", "html", "-o", "r.html"], ["r.html"], simulates=True),
        Job("run --trace", ["run", "s.json", *run, "--trace", "t.json", "-o", "r.txt"], ["t.json", "r.txt"], simulates=True),
        Job("run --draws", ["run", "s.json", "--draws", "16", "-o", "r.txt"], ["r.txt"], simulates=True),
        Job("plan", ["plan", "s.json", "--format", "html", "-o", "p.html"], ["p.html"], simulates=True),
        Job("explain", ["explain", "s.json", "-o", "e.txt"], ["e.txt"], simulates=True),
        Job("compare", ["compare", "s.json", "s.json", "--format", "html", "-o", "c.html"], ["c.html"], simulates=True),
        Job("diff", ["diff", "s.json", "s.json", "-o", "d.txt"], ["d.txt"], simulates=True),
        Job("grow", ["grow", "s.json", "-o", "g.txt"], ["g.txt"], simulates=True),
        Job("sweep", ["sweep", "s.json", *AXIS, "--format", "csv", "-o", "w.csv"], ["w.csv"], simulates=True),
        Job("sweep --store", ["sweep", "s.json", *AXIS, "--format", "csv", "-o", "w.csv", "--store", "w.db"],
            ["w.csv", "w.db"], same={"w.db": is_database}, old={"w.db": None}, simulates=True),
        Job("sweep plan", ["sweep", "plan", "s.json", *AXIS, "-o", "w.db"], ["w.db"], same={"w.db": is_database},
            old={"w.db": None}),
        Job("sweep run", ["sweep", "run", "w.db", "--format", "csv", "-o", "w.csv"], ["w.csv", "w.db"],
            same={"w.db": is_database}, before=[["sweep", "plan", "s.json", *AXIS, "-o", "w.db"]], old={"w.db": ...},
            simulates=True),
        Job("sweep run --shard", ["sweep", "run", "w.db", "--shard", "1/2"], ["w.db.part-1-of-2"],
            same={"w.db.part-1-of-2": is_database}, before=[["sweep", "plan", "s.json", *AXIS, "-o", "w.db"]],
            old={"w.db.part-1-of-2": None}, simulates=True),
        Job("sweep collect", ["sweep", "collect", "w.db", "--format", "csv", "-o", "w.csv"], ["w.csv", "w.db"],
            same={"w.db": is_database}, old={"w.db": ...},
            before=[["sweep", "plan", "s.json", *AXIS, "-o", "w.db"], ["sweep", "run", "w.db", "--shard", "1/2"],
                    ["sweep", "run", "w.db", "--shard", "2/2"]]),
        Job("check", ["check", "s.json", "--no-advice", "--report", "junit:j.xml", "--report", "sarif:j.sarif",
                      "--report", "html:j.html", "--today", "2027-03-01"], ["j.xml", "j.sarif", "j.html"],
            simulates=True),
        Job("check --update-baseline", ["check", "s.json", "--no-advice", "--baseline", "b.json", "--update-baseline",
                                        "--today", "2027-03-01"], ["b.json"],
            before=[["check", "s.json", "--assert", "job.train.checkpoint.stall <= 1 h", "--no-advice", "--baseline", "b.json",
                     "--update-baseline"]], old={"b.json": ...}, simulates=True),
        Job("check, step summary", ["check", "s.json", "--no-advice", "--report", "github", "--today", "2027-03-01"],
            ["summary.md"], simulates=True, again=False, env={"GITHUB_STEP_SUMMARY": "summary.md"}),
        Job("check --baseline git:", ["check", "s.json", "--no-advice", "--baseline", "git:HEAD", "--report",
                                      "junit:j.xml", "--today", "2027-03-01"], ["j.xml"], simulates=True,
            before=[["git", "init", "-q"], ["git", "add", "s.json"],
                    ["git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "s"]]),
        Job("calibrate", ["calibrate", "fio.json", "-o", "profile.json", "--draws", "20"], ["profile.json"]),
        Job("import", ["import", "dlio", "dlio.yaml", "--hosts", "2", "--accelerators", "8", "-o", "i.json"], ["i.json"]),
        Job("observe", ["observe", "-o", "o.json", "--quiet", "--", "sh", "-c", "cat s.json >copy; sleep 0.1"],
            ["o.json"], same={"o.json": is_json}, old={"copy": ...}),
        Job("replay", ["replay", "calls.strace", "--on", "s.json", "--keep-program", "kept", "-o", "p.txt"],
            ["kept", "p.txt"], simulates=True),
        Job("replay, program not kept", ["replay", "calls.strace", "--on", "s.json", "-o", "p.txt"], ["p.txt"],
            simulates=True),
        Job("validate --picture", ["validate", "CASES", "--draws", "16", "--picture", "v.svg", "-o", "v.txt"],
            ["v.svg", "v.txt"], simulates=True, code=...),
        Job("init", ["init", "llm-async-ckpt", "-o", "n.json"], ["n.json"]),
        Job("ci init", ["ci", "init", "github", "--from", "a/b@v1", "--force", "-o", "ci.yml"], ["ci.yml"]),
        Job("lint", ["lint", "s.json", "-o", "l.txt"], ["l.txt"]),
        Job("resolve", ["resolve", "s.json", "-o", "d.json"], ["d.json"]),
        Job("schema", ["schema", "-o", "schema.json"], ["schema.json"]),
        Job("catalog", ["catalog", "-o", "c.txt"], ["c.txt"]),
        Job("completion", ["completion", "bash", "-o", "c.bash"], ["c.bash"]),
        Job("man", ["man", "run", "-o", "run.1"], ["run.1"]),
        Job("probe io", ["probe", "io", "--target", ".", "--quick", "-o", "m.json"], ["m.json"],
            same={"m.json": is_json}, seconds=1.5),
        Job("probe metadata", ["probe", "metadata", "--target", ".", "--quick", "-o", "m.json"], ["m.json"],
            same={"m.json": is_json}, seconds=1.5),
        Job("serve", ["serve", "--port", "0"], [], seconds=0.6),
        Job("explorer", ["--script", "steps.json", "--screenshots", "."],
            ["variant.json", "project.stallcast", "shot.png", "report.html"],
            same={"shot.png": is_picture}, program="stallcast-explorer"),
    ]
    cases = os.path.join(os.path.dirname(__file__), "..", "..", "..", "calibration", "cases", "checkpoints.json")
    for job in out:
        job.args = [os.path.abspath(cases) if arg == "CASES" else arg for arg in job.args]
    return out


if __name__ == "__main__":
    sys.exit("this is a table; faults_test.py reads it")
