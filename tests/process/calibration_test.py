"""From measurements to predictions, as a user does it: calibrate, --profile, --strict-range.

Usage: calibration_test.py PATH_OF_STALLCAST [unittest options].
"""

import json
import os
import re
import tempfile
import unittest

import program
from program import Run

MEASURED = """{
  "id": "measured",
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "disk", "type": "measured" } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
    "dataset": { "on": "disk", "format": "raw", "sample": "128 KiB", "size": "50 GB" },
    "loader": { "type": "pytorch", "workers": 4, "batch": 64 }
  } ],
  "run": { "duration": "2 s", "replicas": 3 }
}
"""
UTILIZATION = "job.train.gpu.utilization"
SWEEP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "calibration", "data",
                     "vm-disk-sweep.json")


class Calibration(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.profile = os.path.join(self.folder.name, "disk.json")
        self.made = Run("calibrate", SWEEP, "-o", self.profile, "--draws", "20")

    def tearDown(self):
        self.folder.cleanup()

    def fit_barrier(self, off):
        """A profile of barriers that take 2 ms and a millisecond times the root of the ranks, and so much more or less."""
        runs = [{"subject": "training", "operation": "barrier", "processes": n,
                 "latency": factor * (0.002 + 0.001 * n ** 0.5)}
                for n in (1, 4, 16, 64) for factor in (1 - off, 1, 1 + off)]
        records = os.path.join(self.folder.name, "barrier.json")
        with open(records, "w", encoding="utf-8") as file:
            json.dump({"schema": "stallcast.measurements/1", "tool": "log", "measurements": runs}, file)
        made = Run("calibrate", records, "-o", self.profile)
        self.assertEqual(made.code, 0, made.err)
        return made

    def test_a_sweep_becomes_a_profile_and_a_report_of_80_columns(self):
        self.assertEqual(self.made.code, 0, self.made.err)
        self.assertIn("io.read.random  accepted", self.made.out)
        self.assertLessEqual(max(map(len, self.made.out.splitlines())), 80)
        with open(self.profile, encoding="utf-8") as file:
            profile = json.load(file)
        self.assertEqual(profile["schema"], "stallcast.profile/1")
        self.assertEqual(len(profile["inputs"][0]["sha256"]), 64)

    def test_a_profile_fills_in_what_the_scenario_leaves_out(self):
        self.assertEqual(Run("run", "FILE", text=MEASURED).code, 2)
        run = Run("run", "FILE", "--profile", self.profile, "--format", "json", text=MEASURED)
        self.assertEqual(run.code, 0, run.err)
        low, high = json.loads(run.out)["metrics"]["job.train.gpu.utilization"]["ci95"]
        self.assertLess(low, high)
        resolved = Run("resolve", "FILE", "--provenance", "--profile", self.profile, text=MEASURED)
        self.assertIn("profile:vm-disk-sweep", resolved.out)

    def test_all_verbs_are_of_the_one_design_with_the_fitted_values(self):
        text = MEASURED.replace('"run":', '"expect": [ { "id": "busy", "that": "%s >= 95 %%" } ], "run":' % UTILIZATION)

        def of(verb, *args):
            run = Run(verb, "FILE", *args, "--profile", self.profile, "--format", "json", text=text)
            self.assertIn(run.code, (0, 1), run.err)
            report = json.loads(run.out)
            self.assertEqual(len(report["tool"]["profile"] or ""), 64, verb)
            return report

        run = of("run")
        figure, value = run["metrics"][UTILIZATION], run["metrics"][UTILIZATION]["value"]
        self.assertEqual(run["verdict"], "fail")
        # What the profile is unsure of is in the draws alone.
        self.assertEqual(of("run", "--draws", "8", "--no-advice")["metrics"][UTILIZATION]["value"], value)
        points = of("sweep", "--vary", "jobs.train.loader.workers=2,4")["points"]
        self.assertEqual(points[1]["metrics"][UTILIZATION], figure)
        self.assertEqual(of("check")["scenarios"][0]["assertions"][0]["value"], value)
        compared = of("compare", "FILE", "--draws", "0")["designs"][1]["result"]
        self.assertEqual(compared["metrics"][UTILIZATION], figure)
        self.assertEqual(of("diff", "FILE")["head"]["assertions"][0]["value"], value)
        self.assertEqual(of("explain", UTILIZATION)["result"]["metrics"][UTILIZATION], figure)
        grown = of("grow", "--of", "jobs.train.dataset.size=4 %/month", "--until", "2mo")
        self.assertEqual(grown["targets"][0]["values"][0], value)
        plan = of("plan", "--over", "jobs.train.loader.workers=4..4")
        self.assertEqual(plan["metrics"][UTILIZATION]["value"], value)
        # A change gains what its design has more, of the run as it goes on.
        change = next(one for one in run["alternatives"] if one["change"].endswith("workers 4 -> 2"))
        lasting = "job.train.lasting.utilization"
        followed = of("run", "--set", "jobs.train.loader.workers=2", "--no-advice")["metrics"][lasting]["value"]
        self.assertEqual(change["utilization"], followed)
        self.assertAlmostEqual(change["gain"], followed - run["metrics"][lasting]["value"], delta=1e-12)

    def test_draws_have_the_joint_spread_of_a_fit(self):
        self.fit_barrier(0.1)
        with open(self.profile, encoding="utf-8") as file:
            values = {one["field"]: one for one in json.load(file)["values"]}
        base, root = values["barrier.base"], values["barrier.per_sqrt"]
        # A job that only computes: its 16 ranks wait for the barrier.
        text = json.dumps({
            "id": "computes",
            "cluster": {"hosts": [{"id": "gpu", "count": 2, "gpus": 8}]},
            "jobs": [{"id": "train", "hosts": "gpu", "discrepancy": {"step": "0.01 %"},
                      "step": {"compute": "100 ms", "jitter": "0 %", "overhead": "0 s", "sharing": "0 %"}}],
            "run": {"duration": "2 s", "replicas": 2}})
        run = Run("run", "FILE", "--profile", self.profile, "--draws", "64", "--format", "json", text=text)
        step = json.loads(run.out)["metrics"]["job.train.step.time"]
        self.assertAlmostEqual(step["value"], 0.1 + base["value"] + 4 * root["value"], delta=1e-6)
        self.assertAlmostEqual(step["ci95"][1] - step["ci95"][0], 0, delta=1e-9)
        drawn = sorted(0.1 + a + 4 * q for a, q in list(zip(base["draws"], root["draws"]))[:64])
        for end, there in zip(step["ci90"], (0.3 * drawn[2] + 0.7 * drawn[3], 0.3 * drawn[-3] + 0.7 * drawn[-4])):
            self.assertAlmostEqual(end, there, delta=(drawn[-1] - drawn[0]) / 100)

    def test_what_the_scenario_says_goes_before_the_profile(self):
        text = MEASURED.replace('"type": "measured"',
                                '"type": "measured", "read": { "rate": "1 GB/s" }')
        resolved = Run("resolve", "FILE", "--profile", self.profile, text=text)
        self.assertIn('"rate": "1 GB/s"', resolved.out)

    def test_a_prediction_outside_the_fitted_range_warns_or_is_inconclusive(self):
        deep = ["run", "FILE", "--profile", self.profile, "--set", "jobs.train.loader.workers=32"]
        warned = Run(*deep, text=MEASURED)
        self.assertEqual(warned.code, 0, warned.err)
        self.assertIn("outside", warned.out)
        self.assertEqual(Run(*deep, "--strict-range", text=MEASURED).code, 3)
        inside = Run("run", "FILE", "--profile", self.profile, "--strict-range", text=MEASURED)
        self.assertEqual(inside.code, 0, inside.err)

    def test_a_barrier_over_ranks_sets_the_jobs_and_warns_beyond_its_range(self):
        made = self.fit_barrier(0.01)
        self.assertIn("sync.barrier  accepted", made.out)
        design = json.dumps({
            "id": "small",
            "cluster": {"hosts": [{"id": "gpu", "count": 2, "use": "host/dgx-h100"}]},
            "jobs": [{"id": "train", "hosts": "gpu", "step": {"compute": "100 ms"}}],
            "run": {"duration": "2 s", "replicas": 3}})
        resolved = Run("resolve", "FILE", "--provenance", "--profile", self.profile, text=design)
        self.assertIn("fit sync.barrier", resolved.out)
        run = ["run", "FILE", "--profile", self.profile, "--strict-range"]
        self.assertEqual(Run(*run, text=design).code, 0)
        larger = run + ["--set", "cluster.hosts.gpu.count=16"]
        beyond = Run(*larger, text=design)
        self.assertEqual(beyond.code, 3)
        self.assertIn("128 ranks are more than the 64 measured", beyond.out)


DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "calibration", "data")
IMAGES = MEASURED.replace('"type": "measured"', '"type": "local", "drive": { "count": 4 }') \
    .replace('"format": "raw",', '"format": "raw", "codec": "jpeg",')
LUSTRE = MEASURED.replace('"type": "measured"', '"type": "lustre", "ost": { "count": 4 }')
NFS = MEASURED.replace('"type": "measured"', '"type": "nfs", "head": { "count": 2 }')
UNITS = {"": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "B/s": 1, "MB/s": 1e6, "GB/s": 1e9,
         "MiB/s": 2**20, "GiB/s": 2**30, "Mb/s": 1e6 / 8, "Gb/s": 1e9 / 8}


def si(text):
    number, unit = (text + " ").split(" ")[:2]
    return float(number) * UNITS[unit]


def tcp(operation, size, seconds, cores):
    """A record of "probe network" between two hosts: one message of `size` takes `seconds`."""
    return {"subject": "network", "operation": operation, "path": "tcp", "size": size,
            "processes": 1, "depth": 1, "ops": 1 / seconds, "rate": size / seconds, "cores": cores}


class Bindings(unittest.TestCase):
    """Records, calibrate, profile, resolve: each field has the fitted value and names its source."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.profile = os.path.join(self.folder.name, "profile.json")

    def tearDown(self):
        self.folder.cleanup()

    def fields(self, records, scenario):
        """Field -> fit, as the resolved scenario says, which has the values of the profile."""
        made = Run("calibrate", records, "-o", self.profile, "--draws", "20", "--id", "probed")
        self.assertEqual(made.code, 0, made.err)
        self.assertLessEqual(max(map(len, made.out.splitlines())), 80)
        with open(self.profile, encoding="utf-8") as file:
            values = json.load(file)["values"]
        resolved = Run("resolve", "FILE", "--provenance", "--profile", self.profile, text=scenario)
        self.assertEqual(resolved.code, 0, resolved.err)
        found = {}
        for key, text, fit in re.findall(r'"(\w+)": "?([^",]*)"?,?  // profile:probed: fit (\S+)',
                                         resolved.out):
            value = next(v for v in values if v["fit"] == fit and v["field"] not in found
                         and v["field"].split(".")[-1] == key)
            if not value.get("draws"):  # a law, or a border of what was measured
                continue
            self.assertAlmostEqual(si(text) / value["value"], 1, 5)
            self.assertEqual(len(value["draws"]), 20)
            found[value["field"]] = fit
        return found

    def write(self, text):
        path = os.path.join(self.folder.name, "records")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_records_of_the_loader_probe_set_the_loader_and_codecs_and_move_the_prediction(self):
        self.assertEqual(self.fields(os.path.join(DATA, "loader-probe.json"), IMAGES),
                         {"handover": "loader.handover", "receive.rate": "loader.handover",
                          "start": "loader.start.fork", "collate": "loader.worker",
                          "jpeg.rate": "loader.decode.jpeg", "float.rate": "loader.decode.raw"})
        first = []
        for more in ([], ["--profile", self.profile]):
            run = Run("run", "FILE", *more, "--format", "json", text=IMAGES)
            self.assertEqual(run.code, 0, run.err)
            first.append(json.loads(run.out)["metrics"]["job.train.first_batch"])
        self.assertNotAlmostEqual(first[0]["value"], first[1]["value"], 3)
        self.assertGreater(first[1]["ci95"][1], first[1]["ci95"][0])  # draws of the profile

    def test_records_of_the_memory_probe_set_copies_and_checksums(self):
        self.assertEqual(self.fields(os.path.join(DATA, "memory-probe.json"), LUSTRE),
                         {"cpu.copy": "memory.page-cache-read.memfd.one",
                          "cache.copy": "memory.page-cache-read.memfd.one",
                          "pin.rate": "memory.memcpy.one",
                          "client.checksum_rate": "memory.crc32c.sse4.2.one"})

    def test_records_of_the_network_probe_set_the_round_trip_and_the_cost_of_tcp(self):
        records = [tcp("ping-pong", size, 20e-6 + size / 5e9, 0.5) for size in (64, 4096, 65536)]
        records += [tcp("stream", size, 1e-6 + size / 5e9, 2.0) for size in (65536, 2**20, 2**24)]
        text = json.dumps({"schema": "stallcast.measurements/1", "tool": "stallcast probe network",
                           "measurements": records * 2})
        self.assertEqual(self.fields(self.write(text), NFS),
                         {"rtt": "network.ping-pong.tcp.one", "cpu.tcp": "network.stream.tcp.core",
                          "client.connection": "network.stream.tcp.one"})
        with open(self.profile, encoding="utf-8") as file:
            values = {v["field"]: v.get("value") for v in json.load(file)["values"]}
        self.assertAlmostEqual(values["rtt"], 40e-6, 7)  # there and back
        self.assertAlmostEqual(values["client.connection"] / 5e9, 1, 3)
        # of two cores, by the middle one of three sizes: 1 MiB in 210.7 us
        self.assertAlmostEqual(values["cpu.tcp"] / (2**20 / (1e-6 + 2**20 / 5e9) / 2), 1, 5)

    def test_mixes_of_reads_and_writes_set_their_coupling(self):
        records = []
        for size in (4096, 65536, 1048576):
            for depth in (1, 4, 16):
                read = 40e-6 + depth * (10e-6 + size / 4e9)
                write = 60e-6 + depth * (20e-6 + size / 2e9)
                for operation, seconds, share in (("read", read, None), ("write", write, None),
                                                  ("mixed", 1.4 * (read + write) / 2, 0.5)):
                    record = {"subject": "io", "operation": operation, "size": size,
                              "pattern": "random", "depth": depth, "processes": 1,
                              "ops": depth / seconds, "rate": depth * size / seconds}
                    records.append({**record, "read_share": share} if share else record)
        text = json.dumps({"schema": "stallcast.measurements/1", "tool": "stallcast probe io",
                           "measurements": records * 2})
        self.assertEqual(self.fields(self.write(text), MEASURED)["mixed.coupling"], "io.mixed")
        report = Run("calibrate", self.write(text)).out
        self.assertNotIn("io.mixed.random", report)  # mixes alone are not series of their own
        with open(self.profile, encoding="utf-8") as file:
            values = {v["field"]: v.get("value") for v in json.load(file)["values"]}
        self.assertAlmostEqual(values["mixed.coupling"], 1.4, 3)

    def test_results_of_perftest_and_nvbandwidth_set_latency_and_rates(self):
        imported = os.path.join(DATA, "importers")
        bare = LUSTRE.replace(', "use": "host/dgx-h100"', "")
        self.assertEqual(self.fields(os.path.join(imported, "perftest-lat.txt"), LUSTRE),
                         {"rtt": "network.write.one"})
        self.assertEqual(self.fields(os.path.join(imported, "perftest-bw.txt"), bare),
                         {"nic.rate": "network.write.many"})
        self.assertEqual(self.fields(os.path.join(imported, "nvbandwidth.json"), bare),
                         {"gpu.copy": "memory.h2d.ce.one", "nvlink.rate": "memory.d2d.ce.one"})


if __name__ == "__main__":
    program.main()
