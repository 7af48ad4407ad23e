"""`-o` of a sweep is its report, `--store` its file: sweep_output_test.py STALLCAST"""
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
    text = subprocess.run([stallcast, "init"], capture_output=True, text=True, check=True).stdout
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
print("ok")
