#!/usr/bin/env python3
"""How fast `stallcast replay` is on traces with marks of a loader, and how much memory it takes.

    replay_speed.py STALLCAST --on SCENARIO [--bytes 1e9] [--folder DIR] [--kinds KIND...]

Makes a trace of each kind (make_traces.py) and replays it without advice: operations and batches, operations a second
of wall time, peak resident memory of both processes. One row of a Markdown table a kind.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import measure  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stallcast")
    parser.add_argument("--on", required=True)
    parser.add_argument("--kinds", nargs="*", metavar="KIND", default=("strace-loader", "dftracer-loader"))
    parser.add_argument("--bytes", type=float, default=1e9)
    parser.add_argument("--folder", default=None)
    args = parser.parse_args()
    print("| trace | MB | operations | batches | operations/s | peak memory, MB |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        os.environ["TMPDIR"] = folder
        for kind in args.kinds:
            path, result = os.path.join(folder, kind), os.path.join(folder, "result.json")
            with open(path, "wb") as file:
                subprocess.run([sys.executable, os.path.join(HERE, "make_traces.py"), kind, "--bytes",
                                str(args.bytes)], check=True, stdout=file)
            used = measure.run([args.stallcast, "replay", path, "--on", args.on, "--no-advice", "--format", "json",
                                "-o", result])
            with open(result, encoding="utf-8") as file:
                found = json.load(file)
            print(f"| `{kind}` | {os.path.getsize(path) / 1e6:.0f} | {found['operations']:,} | "
                  f"{found['traced']['waits']['count']:,} | {found['operations'] / used.wall:,.0f} | "
                  f"{used.peak / 1e6:.0f} |", flush=True)
            os.remove(path)


if __name__ == "__main__":
    main()
