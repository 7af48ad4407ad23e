"""`-o` of a sweep is its report, `--store` its file: sweep_output_test.py STALLCAST"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

stallcast = sys.argv[1]


def run(*args):
    done = subprocess.run([stallcast, "sweep", *args, "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, (args, done.returncode, done.stderr)
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    at = pathlib.Path(folder)
    inputs = at / "inputs"
    inputs.mkdir()
    scenario = str(inputs / "s.json")
    text = subprocess.run([stallcast, "init", "azure-blob-saves"], capture_output=True, text=True, check=True).stdout
    pathlib.Path(scenario).write_text(text)
    vary = ["--vary", "run.seed=1,2", "--replicas", "1"]
    page, store = at / "x.html", at / "kept.sqlite"
    shown = run(scenario, *vary, "--format", "html", "-o", str(page), "--store", str(store))
    assert shown == "", shown
    assert page.read_text().startswith("<!doctype html>")
    assert store.read_bytes().startswith(b"SQLite format 3")
    # The report alone leaves no store, the store alone prints the report.
    page.unlink()
    run(scenario, *vary, "--format", "html", "-o", str(page))
    assert page.read_text().startswith("<!doctype html>")
    assert sorted(p.name for p in at.iterdir()) == ["inputs", "kept.sqlite", "x.html"]
    for old in (["-o", str(at / "old.db")], ["--store", str(at / "new")]):
        assert run(scenario, *vary, *old)
    assert (at / "old.db").read_bytes().startswith(b"SQLite format 3")
    assert (at / "new").read_bytes().startswith(b"SQLite format 3")
    # A plan is its file, and says so under either name.
    for option in ("-o", "--store"):
        plan = at / f"plan{option}.db"
        run("plan", scenario, *vary, option, str(plan))
        assert plan.read_bytes().startswith(b"SQLite format 3")
    # Counts add up, also where only draws could judge, and Markdown warns of what the text does.
    sure = at / "sure.json"
    sure.write_text(text.replace('60 s" }', '60 s", "confidence": "80 %" }').replace('"count": 8,', '"count": 8, "price": "1 USD",'))
    asked = [str(sure), *vary]
    counts = json.loads(run(*asked, "--format", "json"))["counts"]
    assert counts == {"points": 2, "done": 2, "failed": 0, "missing": 0, "meet": 0, "miss": 0, "unsure": 2, "parts": 0}, counts
    assert "0 meet the targets, 2 unsure" in run(*asked)
    told = subprocess.run([stallcast, "sweep", *asked], capture_output=True, text=True).stderr
    line = 1 + next(i for i, row in enumerate(sure.read_text().splitlines()) if "confidence" in row)
    assert f"{sure}:{line}:" in told and "/expect/0: warning: the target" in told, told
    table = run(*asked, "--format", "markdown")
    warned = table[table.index("### Warnings"):]
    assert "- point 1 and 1 more: no price for " in warned, table
    # What a run tells of itself has the name that `run` gives it; else only what was waited for is told.
    def limits(name, *more):
        file = at / "design.json"
        made = subprocess.run([stallcast, "init", name], capture_output=True, text=True, check=True).stdout
        file.write_text(made)
        asked = [str(file), "--replicas", "1", "--format", "json", *more]
        ran = json.loads(subprocess.run([stallcast, "run", *asked, "--quiet"], capture_output=True, text=True).stdout)
        vary = ["--vary", "run.seed=1"]
        table = list(csv.DictReader(io.StringIO(run(str(file), *vary, "--replicas", "1", "--format", "csv", "--wide"))))
        point = json.loads(run(*asked, *vary))["points"][0]
        told = point.get("limited_by", ""), point.get("most_waited_for", "")
        assert told == (table[0]["limited_by"], table[0]["most_waited_for"]), (told, table)
        html = run(str(file), *vary, "--replicas", "1", "--format", "html")
        for title, text in zip(("limited by", "most waited for"), told):
            assert (f">{title}</th>" in html) == bool(text), (title, text)
        return ran["limit"]["resource"] or ran["limit"]["label"], *told
    assert limits("host-failure") == ("failures", "failures", "")
    assert limits("llm-async-ckpt") == ("job.train.barrier", "", "job.train.barrier")
    # A range that does not say how many values it has: each count, and each step of a parameter.
    for axis, values in (("storage.mdt.count=1..3", "1 2 3"), ("n_ost=8..16", "8 12 16")):
        points = json.loads(run(str(at / "design.json"), "--vary", axis, "--replicas", "1", "--format", "json"))["points"]
        assert " ".join(value for p in points for value in p["set"].values()) == values, points
    run_says, limited_by, waited_for = limits("mlperf-llama3-70b-ckpt")
    front = run(str(at / "design.json"), "--vary", "run.seed=1,2", "--replicas", "1", "--metric", "job.save.checkpoint.stall:min",
                "--format", "html")
    assert "No other point that meets the targets is better in one and as good in the rest" in front
    assert (run_says, limited_by) == ("job.save.checkpoint.threads", "") and waited_for != run_says, waited_for
print("ok")
