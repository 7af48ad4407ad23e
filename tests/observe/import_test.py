#!/usr/bin/env python3
"""`stallcast import` of traces, as a process: its totals are those of an independent count (count_trace.py) of
generated traces (bench/observe/make_traces.py), packed or not, and its answers to what it cannot read.

    import_test.py STALLCAST REPO
"""

import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

STALLCAST, REPO = sys.argv[1], sys.argv[2]
sys.path[:0] = [os.path.join(REPO, "tests", "observe")]
import count_trace  # noqa: E402

MAKE = os.path.join(REPO, "bench", "observe", "make_traces.py")
FORMAT_OF = {"kineto-base": "kineto", "kineto-whole": "kineto", "dftracer-texts": "dftracer",
             "dftracer-numbered": "dftracer", "darshan-dxt-old": "darshan-dxt", "iolog-2": "iolog"}
KINDS = ["chakra", "darshan-dxt", "dftracer", "dlio-output", "iolog", "kineto", "strace", *FORMAT_OF]


def make(kind, seed=1, size=3e5):
    return subprocess.run([sys.executable, MAKE, kind, "--bytes", str(size), "--seed", str(seed)], check=True,
                          stdout=subprocess.PIPE).stdout


def run(*args):
    return subprocess.run([STALLCAST, "import", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def totals(o):
    """What count_trace.py prints, of an observation."""
    reading, writing, steps = o.get("reading", {}), o.get("writing", {}), o.get("steps", {})
    devices, inputs = o.get("devices", {}), o["source"]["inputs"]

    def total(name):
        spread = steps.get(name, {})
        return spread.get("mean", 0) * spread.get("count", 0)

    return {"records": sum(i["records"] for i in inputs), "repeated": sum(i.get("repeated", 0) for i in inputs),
            "reads": reading.get("operations", 0), "read_bytes": reading.get("bytes", 0),
            "writes": writing.get("operations", 0), "written_bytes": writing.get("bytes", 0),
            "steps": steps.get("count", 0), "step_s": total("duration"), "wait_s": total("wait"),
            "kernels": devices.get("kernels", 0), "kernel_s": devices.get("kernel_time", 0),
            "collectives": sum(c["count"] for c in o.get("collectives", [])),
            "other": {m["operation"]: m["count"] for m in o.get("metadata", [])}}


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, data):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def observation(self, *args):
        done = run(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_totals_are_those_of_an_independent_count(self):
        for kind in KINDS:
            for seed in (1, 2):
                path = self.write(f"{kind}.{seed}", make(kind, seed))
                form = FORMAT_OF.get(kind, kind)
                found, wanted = totals(self.observation(form, path)), count_trace.count(form, path)
                for key, value in wanted.items():
                    with self.subTest(kind=kind, seed=seed, key=key):
                        if isinstance(value, float):
                            self.assertAlmostEqual(found[key], value, delta=1e-9 * max(abs(value), 1))
                        else:
                            self.assertEqual(found[key], value)
                with self.subTest(kind=kind, seed=seed):
                    self.assertGreater(sum(v for v in wanted.values() if not isinstance(v, dict)), 0)

    def test_packed_files_and_formats_that_are_left_out_give_the_same(self):
        for kind in KINDS:
            data = make(kind, 3, 5e4)
            plain = self.observation(self.write("plain", data))
            # Two members one behind the other, as tracers write blocks.
            half = len(data) // 2
            packed = self.observation(FORMAT_OF.get(kind, kind),
                                      self.write("packed", gzip.compress(data[:half]) + gzip.compress(data[half:])))
            for o in (plain, packed):
                del o["source"]["inputs"]
            with self.subTest(kind=kind):
                self.assertEqual(plain, packed)

    def test_several_files_are_one_job(self):
        for form in ("kineto", "strace", "iolog", "chakra", "dlio-output"):
            one, two = (self.write(f"{n}_output.json", make(form, n, 3e4)) for n in (1, 2))
            apart = [totals(self.observation(form, path)) for path in (one, two)]
            both = self.observation(form, one, two)
            with self.subTest(form=form):
                found = totals(both)
                for key in ("records", "reads", "read_bytes", "steps", "collectives"):
                    self.assertEqual(found[key], apart[0][key] + apart[1][key], key)
                self.assertEqual(len(both["source"]["inputs"]), 2)

    def test_a_cut_file_gives_what_it_holds_and_says_so(self):
        for kind in KINDS:
            data = make(kind, 1, 5e4)
            for name, part in (("text", data[:len(data) * 2 // 3]), ("gzip", gzip.compress(data)[:-800])):
                path = self.write(name, part)
                done = run(FORMAT_OF.get(kind, kind), path)
                with self.subTest(kind=kind, name=name):
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("warning", done.stderr)
                    self.assertIn("the trace is cut", done.stderr)
                    source = json.loads(done.stdout)["source"]["inputs"][0]
                    self.assertFalse(source["complete"])
                    self.assertTrue(source["cut"])
                    self.assertGreater(source["records"], 0)

    def test_names_are_hashed_unless_they_are_wanted(self):
        path = self.write("job.strace", make("strace"))
        hashed = run("strace", path)
        self.assertNotIn("img_", hashed.stdout)
        self.assertIn(".npz", hashed.stdout)
        kept = json.loads(run("strace", path, "--names").stdout)
        self.assertTrue(all(f["name"].startswith("/data/img_") for f in kept["files"]["largest"]))
        host = self.write("job.pfw", make("dftracer"))
        self.assertNotIn("node1", run("dftracer", host).stdout)
        self.assertIn("node1", run("dftracer", host, "--names").stdout)

    def test_what_is_no_trace_is_refused_with_what_to_do(self):
        darshan = self.write("log.darshan", b"3.41\0\0\0\0" + b"75d\0\0\0\0\0" + b"\1" * 400)
        tar = self.write("a.tar", b"name\0" + b"0" * 252 + b"ustar\x0000" + b"\0" * 600)
        packed = self.write("a.zst", b"\x28\xb5\x2f\xfd" + b"\0" * 100)
        empty = self.write("empty", b"")
        words = self.write("words.txt", b"no trace at all\n" * 30)
        since_the_line_before = self.write("strace-r", b'7     0.000100 read(3, "", 10) = 10 <0.000050>\n' * 3)
        for args, message in (((darshan,), "darshan-dxt-parser"), (("darshan-dxt", darshan), "darshan-dxt-parser"),
                              ((tar,), "tar archive"), ((packed,), "zstd -d"), (("kineto", packed), "zstd -d"),
                              (("kineto", empty), "kineto"), (("strace", words), "no record"),
                              (("strace", since_the_line_before), "this reads strace -f -ttt -T"),
                              ((words,), "does not tell its format"), (("kinteo", words), 'did you mean "kineto"'),
                              ((words,), "formats: chakra, "), (("kinteo", words), "formats: chakra, "),
                              ((), "FORMAT or FILE is missing"), ((), "terraform"),
                              (("fio", self.write("job.fio", b"[a]\nrw=read\n")), "stallcast import fio-job "),
                              (("kineto",), "FILE is missing"), (("kineto", "/nowhere"), "cannot read"),
                              (("fio", words, words), "takes one file"),
                              (("iolog", self.write("k", make("kineto", 1, 2000))), "not an iolog")):
            done = run(*args)
            with self.subTest(args=args):
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_files_that_become_scenarios_are_recognised(self):
        for form, text in (("fio-job", "; a load\n[a]\nrw=read\n"), ("slurm", "NodeName=n1 CPUTot=4 RealMemory=8000\n"),
                           ("huggingface", '{ "model_type": "gpt2", "n_embd": 768, "n_layer": 12, "vocab_size": 50257 }')):
            path = self.write("given", text.encode())
            done, named = run(path), run(form, path)
            self.assertEqual((done.returncode, done.stdout), (0, named.stdout), done.stderr)
            self.assertIn("a placeholder", done.stderr)

    def test_a_row_that_cannot_be_is_an_error_with_its_place(self):
        dxt = make("darshan-dxt", 1, 2e4).decode().splitlines(True)
        row = next(i for i, line in enumerate(dxt) if " X_POSIX" in line)
        dxt[row] = dxt[row].replace("write", "wrote")
        done = run("darshan-dxt", self.write("dxt", "".join(dxt).encode()))
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"dxt:{row + 1}:", done.stderr)
        pfw = make("dftracer", 1, 2e4).decode().splitlines(True)
        pfw[90] = pfw[90][:40] + "\n"
        done = run("dftracer", self.write("pfw", "".join(pfw).encode()))
        self.assertEqual(done.returncode, 2)
        self.assertIn("pfw:91:", done.stderr)
        self.assertIn("not a row of DFTracer", done.stderr)

    def test_the_configuration_beside_results_of_dlio_gives_the_loader_and_the_samples(self):
        self.write("0_output.json", make("dlio-output", 0, 3e4))
        config = ("workload:\n  dataset: {num_files_train: 84, num_samples_per_file: 2, record_length_bytes: 1000,\n"
                  "            record_length_bytes_stdev: 0, data_folder: '${oc.env:HOME}'}\n"
                  "  reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, prefetch_size: 6, file_shuffle: seed}\n"
                  "  train: {epochs: 3}\n")
        alone = config.replace("workload:\n", "")  # as DLIO's own files of workloads have it
        for place, text in ((".hydra", config), ("dlio_config", config), (".hydra", alone)):
            os.mkdir(os.path.join(self.folder.name, place))
            self.write(os.path.join(place, "config.yaml"), text.encode())
            observation = self.observation("dlio-output", self.folder.name)
            loader, samples = observation["loader"], observation["samples"]
            self.assertEqual((loader["kind"], loader["workers"], loader["batch"], loader["prefetch"],
                              loader["sampler"], loader["persistent"]),
                             ("pytorch-workers", 4, 7, 2, "RandomSampler", True))  # 6 batches of 4 workers: 2 each
            self.assertEqual((samples["count"], samples["bytes"]["mean"], samples["files"]["mean"]), (504, 1000, 0.5))
            self.assertEqual(observation["figures"]["dataset_samples"], 168)
            shutil.rmtree(os.path.join(self.folder.name, place))

    def test_samples_of_a_configuration_are_those_of_import_dlio(self):
        # sqrt(s^2 / 2 + (s^2 / 4 L)^2) of L = 146600628 and s = 68341808 (docs/models/formats.md, equation 2).
        self.write("0_output.json", make("dlio-output", 0, 3e4))
        os.mkdir(os.path.join(self.folder.name, ".hydra"))
        for said, size, spread in (
                ("record_length: 146600628, record_length_stdev: 68341808", 146600628, 48976934),
                ("record_length_bytes: 146600628, record_length_bytes_stdev: 68341808", 146600628, 48976934),
                ("record_dims: [1024, 512], record_element_type: float32", 1024 * 512 * 4, 0)):
            config = (f"workload:\n  dataset: {{num_files_train: 84, format: tfrecord, {said}}}\n"
                      "  reader: {data_loader: tensorflow, read_threads: 4, prefetch_size: 0}\n"
                      "  train: {computation_time: 1.3}\n")
            path = self.write(".hydra/config.yaml", config.encode())
            observation = self.observation("dlio-output", self.folder.name)
            bytes_ = observation["samples"]["bytes"]
            self.assertEqual(bytes_["mean"], size)
            self.assertAlmostEqual(statistics.stdev(bytes_["sample"]), spread, delta=1)
            done = subprocess.run([STALLCAST, "import", "dlio", path], capture_output=True, text=True, check=True)
            job = json.loads(done.stdout)["jobs"][0]
            self.assertEqual(job["dataset"].get("sample_stdev", "0 B"), f"{spread} B")
            self.assertEqual(observation["loader"]["prefetch"], job["loader"]["prefetch"])

    def test_a_configuration_of_dlio_that_cannot_be_read_leaves_the_results(self):
        self.write("0_output.json", make("dlio-output", 0, 3e4))
        os.mkdir(os.path.join(self.folder.name, ".hydra"))
        for text in (b"workload: {a: [", b"- 1\n", b"", b"\x00\xff", b"a: &a [*a, *a]\n"):
            self.write(".hydra/config.yaml", text)
            observation = self.observation("dlio-output", self.folder.name)
            self.assertGreater(observation["steps"]["count"], 0)
            self.assertNotIn("samples", observation)

    def test_standard_input_is_named_as_a_file(self):
        for words in (["dlio", "-"], ["-"], ["strace", "-"]):
            done = subprocess.run([STALLCAST, "import", *words], input=b"", capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(b"import reads files, not standard input", done.stderr)

    def test_a_pipe_is_read_once_so_that_its_format_has_to_be_named(self):
        text = make("strace", 1, 3e5)
        for format, code in (("strace", 0), (None, 2)):
            done = subprocess.run([STALLCAST, "import", *([format] if format else []), "/dev/stdin"], input=text,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            if code == 0:
                whole = self.observation("strace", self.write("s", text))
                self.assertEqual(totals(json.loads(done.stdout)), totals(whole))
            else:
                self.assertIn(b"name it: stallcast import FORMAT /dev/stdin", done.stderr)

    def test_other_encodings_of_text_are_read_or_named(self):
        for kind in ("darshan-dxt", "dftracer", "dlio-output", "iolog", "kineto", "strace"):
            text = make(kind, 1, 3e4)
            plain = totals(self.observation(kind, self.write("plain", text)))
            self.assertEqual(totals(self.observation(kind, self.write("marked", b"\xef\xbb\xbf" + text))), plain)
            self.assertEqual(self.observation(self.write("marked", b"\xef\xbb\xbf" + text))["source"]["format"], kind)
            for data, why in ((text.decode().encode("utf-16"), "UTF-16"), (gzip.compress(gzip.compress(text)), "twice")):
                done = run(kind, self.write("odd", data))
                self.assertEqual(done.returncode, 2)
                self.assertIn(why, done.stderr)
                self.assertIn("then import that", done.stderr)

    def test_a_folder_of_dlio_is_one_job(self):
        for rank in (0, 1):
            self.write(f"{rank}_output.json", make("dlio-output", rank, 3e4))
        self.write("summary.json", json.dumps({
            "start": "2023-04-04T16:33:42.5", "end": "2023-04-04T16:35:55.25", "num_accelerators": 2, "num_hosts": 1,
            "host_memory_GB": [64.0], "host_cpu_count": [48], "metric": {"train_au_mean_percentage": 97.5}}).encode())
        self.write("per_epoch_stats.json", json.dumps({
            "1": {"start": "x", "block1": {"duration": "32.86"}, "ckpt1": {"start": "x", "duration": "5.25"}}}).encode())
        self.write("dlio.log", b"no JSON")
        for args in (("dlio-output", self.folder.name), (self.folder.name,)):
            o = self.observation(*args)
            self.assertEqual([p["rank"] for p in o["processes"]], [0, 1])
            self.assertEqual(o["ranks"], 2)
            self.assertEqual(o["host"], {"hosts": 1, "hardware_threads": 48, "memory": 64 * 2**30})
            # Both compute 0.25 s a step and wait for data: the slower ends it, and the other waits.
            self.assertEqual(set(o["figures"]), {"au_ratio", "step_others_s"})
            self.assertEqual(o["figures"]["au_ratio"], 0.975)
            slower = [max(pair) for pair in zip(*(
                [step for epoch, lists in steps.items() if epoch.isdigit() for step in lists["proc"]["block1"]]
                for steps in (json.loads(make("dlio-output", rank, 3e4)) for rank in (0, 1))))]
            self.assertAlmostEqual(o["steps"]["duration"]["mean"], statistics.mean(slower), delta=1e-9)
            self.assertAlmostEqual(o["figures"]["step_others_s"],
                                   statistics.mean(slower) - o["steps"]["wait"]["mean"] - 0.25, delta=1e-9)
            self.assertAlmostEqual(o["wall"], 132.75)
            self.assertEqual(o["saves"]["count"], 1)
            self.assertEqual(o["saves"]["duration"]["mean"], 5.25)
            self.assertEqual(len(o["source"]["inputs"]), 4)

    def test_the_benchmark_of_reading_runs(self):
        done = subprocess.run([sys.executable, os.path.join(REPO, "bench", "observe", "import_speed.py"), STALLCAST,
                               "--bytes", "2e4"], check=True, stdout=subprocess.PIPE, text=True)
        self.assertEqual(len(done.stdout.splitlines()), 2 + 7)

    def test_fields_are_a_summary_for_people(self):
        done = run(self.write("trace", make("kineto")), "--fields")
        self.assertEqual(done.returncode, 0)
        self.assertIn("steps           20, marked by ProfilerStep#", done.stdout)
        self.assertIn("Not told by this source", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
