#!/usr/bin/env python3
"""serve_soak.py STALLCAST [--minutes 30] [--rate 200]: a server under a mix of requests at a steady rate, and its memory.

Of a hundred requests 80 are estimates of a design each of its own, 10 are lints of broken scenarios, 4 are hostile
(bytes that are no JSON, other origins, deep nesting, paths that climb), 3 look at figures and runs, 2 are runs and 1 is
a run that is cancelled at once. Every ten seconds the memory of the server, of its workers together, and the number of
its descriptors and threads are written down. Prints one JSON object: latencies, statuses, samples.

Exits 1 when an answer is not one of those that are to be expected, when the server ends, or when its memory grew by
more than 5 % or 4 MB from the second third of the time to the last: medians, since the results that are kept come and
go. In the first third caches fill: 128 MB of results, and 1,000 simulations in each of two sessions; that takes eight
minutes, so runs of less than half an hour fail here.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

SCENARIO = (pathlib.Path(__file__).parent / "serve_load.json").read_text(encoding="utf-8")
THREADS = 20
# What may be answered, by sort of request.
EXPECTED = {"estimate": {200}, "lint": {200}, "hostile": {400, 403, 404, 422}, "look": {200},
            "run": {200, 202, 429, 503}, "cancel": {202, 204, 429, 503}}


def sort_of(n):
    n %= 100
    for sort, share in (("estimate", 80), ("lint", 10), ("hostile", 4), ("look", 3), ("run", 2)):
        if n < share:
            return sort
        n -= share
    return "cancel"


class Load:
    """Threads that together ask `rate` times a second, each on its own connection."""

    def __init__(self, port, rate, seconds):
        self.port, self.rate = port, rate
        self.begin = time.monotonic() + 0.1
        self.requests = int(rate * seconds)
        self.next = 0
        self.lock = threading.Lock()
        self.statuses = collections.Counter()
        self.unexpected = collections.Counter()
        self.latencies = []  # of estimates, s
        self.behind = 0.0  # at most so late, s
        self.ended = self.begin

    def ask(self, connection, method, path, body=None, headers=None):
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        answer.read()
        return answer

    def one(self, connection, n):
        sort = sort_of(n)
        began = time.monotonic()
        if sort == "estimate":
            answer = self.ask(connection, "POST", f"/v1/estimate?set=storage.scratch.ost.count={8 + n % 5000}", SCENARIO)
            with self.lock:
                self.latencies.append(time.monotonic() - began)
        elif sort == "lint":
            answer = self.ask(connection, "POST", "/v1/lint", SCENARIO[:1 + n % len(SCENARIO)])
        elif sort == "hostile":
            answer = [lambda: self.ask(connection, "POST", "/v1/estimate", b"\xff" * (n % 4000)),
                      lambda: self.ask(connection, "POST", "/v1/runs", SCENARIO, {"Origin": "http://evil.example"}),
                      lambda: self.ask(connection, "POST", "/v1/runs", "[" * 100_000),
                      lambda: self.ask(connection, "GET", "/../../etc/passwd")][n // 100 % 4]()
        elif sort == "look":
            answer = self.ask(connection, "GET", ["/metrics", "/v1/catalog", "/healthz"][n % 3])
        else:
            words = f"?advice=false&draws=0&seed={n}"
            answer = self.ask(connection, "POST", "/v1/runs" + words, SCENARIO)
            if sort == "cancel" and answer.status == 202:
                answer = self.ask(connection, "DELETE", answer.headers["Location"])
        with self.lock:
            self.statuses[f"{sort} {answer.status}"] += 1
            if answer.status not in EXPECTED[sort]:
                self.unexpected[f"{sort} {answer.status}"] += 1

    def work(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while True:
            with self.lock:
                n, self.next = self.next, self.next + 1
            if n >= self.requests:
                break
            due = self.begin + n / self.rate
            late = time.monotonic() - due
            if late < 0:
                time.sleep(-late)
            else:
                self.behind = max(self.behind, late)
            try:
                self.one(connection, n)
            except (OSError, http.client.HTTPException) as error:
                with self.lock:
                    self.unexpected[type(error).__name__] += 1
                connection.close()
        connection.close()
        self.ended = time.monotonic()


def resident(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            found = re.search(r"VmRSS:\s+(\d+) kB", file.read())
        return int(found[1]) / 1000 if found else 0.0
    except OSError:
        return 0.0


def below(pid):
    """Processes that `pid` has started, and theirs."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            own = file.read().split()
        for task in os.listdir(f"/proc/{pid}/task"):
            if task != str(pid):
                with open(f"/proc/{pid}/task/{task}/children", encoding="utf-8") as file:
                    own += file.read().split()
    except OSError:
        return []
    return own + [child for each in own for child in below(each)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stallcast")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--every", type=float, default=10, help="seconds between samples")
    args = parser.parse_args()
    server = subprocess.Popen([args.stallcast, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)/$", server.stdout.readline().strip())[1])
    load = Load(port, args.rate, 60 * args.minutes)
    threads = [threading.Thread(target=load.work, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    samples = []
    began = time.monotonic()
    while any(thread.is_alive() for thread in threads) and server.poll() is None:
        time.sleep(args.every)
        workers = below(server.pid)
        samples.append({"s": round(time.monotonic() - began), "server_mb": round(resident(server.pid), 1),
                        "workers_mb": round(sum(resident(w) for w in workers), 1), "processes": len(workers),
                        "descriptors": len(os.listdir(f"/proc/{server.pid}/fd")),
                        "threads": len(os.listdir(f"/proc/{server.pid}/task"))})
        print(json.dumps(samples[-1]), file=sys.stderr, flush=True)
    server.terminate()
    code = server.wait(timeout=60)
    third = max(len(samples) // 3, 1)
    first, second, last = ([statistics.median(s[key] for s in part) for key in ("server_mb", "workers_mb")]
                           for part in (samples[:third], samples[third:2 * third] or samples, samples[-third:]))
    latencies = sorted(load.latencies)
    out = {"requests": sum(load.statuses.values()), "seconds": round(load.ended - load.begin),
           "rate": round(sum(load.statuses.values()) / (load.ended - load.begin)),
           "latest_s": round(load.behind, 2),
           "estimates_ms": {f"p{p}": round(1000 * latencies[min(int(len(latencies) * p / 100), len(latencies) - 1)], 1)
                            for p in (50, 90, 99, 100)},
           "statuses": dict(sorted(load.statuses.items())), "unexpected": dict(load.unexpected), "exit": code,
           "thirds_mb": [dict(zip(("server", "workers"), part)) for part in (first, second, last)],
           "highest_mb": {"server": max(s["server_mb"] for s in samples), "workers": max(s["workers_mb"] for s in samples)},
           "load_of_machine": os.getloadavg()[0], "cores": os.cpu_count(), "samples": samples}
    print(json.dumps(out, indent=1))
    grew = any(b - a > max(0.05 * a, 4.0) for a, b in zip(second, last))
    sys.exit(1 if load.unexpected or code != 143 or grew else 0)


if __name__ == "__main__":
    main()
