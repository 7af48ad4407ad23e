#!/usr/bin/env python3
"""Counts a trace without Stallcast, whole in memory: what import_test.py holds `stallcast import` to.

    count_trace.py FORMAT FILE

Prints JSON: records, reads, read_bytes, writes, written_bytes, other (by kind), steps, step_s, wait_s, kernels,
collectives, repeated.
"""

import gzip
import json
import re
import sys
from collections import Counter

KINDS = {
    "open": r"f?open(64|at)?|creat", "close": r"f?close", "seek": r"l?f?seek(64)?",
    "stat": r"_*l?x?stat(64)?|newfstatat|access|readlink", "sync": "fsync", "data_sync": "fdatasync|datasync",
    "directory": "opendir|mkdir|rmdir", "unlink": "unlink|rename", "truncate": "ftruncate|trim", "map": "mmap",
    "read": r"f?p?read(64)?", "write": r"f?p?write(64)?",
}


def kind_of(name):
    for kind, pattern in KINDS.items():
        if re.fullmatch(pattern, name):
            return kind
    return "other"


class Count:
    def __init__(self):
        self.out = Counter()
        self.other = Counter()

    def move(self, kind, size, count=1):
        self.out["reads" if kind == "read" else "writes"] += count
        self.out["read_bytes" if kind == "read" else "written_bytes"] += size

    def call(self, kind, size, count=1):
        if kind in ("read", "write"):
            self.move(kind, size, count)
        else:
            self.other[kind] += count

    def result(self):
        return {**self.out, "other": dict(sorted(self.other.items()))}


def content(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def kineto(data, n):
    events = [e for e in json.loads(data)["traceEvents"] if e.get("ph") == "X"]
    n.out["records"] = len(events)
    steps = [e for e in events if e["name"].startswith("ProfilerStep#") and e["cat"] != "gpu_user_annotation"]
    waits = [e for e in events if e["name"].startswith("enumerate(DataLoader)#") and e["cat"] != "gpu_user_annotation"]
    n.out["steps"] = len(steps)
    n.out["step_s"] = sum(e["dur"] for e in steps) / 1e6
    n.out["wait_s"] = sum(w["dur"] for w in waits
                          if any(s["ts"] <= w["ts"] < s["ts"] + s["dur"] for s in steps)) / 1e6
    kernels = [e for e in events if e["cat"] == "kernel"]
    nccl = [e for e in kernels if re.match("nccl(Dev)?Kernel_", e["name"])]
    n.out["kernels"] = len(kernels) - len(nccl)
    n.out["kernel_s"] = (sum(e["dur"] for e in kernels) - sum(e["dur"] for e in nccl)) / 1e6
    n.out["collectives"] = len(nccl) + sum(e["name"].startswith("gloo:") for e in events)


def dftracer(data, n):
    lines = [line.strip().rstrip(",") for line in data.decode().splitlines()]
    lines = [line for line in lines if line.startswith("{")]
    distinct = list(dict.fromkeys(lines))
    n.out["records"], n.out["repeated"] = len(distinct), len(lines) - len(distinct)
    computes = []
    for e in map(json.loads, distinct):
        if e["ph"] not in ("X", 1):
            continue
        args = e.get("args", {})
        if e["name"].endswith(".compute"):
            computes.append(int(e["dur"]))
        if e["cat"] not in ("POSIX", "STDIO"):
            continue
        kind, got = kind_of(e["name"]), int(args.get("ret", 0))
        if e["name"] in ("fread", "fwrite"):
            got *= int(args["size"])
        if kind in ("read", "write") and got < 0:
            continue
        n.call(kind, got)
    n.out["steps"] = len(computes)


def darshan_dxt(data, n):
    posix, table, rows = set(), None, []
    for line in data.decode().splitlines():
        found = re.match(r"# DXT, file_id: (\d+)", line)
        table = found.group(1) if found else table
        words = line.split()
        if words and words[0].startswith("X_"):
            rows.append((words[0], table, words[2], int(words[5])))
            posix |= {table} if words[0] == "X_POSIX" else set()
    n.out["records"] = len(rows)
    for module, table, way, size in rows:
        if module == "X_POSIX" or table not in posix:
            n.move(way, size)


def iolog(data, n):
    lines = data.decode().splitlines()
    for line in lines[1:]:
        words = line.split()
        words = words[1:] if lines[0].endswith("3 iolog") else words
        n.out["records"] += 1
        if words[1] not in ("add", "wait"):
            n.call(kind_of(words[1]), int(words[3]) if len(words) > 3 else 0)


def strace(data, n):
    files, begun = {100: {}, 200: {}}, {}
    for line in data.decode().splitlines():
        n.out["records"] += 1
        pid, rest = int(line.split()[0]), line.split(None, 2)[2]
        if rest.endswith("<unfinished ...>"):
            begun[pid] = rest[:-len("<unfinished ...>")]
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>", rest)
        rest = begun.pop(pid) + rest[resumed.end():] if resumed else rest
        found = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", rest)
        if not found:
            continue
        name, args, got = found.group(1), found.group(2), int(found.group(3))
        mine, first = files.setdefault(pid, {}), args.split(",")[0]
        if name == "openat":
            path = args.split('"')[1]
            mine[got] = path
            if not path.startswith("/proc"):
                n.call("open", 0)
        elif name == "dup":
            mine[got] = mine[int(first)]
            n.call("other", 0)
        elif first.isdigit() and int(first) in mine:
            path = mine[int(first)]
            if name == "close":
                del mine[int(first)]
            if not path.startswith("/proc") and got >= 0:
                # What is known of an open file is asked of nobody.
                n.call("other" if "AT_EMPTY_PATH" in args else kind_of(name), got)


def chakra(data, n):
    def varint(at):
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 0x80:
                return value, at

    def fields(at, end):
        while at < end:
            key, at = varint(at)
            if key & 7 == 0:
                value, at = varint(at)
            elif key & 7 == 2:
                size, at = varint(at)
                value, at = (at, at + size), at + size
            else:
                value, at = None, at + (8 if key & 7 == 1 else 4)
            yield key >> 3, value

    at, first = 0, True
    while at < len(data):
        size, at = varint(at)
        node = dict(fields(at, at + size))
        at += size
        if first:
            first = False
            continue
        n.out["records"] += 1
        kind = node.get(3)
        if kind == 9:
            n.out["steps"] += 1
            n.out["step_s"] += node[7] / 1e6
        if kind == 8:
            call = dict(fields(*dict(fields(*node[11]))[10]))
            n.call({1: "open", 2: "close", 3: "read", 4: "write", 5: "read", 6: "write"}[call[1]], call.get(5, 0))
        n.out["collectives"] += kind == 7


def dlio_output(data, n):
    for key, epoch in json.loads(data).items():
        if key.isdigit():
            for block, load in epoch["load"].items():
                pairs = list(zip(load, epoch["proc"][block]))
                n.out["steps"] += len(pairs)
                n.out["step_s"] += sum(step for _, step in pairs)
                n.out["wait_s"] += sum(min(pair) for pair in pairs)


FORMATS = {"kineto": kineto, "dftracer": dftracer, "darshan-dxt": darshan_dxt, "iolog": iolog, "strace": strace,
           "chakra": chakra, "dlio-output": dlio_output}


def count(kind, path):
    n = Count()
    FORMATS[kind](content(path), n)
    return n.result()


if __name__ == "__main__":
    print(json.dumps(count(sys.argv[1], sys.argv[2]), indent=1))
