"""serve_load.py PATH_OF_STALLCAST [--seconds 60] [--rate 200] [--scenario FILE]: estimates at a steady
rate by wrk on loopback, alongside a few simulations; prints latencies, status codes and memory.

Exits 1 when an answer is neither 2xx nor 429 or 503, or the server ends.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

SCRIPT = """
local file = io.open("%(scenario)s"); local text = file:read("*a"); file:close()
local n = 0
function delay() return %(delay)d end
function request()
  n = n + 1
  -- a value of its own for each request: nothing can be known already
  return wrk.format("POST", "/v1/estimate?set=storage.scratch.ost.count=" .. (8 + n %% 500), nil, text)
end
codes = {}
function response(status) codes[status] = (codes[status] or 0) + 1 end
function setup(thread) thread_of = thread end
function done(summary, latency, requests)
  local out = {}
  for code, n in pairs(thread_of:get("codes")) do out[#out + 1] = string.format('"%%d": %%d', code, n) end
  io.write(string.format('RESULT {"requests": %%d, "seconds": %%.1f, "p50": %%.2f, "p90": %%.2f, "p99": %%.2f, "max": %%.2f, "socket_errors": %%d, "codes": {%%s}}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(90) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    table.concat(out, ", ")))
end
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stallcast")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=200)
    parser.add_argument("--connections", type=int, default=20)
    parser.add_argument("--scenario", default=os.path.join(os.path.dirname(__file__), "serve_load.json"))
    args = parser.parse_args()
    server = subprocess.Popen([args.stallcast, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    base = re.search(r"http://\S+[0-9]", server.stdout.readline()).group(0)

    def memory():
        text = urllib.request.urlopen(base + "/metrics").read().decode()
        return float(re.search(r"^process_resident_memory_bytes (\S+)", text, re.M).group(1)) / 1e6

    def wrk(seconds):
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(SCRIPT % {"scenario": os.path.abspath(args.scenario),
                                   "delay": 1000 * args.connections // args.rate})
            script.flush()
            done = subprocess.run(["wrk", "-t1", f"-c{args.connections}", f"-d{seconds}s", "-s", script.name, base],
                                  capture_output=True, text=True, check=True)
        return json.loads(re.search(r"RESULT (.*)", done.stdout).group(1))

    wrk(5)  # until caches and allocators are warm
    before = memory()
    began = time.monotonic()
    load_before = os.getloadavg()[0]
    found = wrk(args.seconds)
    after = memory()
    server.terminate()
    code = server.wait(timeout=30)
    print(f"{found['requests']} estimates in {found['seconds']} s ({found['requests'] / found['seconds']:.0f}/s), "
          f"statuses {found['codes']}, socket errors {found['socket_errors']}")
    print(f"ms: p50 {found['p50']}, p90 {found['p90']}, p99 {found['p99']}, max {found['max']}")
    print(f"memory of the server: {before:.1f} MB before, {after:.1f} MB after {time.monotonic() - began:.0f} s")
    print(f"load of the machine: {load_before:.1f} before, {os.getloadavg()[0]:.1f} after, {os.cpu_count()} cores")
    good = {"200", "429", "503"}
    raise SystemExit(code != 143 or found["socket_errors"] > 0 or not set(found["codes"]) <= good)


if __name__ == "__main__":
    main()
