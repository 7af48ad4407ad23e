"""What a report says limits a job, and what it says was waited for, is what the job would gain from.

Usage: limits_test.py PATH_OF_STALLCAST [unittest options].
"""
import copy
import itertools
import json
import unittest

import program

FORMATS = {"raw": {}, "webdataset": {"shard": "64 MB"}, "mds": {"shard": "64 MB"}, "parquet": {"row_group": "64 MiB"},
           "petastorm": {"row_group": "64 MiB"}, "tfrecord": {"samples_per_file": 640},
           "hdf5": {"samples_per_file": 640}}
WEKA = {"id": "s", "type": "weka", "backend": {"count": 3, "read": "20 GB/s"}}
LUSTRE = {"id": "s", "type": "lustre", "ost": {"count": 16}}


def design(form, storage, loader=None, dataset=None, steps=100):
    """8 GPUs in two hosts that compute for 10 ms a step."""
    return {"cluster": {"hosts": [{"id": "g", "count": 2, "gpus": 4}]},
            "storage": copy.deepcopy(storage),
            "jobs": [{"id": "t", "hosts": "g", "epochs": 1, "steps": steps, "step": {"compute": "10 ms"},
                      "dataset": {"on": "s", "format": form, "sample": "100 kB", "samples": 2000000,
                                  **FORMATS[form], **(dataset or {})},
                      "loader": {"batch": 32, **(loader or {})}}]}


def limited(form, by, loader=None):
    """The same, limited by one part; and what that is called."""
    if by == "storage[s].backend":
        return design(form, {**WEKA, "backend": {"count": 3, "read": "0.1 GB/s"}}, loader)
    if by == "cluster.hosts[g].nic":
        out = design(form, WEKA, loader)
        out["cluster"]["hosts"][0]["nic"] = {"rate": "1 Gb/s"}
        return out
    if by == "cluster.hosts[g].cpu":
        return design(form, WEKA, loader, {"decode": "20 ms"})
    if by == "storage[s].mdt":
        return design(form, {**LUSTRE, "mdt": {"open": "10 /s"}}, loader)
    return design(form, {**LUSTRE, "hsm": {"released": "100 %", "latency": "10 s"}}, loader, steps=40)


def run(what, *args):
    done = program.Run("run", "FILE", "--format", "json", "--replicas", "1", *args, text=json.dumps(what))
    return json.loads(done.out)


def waited(report):
    """Share of each resource of all that was waited for."""
    stem = "job.t.waited."
    times = {name[len(stem):]: metric["value"] for name, metric in report["metrics"].items()
             if name.startswith(stem)}
    return {name: time / sum(times.values()) for name, time in times.items()}


class Limits(unittest.TestCase):
    def test_storage_behind_a_last_stage_that_is_mostly_idle(self):
        # 2 OSTs of 3.4 GB/s have nothing left; a GPU decodes a batch in 31 of the 141 ms that one takes to be read.
        text = program.Run("init", "dali-imagenet").out
        few = ["--set", "storage.scratch.ost.count=2", "--set", "storage.scratch.ost.read=3.4GB/s",
               "--set", "run.duration=15s", "--replicas", "1", "--format", "json"]
        done = json.loads(program.Run("run", "FILE", *few, "--no-advice", text=text).out)
        # Nothing was tried, so that it is waited for, and not said to limit.
        self.assertEqual(done["limit"]["kind"], "waited")
        self.assertEqual(done["assertions"][0]["most_waited_for"], "storage.scratch.ost.read")
        self.assertGreater(done["breakdown"]["train"]["data"], 0.10)
        # What GPUs decode of every batch takes 20 % of them: 6.1 of 141 ms, whoever limits.
        waited_for_gpu = done["metrics"]["job.train.waited.host.gpu.gpu.decode"]["value"]
        self.assertLess(waited_for_gpu / 15.0, 0.05)


class Waits(unittest.TestCase):
    """Closed cases: one part is nearly all of the wait."""

    def expect(self, what, resource, phase, least=0.9, args=()):
        report = run(what, "--no-advice", *args)
        self.assertGreater(waited(report).get(resource, 0.0), least, waited(report))
        if phase is None:
            return
        share = report["breakdown"]["t"]
        stalls = {cause: share[cause] for cause in ("data", "metadata", "cpu")}
        self.assertEqual(max(stalls, key=stalls.get), phase, stalls)

    def test_whatever_a_worker_did_meanwhile(self):
        # A worker makes ten batches of a row group, all but the first from memory in less than a hand-over.
        for form in ("parquet", "petastorm"):
            what = limited(form, "storage[s].backend")
            for handover, prefetch, seed in itertools.product(("0 ms", "1.2 ms", "5 ms"), (1, 2, 4), ("1", "2")):
                what["jobs"][0]["loader"] = {"batch": 32, "workers": 2, "handover": handover, "prefetch": prefetch}
                with self.subTest(form=form, handover=handover, prefetch=prefetch, seed=seed):
                    self.expect(what, "storage.s.drives.read", "data", args=("--seed", seed))

    def test_opens_of_what_is_fetched_ahead(self):
        for form, by in itertools.product(("webdataset", "mds", "tfrecord", "parquet"), ("mdt", "hsm")):
            for loader in ({"type": "pytorch"}, {"type": "pytorch", "handover": "0 ms", "prefetch": 1},
                           {"type": "tensorflow"}):
                with self.subTest(form=form, by=by, loader=loader):
                    self.expect(limited(form, f"storage[s].{by}", loader), f"storage.s.{by}", "metadata")

    def test_opens_behind_a_cache(self):
        what = limited("raw", "storage[s].mdt")
        what["storage"]["mdt"]["open"] = "1 kops/s"
        what["storage"] = [what["storage"],
                           {"id": "c", "type": "cache", "over": "s", "server": {"count": 2, "size": "10 TB"}}]
        self.expect(what, "storage.s.mdt", "metadata")
        what["jobs"][0]["dataset"]["on"] = "c"
        self.expect(what, "storage.s.mdt", "metadata")

    def test_parts_of_files_on_an_mdt(self):
        # 64 of 128 KiB of each file lie on an MDT of 100 MB/s, or of threads that take 20 ms for each; OSTs idle.
        slow = {**LUSTRE, "dom": "64 KiB", "mdt": {"read": "0.1 GB/s"}}
        line = {**LUSTRE, "dom": "64 KiB", "mdt": {"open": "10 kops/s", "data_service": "20 ms"}}
        # Opens wait in that line, too: half of it is metadata.
        for storage, resource, phase in ((slow, "storage.s.mdt.data", "data"), (line, "storage.s.mdt", None)):
            for sample in ("128 KiB", "64 KiB"):
                with self.subTest(resource=resource, sample=sample):
                    what = design("raw", storage, None, {"sample": sample})
                    self.expect(what, resource, phase)


class Gains(unittest.TestCase):
    def test_what_was_waited_for_most_is_what_gains_most(self):
        parts = ("storage[s].backend", "cluster.hosts[g].nic", "cluster.hosts[g].cpu", "storage[s].mdt",
                 "storage[s].hsm")
        for form, loader, prefetch in itertools.product(FORMATS, ("pytorch", "tensorflow", "dali"), (1, 2)):
            for part in parts:
                with self.subTest(form=form, loader=loader, prefetch=prefetch, part=part):
                    report = run(limited(form, part, {"type": loader, "prefetch": prefetch}))
                    rows = [row for row in report["bottlenecks"] if row.get("gain")]
                    gains = max(rows, key=lambda row: row["gain"]["time"])
                    blamed = max(report["bottlenecks"], key=lambda row: row["blamed_share"])
                    if gains["gain"]["time"] < 0.1:
                        continue  # of formats that open few files, and loaders that keep up
                    self.assertEqual(gains["gain"]["part"], blamed["gain"]["part"], report["bottlenecks"][:4])

    def named(self, what):
        """The part of what was waited for most, which gains most, too."""
        report = run(what)
        blamed = max(report["bottlenecks"], key=lambda row: row["blamed_share"])
        gains = max((row for row in report["bottlenecks"] if row.get("gain")), key=lambda row: row["gain"]["time"])
        self.assertGreater(gains["gain"]["time"], 0.2)
        self.assertEqual(gains["resource"], blamed["resource"], report["bottlenecks"][:4])
        return blamed["gain"]["part"]

    def test_readers_that_check_and_copy_what_they_read(self):
        # 3 x 82 MB at 1.3 GB/s of one core, of drives, NICs and a client that have ten times as much
        what = design("raw", {"id": "s", "type": "beegfs", "target": {"count": 20}}, {"batch": 3, "workers": 2})
        what["jobs"][0]["dataset"] = {"on": "s", "format": "npz", "sample": "82 MB", "samples": 2000000}
        self.assertEqual(self.named(what), "cluster.hosts[g].cpu")

    def test_ports_that_are_all_a_host_has(self):
        what = design("raw", {"id": "s", "type": "cxl", "device": {"count": 1}, "port": {"rate": "1 GB/s"}}, None,
                      {"sample": "2 MB", "direct": True})
        report = run(what)
        blamed = max(report["bottlenecks"], key=lambda row: row["blamed_share"])
        self.assertEqual(blamed["gain"]["part"], "storage[s].port", report["bottlenecks"][:4])
        self.assertGreater(blamed["gain"]["time"], 0.3)

    def test_clients_that_are_a_cache(self):
        # 8 GPUs that read 33 MB samples which one cache server fetches at 500 MB/s, the most of a GPFS client
        what = design("raw", {"id": "s", "type": "gpfs", "server": {"count": 16}, "client": {"prefetch": "500 MB/s"}},
                      {"batch": 4}, {"sample": "33 MB"})
        what["storage"] = [what["storage"],
                           {"id": "c", "type": "cache", "over": "s", "server": {"count": 1, "size": "5 TB"}}]
        what["jobs"][0]["dataset"]["on"] = "c"
        self.assertEqual(self.named(what), "storage[s].client")


if __name__ == "__main__":
    program.main()
