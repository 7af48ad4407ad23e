#!/usr/bin/env python3
"""Runs the fuzzers of tests/fuzz in turns, and keeps account of what was run.

Usage: run.py FUZZER --work DIR [--seconds 60] [--rounds 1] [--targets NAME,...] [--minimise] [--report PAGE]

FUZZER is build/fuzz/bin/stallcast-fuzz (cmake --preset fuzz && cmake --build --preset fuzz). Each round gives each
target that many seconds, one after the other, with 1 GB of memory and 10 s of CPU time an input (60 s on the clock).
Corpora, dictionaries and finds are kept below DIR, so that the next run goes on where this one stopped.
DIR/account.json adds up seconds, executions and finds; --report writes it as the table of docs/reliability.md.
--minimise leaves of the corpora what no other input covers, and copies small ones of these to tests/fuzz/corpus, up to
16 KB a target, beside what is there.
"""
import argparse
import glob
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
MOST_COMMITTED = 16_000
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.){2,40})"')
BEGIN, END = "<!-- fuzz table -->", "<!-- end of fuzz table -->"


class Target:
    def __init__(self, line, work):
        self.name, longest, seeds, words = line.split("\t")
        self.longest = int(longest)
        self.corpus = work / "corpus" / self.name
        self.finds = work / "finds" / self.name
        self.dictionary = work / f"{self.name}.dict"
        for folder in (self.corpus, self.finds):
            folder.mkdir(parents=True, exist_ok=True)
        self.take_seeds(seeds.split())
        self.write_dictionary(words.split())

    def take_seeds(self, patterns):
        files = [f for pattern in patterns for f in glob.glob(str(ROOT / pattern))]
        files += [str(f) for f in (CORPUS / self.name).glob("*")]
        for file in files:
            data = pathlib.Path(file).read_bytes()
            if len(data) <= self.longest:
                (self.corpus / ("seed-" + os.path.basename(file))).write_bytes(data)

    def write_dictionary(self, patterns):
        """The texts in quotes of the sources that read such input: keys, units, words of formats."""
        words = set()
        for pattern in patterns:
            for file in glob.glob(str(ROOT / pattern)):
                for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines():
                    if not line.startswith("#include"):
                        words.update(LITERAL.findall(line))
        plain = sorted(w for w in words if w.isascii() and w.isprintable() and "\\" not in w and " " not in w.strip())
        self.dictionary.write_text("".join(f'"{w}"\n' for w in plain), encoding="utf-8")

    def command(self, fuzzer, *more):
        return [fuzzer, f"--target={self.name}", f"-max_len={self.longest}", "-rss_limit_mb=1024", "-timeout=60",
                *more]

    def run(self, fuzzer, seconds):
        """Fuzzes for so long; executions, CPU seconds, edges and new finds."""
        before = set(self.finds.iterdir())
        words = [f"-dict={self.dictionary}"] if self.dictionary.stat().st_size else []  # libFuzzer takes no empty one
        began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            self.command(fuzzer, f"-max_total_time={seconds}", *words, "-print_final_stats=1", "-reload=0",
                         "-report_slow_units=60", f"-artifact_prefix={self.finds}/", str(self.corpus)),
            capture_output=True, text=True, errors="replace", check=False, cwd=self.finds.parent,
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        log = done.stderr
        (self.finds.parent.parent / f"{self.name}.log").write_text(log, encoding="utf-8")
        edges = [int(n) for n in re.findall(r"cov: (\d+)", log)]
        executions = re.search(r"stat::number_of_executed_units:\s+(\d+)", log)
        counted = re.findall(r"^#(\d+)\s", log, re.M)
        return {"executions": int(executions[1]) if executions else int(counted[-1]) if counted else 0,
                "cpu": now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime,
                "wall": time.monotonic() - began, "edges": edges[-1] if edges else 0,
                "finds": sorted(f.name for f in set(self.finds.iterdir()) - before), "exit": done.returncode}

    def merged(self, fuzzer, into, *sources):
        into.mkdir(parents=True, exist_ok=True)
        subprocess.run(self.command(fuzzer, "-merge=1", str(into), *map(str, sources)), capture_output=True,
                       check=False)

    def minimise(self, fuzzer):
        """Small inputs of the corpus that reach what no other does, beside those that are committed."""
        kept = CORPUS / self.name
        small = self.corpus.parent.parent / "small"
        shutil.rmtree(small, ignore_errors=True)
        self.merged(fuzzer, small, self.corpus)
        shutil.rmtree(self.corpus)
        shutil.copytree(small, self.corpus)
        have = sum(f.stat().st_size for f in kept.glob("*"))
        for file in sorted(small.iterdir(), key=lambda f: f.stat().st_size):
            if file.name.startswith("seed-") or have + file.stat().st_size > MOST_COMMITTED:
                continue
            have += file.stat().st_size
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, kept / file.name[:12])


def table_of(account):
    rows = ["| target | CPU s | executions | edges | finds | CPU s since the last |", "|---|--:|--:|--:|--:|--:|"]
    total = [0, 0, 0]
    for name, a in sorted(account.items()):
        rows.append(f"| `{name}` | {a['cpu']:,.0f} | {a['executions']:,} | {a['edges']:,} | {a['finds']} | "
                    f"{a['quiet']:,.0f} |")
        total = [total[0] + a["cpu"], total[1] + a["executions"], total[2] + a["finds"]]
    rows.append(f"| all | {total[0]:,.0f} | {total[1]:,} | | {total[2]} | |")
    return "\n".join(rows)


def write_report(account, page):
    text = page.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    page.write_text(f"{text[:begin]}\n{table_of(account)}\n{text[end:]}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fuzzer", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--work", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--targets", default="")
    parser.add_argument("--minimise", action="store_true")
    parser.add_argument("--report", type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    book = args.work / "account.json"
    account = json.loads(book.read_text(encoding="utf-8")) if book.exists() else {}
    rows = subprocess.run([args.fuzzer, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    targets = [Target(row, args.work) for row in rows]
    if args.targets:
        targets = [t for t in targets if t.name in args.targets.split(",")]
    found = 0
    for round_ in range(args.rounds):
        for target in targets:
            ran = target.run(args.fuzzer, args.seconds)
            mine = account.setdefault(target.name, {"cpu": 0, "executions": 0, "edges": 0, "finds": 0, "quiet": 0})
            mine["cpu"] += ran["cpu"]
            mine["executions"] += ran["executions"]
            mine["edges"] = max(mine["edges"], ran["edges"])
            mine["finds"] += len(ran["finds"])
            mine["quiet"] = 0 if ran["finds"] else mine["quiet"] + ran["cpu"]
            book.write_text(json.dumps(account, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            print(f"{round_} {target.name}: {ran['executions']} executions, {ran['cpu']:.0f} CPU s, {ran['edges']} edges"
                  + "".join(f"\n  FOUND {target.finds / f}" for f in ran["finds"])
                  + ("" if ran["exit"] == 0 or ran["finds"] else f"\n  exit {ran['exit']}"), flush=True)
            found += len(ran["finds"])
    if args.minimise:
        for target in targets:
            target.minimise(args.fuzzer)
    if args.report:
        write_report(account, args.report)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
