#!/usr/bin/env bash
# CPU seconds of whole runs, process start to exit, workers included: median of RUNS (default 9).
# Usage: bench/small_run.sh [SCENARIO...]; the release build must exist (./stallcast.sh build).
set -euo pipefail
cd "$(dirname "$0")/.."
stallcast=build/release/bin/stallcast
runs=${RUNS:-9}
[ $# -gt 0 ] || set -- bench/scenarios/64-hosts-1h.json examples/exercise-512-h100-async.json examples/unet3d-h100-ddn.json
printf '%-46s %10s %10s %12s\n' scenario 'cpu s' 'wall s' 'events'
for scenario in "$@"; do
  times=()
  for _ in $(seq "$runs"); do
    # %U + %S of a child include those of the children it waited for
    times+=("$( { TIMEFORMAT='%U %S %R'; time "$stallcast" run "$scenario" --replicas 1 --no-advice --quiet --output /dev/null || true; } 2>&1 | awk '{print $1 + $2, $3}')")
  done
  median=$(printf '%s\n' "${times[@]}" | sort -n | sed -n "$(((runs + 1) / 2))p")
  events=$({ "$stallcast" run "$scenario" --replicas 1 --no-advice --quiet --format json || true; } | sed -n 's/.*"events": *\([0-9]*\).*/\1/p')
  printf '%-46s %10s %10s %12s\n' "$scenario" ${median} "$events"
done
