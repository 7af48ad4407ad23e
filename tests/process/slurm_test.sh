#!/usr/bin/env bash
# A sweep through a real Slurm of four nodes, all on this host: the same content as without it.
# Usage: slurm_test.sh PATH_OF_STALLCAST. Exits with 77 (skipped) where Slurm is not installed or
# this is not root. Its daemons run in a folder of their own and are stopped on every exit.
set -euo pipefail

stallcast=$1
for program in slurmctld slurmd sbatch squeue munged mungekey python3; do
  command -v "$program" >/dev/null || {
    echo "skipped: no $program; ./stallcast.sh test --slurm installs it"
    exit 77
  }
done
[ "$(id -u)" -eq 0 ] || {
  echo "skipped: Slurm's daemons are started as root"
  exit 77
}

work=$(mktemp -d)
chmod 755 "$work"
pids=()
cleanup() {
  local status=$?
  set +e
  [ -z "${SLURM_CONF:-}" ] || timeout 10 scancel -u root >/dev/null 2>&1
  local file
  for file in "$work"/*.pid; do [ -s "$file" ] && pids+=("$(cat "$file")"); done
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
  for _ in $(seq 50); do
    [ ${#pids[@]} -gt 0 ] && kill -0 "${pids[@]}" 2>/dev/null || break
    sleep 0.1
  done
  [ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null
  [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || tail -n 20 "$work"/log/* "$work"/out_* 2>/dev/null
  rm -rf "$work"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 143' TERM INT

host=$(hostname -s)
port=$((20000 + $$ % 2000 * 6)) # another call of this test may be running
mkdir -p "$work/state" "$work/log"
mungekey --create --keyfile="$work/munge.key" >/dev/null
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" \
  --pid-file="$work/munged.pid" --log-file="$work/log/munged.log" --seed-file="$work/munge.seed" \
  >/dev/null 2>&1
cat >"$work/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmctldPort=$port
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/log/slurmctld.log
SlurmdLogFile=$work/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName=n[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=2 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld -c
for i in 1 2 3 4; do slurmd -N "n$i"; done

cd "$work"
cat >s.json <<'SCENARIO'
{
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 8, "read": "4 GB/s", "write": "4 GB/s" } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "checkpoint": { "to": "scratch", "size": "100 GB", "every": "60 s" }
  } ],
  "run": { "duration": "10 min", "replicas": 2 },
  "sweep": { "storage.ost.count": { "from": 4, "to": 67, "n": 64 } }
}
SCENARIO
"$stallcast" sweep s.json -o local.db --quiet >local.txt
"$stallcast" sweep plan s.json -o slurm.db --quiet >/dev/null

# nothing_left JOB: waits until the queue is empty, a minute at most.
nothing_left() {
  for _ in $(seq 300); do
    [ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || return 0
    sleep 0.2
  done
  echo "job $1 did not end in a minute"
  return 1
}

for _ in $(seq 100); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 0.1; done
job=$("$stallcast" sweep run slurm.db --engine slurm --shards 8 --submit)
case $job in
  '' | *[!0-9]*) echo "sbatch said: $job"; exit 1 ;;
esac
nothing_left "$job"
"$stallcast" sweep collect slurm.db >slurm.txt
cmp local.txt slurm.txt
ls slurm.db.part-* 2>/dev/null && { echo "parts were left"; exit 1; }
python3 - <<'PYTHON'
import sqlite3

def content(name):
    base = sqlite3.connect(name)
    return {table: sorted(base.execute(f"SELECT * FROM {table}"))
            for table in ("meta", "points", "designs", "results")}

assert content("slurm.db") == content("local.db"), "the contents differ"
assert len(content("slurm.db")["results"]) == 64
PYTHON

# Tasks of srun are parts, too; the batch script around them is not.
"$stallcast" sweep plan s.json -o srun.db --quiet >/dev/null
job=$(sbatch --parsable -n 4 -o "$work/out_%j" --wrap "srun $stallcast sweep run srun.db --jobs 1 --quiet")
nothing_left "$job"
[ "$(ls srun.db.part-* | wc -l)" -eq 4 ]
"$stallcast" sweep collect srun.db | cmp - local.txt
"$stallcast" sweep plan s.json -o batch.db --quiet >/dev/null
job=$(sbatch --parsable -n 4 -o "$work/out_%j" --wrap "$stallcast sweep run batch.db --jobs 1 --quiet")
nothing_left "$job"
"$stallcast" sweep status batch.db | grep -q '64 points, 64 done'
echo "64 points through arrays, srun and a batch script of Slurm as without it"
