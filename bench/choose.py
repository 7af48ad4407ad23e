#!/usr/bin/env python3
"""Which storage for which job: the table of docs/guide/choose.md, computed.

    python3 bench/choose.py build/release/bin/stallcast > docs/guide/choose.md

Five jobs of four servers with eight GPUs each, on storage systems of the gallery. Every cell is a run with 32 draws of what its
inputs may be. Takes some minutes.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile

HOSTS = {"hosts": [{"id": "gpu", "count": 4, "use": "host/dgx-h100"}]}
INFINIBAND = {"use": "fabric/ndr400-rail-optimized"}
ETHERNET = {"use": "fabric/ethernet-400g-roce"}
CLOUD = {"type": "switched", "rtt": "0.5 ms", "technology": "tcp"}

# name, fabric, storage systems (the first holds data and saves), what it is
STORES = [
    ("local NVMe", INFINIBAND, [{"use": "storage/local-pm9a3", "drive": {"count": 8}}], "8 drives in each server"),
    ("Lustre appliance", INFINIBAND, [{"use": "storage/ddn-ai400x2t"}], "one AI400X2T"),
    ("WEKA", INFINIBAND, [{"use": "storage/wekapod-8"}], "8 backends"),
    ("GPFS", INFINIBAND, [{"use": "storage/ibm-ess-3500"}], "ESS 3500s of an IO500 list"),
    ("CephFS", INFINIBAND, [{"use": "storage/cephfs-officinalis"}], "8 servers with 8 drives"),
    ("NFS filer", ETHERNET, [{"use": "storage/nfs-flash-4-node"}], "four flash nodes"),
    ("MinIO", ETHERNET, [{"use": "storage/minio-nvme", "server": {"count": 4}}], "4 NVMe servers"),
    ("FSx for Lustre", CLOUD, [{"use": "storage/fsx-lustre-p2-250", "ost": {"count": 40}}], "48 TiB at 250 MB/s/TiB"),
    ("EFS", CLOUD, [{"use": "storage/efs-elastic"}], "elastic throughput"),
    ("S3 Standard", CLOUD, [{"use": "storage/s3-standard", "prefixes": 16}], "16 prefixes"),
    ("S3 Express", CLOUD, [{"use": "storage/s3-express"}], "one directory bucket"),
    ("S3 behind a cache", CLOUD, [{"use": "storage/cache-nvme-servers", "over": "far", "warm": True,
                                   "server": {"count": 4, "size": "20 TB"}},
                                  {"id": "far", "use": "storage/s3-standard", "prefixes": 16}], "4 cache servers, filled"),
]

BUSY = 0.85  # what GPUs are to be used, in nine of ten cases

SAVE = {"to": "store", "every": "20 min"}
LLAMA = {"model": {"use": "model/llama3-70b"}, "step": {"compute": "6 s"},
         "dataset": {"on": "store", "format": "tokens", "sample": "32 KiB", "size": "8 TB", "files": 1000}, "loader": {"batch": 4, "workers": 2}}
IMAGES = {"on": "store", "sample": "110 kB", "samples": 30000000, "decode": "1.5 ms"}
# name, part of the job, duration, what it is
JOBS = [
    ("image files", {"step": {"compute": "250 ms"}, "dataset": {**IMAGES, "format": "raw"},
                     "loader": {"batch": 256, "workers": 12, "prefetch": 2}}, "40 s",
     "110 kB a file, 1,024 images a second and GPU"),
    ("image shards", {"step": {"compute": "250 ms"}, "dataset": {**IMAGES, "format": "webdataset", "shard": "256 MiB"},
                      "loader": {"batch": 256, "workers": 12, "prefetch": 2}}, "40 s", "the same in tar shards"),
    ("3D volumes", {"step": {"compute": "323 ms"},
                    "dataset": {"on": "store", "format": "npz", "sample": "146600628 B", "samples": 60000},
                    "loader": {"batch": 7, "workers": 4, "prefetch": 2}}, "60 s", "147 MB a file, 3.2 GB/s a GPU (MLPerf's 3D U-Net on H100)"),
    ("LLM, saves wait", {**LLAMA, "checkpoint": {**SAVE, "mode": "sync"}}, "200 min", "70B, 978 GB every 20 min, GPUs wait"),
    ("LLM, saves behind", {**LLAMA, "checkpoint": {**SAVE, "mode": "async", "quiesce": "1 s"}}, "200 min", "the same, copied first"),
]


def scenario(fabric, stores, job, duration):
    parts = copy.deepcopy(stores)
    parts[0]["id"] = "store"
    return {"id": "cell", "cluster": {**HOSTS, "fabric": fabric}, "storage": parts,
            "jobs": [{"id": "train", "hosts": "gpu", **job}], "run": {"duration": duration, "replicas": 1}}


def percent(value):
    return f"{100 * value:.0f}"


def cell(program, folder, *what):
    path = os.path.join(folder, "cell.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(*what), file)
    done = subprocess.run([program, "run", path, "--draws", "32", "--no-advice", "--format", "json", "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(done.stderr[-600:])
    result = json.loads(done.stdout)
    use = result["metrics"]["job.train.gpu.utilization"]
    low, high = use.get("ci90") or (use["value"], use["value"])
    limit = result["bottlenecks"][0]["resource"] if result["bottlenecks"] else ""
    return {"use": use.get("median") or use["value"], "low": low, "high": high, "limit": limit}


def text(one):
    out = f"{percent(one['use'])} ({percent(one['low'])}-{percent(one['high'])})"
    return f"**{out}**" if one["low"] >= BUSY else out


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        grid = {(store[0], job[0]): cell(program, folder, store[1], store[2], job[1], job[2]) for store in STORES for job in JOBS}
    print("<!-- bench/choose.py -->\n# Which storage for which job\n")
    print("GPU utilization in percent, its middle and nine in ten outcomes, of five jobs on four servers with eight H100 each. **Bold**: at least "
          "85 % in nine of ten cases. Each cell is a simulation with 32 draws of what its inputs may be in truth; the sizes are those of one "
          "entry system each, so that a row says what such a system does, not what the product can do when it is larger. Make the page anew "
          "with your own sizes: `python3 bench/choose.py build/release/bin/stallcast`.\n")
    print("| storage | " + " | ".join(job[0] for job in JOBS) + " |\n|---|" + "---:|" * len(JOBS))
    for store in STORES:
        print(f"| {store[0]} ({store[3]}) | " + " | ".join(text(grid[store[0], job[0]]) for job in JOBS) + " |")
    print("\n## What each job needs\n")
    for job in JOBS:
        ranked = sorted(STORES, key=lambda store: -grid[store[0], job[0]]["low"])
        good = [store[0] for store in ranked if grid[store[0], job[0]]["low"] >= BUSY]
        line = (", ".join(good) + " keep GPUs 85 % busy in nine of ten cases" if len(good) > 1 else
                f"{good[0]} alone keeps GPUs 85 % busy in nine of ten cases" if good else
                f"none of these sizes does; {ranked[0][0]} comes closest ({text(grid[ranked[0][0], job[0]])})")
        worst = ranked[-1][0]
        print(f"- **{job[0]}** ({job[3]}): {line}. {worst} is the farthest from it, limited by `{grid[worst, job[0]]['limit']}`.")
    print("\n## How to use it\n\n"
          "Take the row nearest to what you have and the column nearest to what you run as a first guess, then predict your own: `stallcast init` lists "
          "a scenario for each of these systems, [`compare`](compare.md) puts several side by side for one job, [`plan`](plan.md) finds the "
          "size, [`grow`](../models/growth.md) says how long it lasts. Costs are not in the table: prices are yours to fill in "
          "([costs](../models/cost.md)). Where an interval is wide, `run` says what to measure first.")


if __name__ == "__main__":
    main()
