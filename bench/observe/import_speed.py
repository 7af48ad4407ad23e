#!/usr/bin/env python3
"""How fast `stallcast import` reads traces, and how much memory it takes.

    import_speed.py STALLCAST [--bytes 1e9] [--folder DIR] [--kinds KIND...]

Makes a trace of each kind (make_traces.py) and imports it, from the page cache where it fits: MB/s of CPU time (user
and system) and of wall time, peak resident memory of the process. One row of a Markdown table a kind.
"""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import measure  # noqa: E402

FORMATS = ("chakra", "darshan-dxt", "dftracer", "dlio-output", "iolog", "kineto", "strace")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stallcast")
    parser.add_argument("--kinds", nargs="*", metavar="KIND", default=FORMATS)
    parser.add_argument("--bytes", type=float, default=1e9)
    parser.add_argument("--folder", default=None)
    args = parser.parse_args()
    print("| format | trace, MB | MB/s, CPU | MB/s, wall | peak memory, MB |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        for kind in args.kinds:
            path = os.path.join(folder, kind)
            with open(path, "wb") as file:
                subprocess.run([sys.executable, os.path.join(HERE, "make_traces.py"), kind, "--bytes",
                                str(args.bytes)], check=True, stdout=file)
            size = os.path.getsize(path) / 1e6
            used = measure.run([args.stallcast, "import", kind, path])
            print(f"| `{kind}` | {size:.0f} | {size / used.cpu:.0f} | {size / used.wall:.0f} | {used.peak / 1e6:.0f} |",
                  flush=True)
            os.remove(path)


if __name__ == "__main__":
    main()
