#!/usr/bin/env bash
# Probe, calibrate, predict, compare on the machine at hand: docs/guide/probes.md. Not one of the
# tests: what it measures is the machine. Needs fio and python3.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'USAGE'
usage: calibration/self_test.sh [FOLDER] [--quick | --thorough] [--seconds N] [--keep FOLDER]

  FOLDER       on the file system to measure (default: the current one)
  --seconds N  length of each of the three runs of a fio job (default 5)
  --keep DIR   leave measurements, profile and results there
USAGE
}

target=. depth=() seconds=5 keep=
while [ $# -gt 0 ]; do
  case "$1" in
    --quick | --thorough) depth=("$1") ;;
    --seconds) seconds=$2 && shift ;;
    --keep) keep=$2 && shift ;;
    -h | --help) usage && exit 0 ;;
    -*) usage >&2 && exit 2 ;;
    *) target=$1 ;;
  esac
  shift
done
stallcast=${STALLCAST:-$here/../build/release/bin/stallcast}
for program in "$stallcast" fio python3; do
  command -v "$program" >/dev/null || { echo "self_test.sh: there is no $program" >&2; exit 2; }
done

work=$(mktemp -d "$target/stallcast-self-test-XXXXXX")
leave() {
  [ -z "$keep" ] || { mkdir -p "$keep" && cp "$work"/*.json "$keep"; } || true
  rm -rf "$work"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "==> probing"
"$stallcast" probe io --target "$work" "${depth[@]}" -o "$work/io.json" >/dev/null
echo "==> calibrating"
"$stallcast" calibrate "$work/io.json" --id self-test -o "$work/profile.json" |
  grep -A 8 -E '^io\.(read|write)\.random  ' || true

# Buffers on huge pages, as in the probe: on small ones large requests are two to three times slower.
memory=(--mem=mmaphuge)
if [ "$(awk '/^HugePages_Free/ { print $2 }' /proc/meminfo)" -lt 16 ]; then
  memory=()
  echo "note: no huge pages are reserved, so fio's buffers will be on small ones, and fio slower than" \
    "predicted; \"sysctl vm.nr_hugepages=64\" before gives it some"
fi
# One file of random bytes for all jobs.
data=(--filename="$work/data" --size=1g --fallocate=none --overwrite=1)
fio --name=fill --rw=write --bs=1m --direct=1 --refill_buffers --loops=2 "${data[@]}" >/dev/null

predict() { # SECTION: the scenario of a host that runs this job, and what becomes of it
  local bs
  bs=$(awk -v name="[$1]" '/^\[/ { on = $0 == name } on && sub(/^bs=/, "") { print }' "$here/self_test.fio")
  cp "$here/self_test.fio" "$work/jobs.fio"
  cat >"$work/$1.json" <<JSON
{
  "cluster": { "hosts": [ { "count": 1 } ] },
  "storage": { "id": "disk", "type": "measured", "scope": "host",
               "request": "${bs%k} KiB", "write": { "request": "${bs%k} KiB" } },
  "jobs": [ { "hosts": "host", "step": { "compute": "1 s" } } ],
  "tenants": [ { "id": "fio", "type": "fio", "on": "disk", "hosts": "host",
                 "job_file": "jobs.fio", "section": "$1" } ],
  "run": { "duration": "20 s", "replicas": 20 }
}
JSON
  "$stallcast" run "$work/$1.json" --profile "$work/profile.json" --format json --quiet \
    -o "$work/$1.predicted.json" || [ $? -eq 3 ] || {
    echo "self_test.sh: nothing is predicted: was a fit refused? a busy machine or short runs" \
      "do that; try without --quick" >&2
    exit 1
  }
}

mapfile -t sections < <(sed -n 's/^\[\(.*\)\]$/\1/p' "$here/self_test.fio" | grep -v '^global$')
echo "==> predicting ${#sections[@]} jobs"
for section in "${sections[@]}"; do predict "$section"; done
echo "==> running them with fio, three times"
for run in 1 2 3; do
  for section in "${sections[@]}"; do
    fio "$here/self_test.fio" --section="$section" --runtime="$seconds" --ramp_time=1 "${memory[@]}" \
      "${data[@]}" --output-format=json --output="$work/$section.measured.$run.json"
  done
done
python3 -B "$here/self_test.py" "$work" "${sections[@]}"
