"""`stallcast probe` as a user sees it: exit codes, what is left behind."""

import os
import pty
import re
import signal
import subprocess
import tempfile
import unittest

import program
from program import Run


class Probe(unittest.TestCase):
    def test_a_missing_folder_is_two_with_a_hint(self):
        run = Run("probe", "io", "--target", "nowhere")
        self.assertEqual(run.code, 2)
        self.assertIn('there is no folder "nowhere"', run.err)
        self.assertIn("hint:", run.err)

    def test_a_probe_without_a_target_is_two(self):
        self.assertEqual(Run("probe", "metadata").code, 2)

    def test_only_the_network_probe_has_another_end(self):
        for kind in ("memory", "all"):
            run = Run("probe", kind, "--target", ".", "--peer", "other:7411")
            self.assertEqual(run.code, 2, run.out)
            self.assertIn("--peer belongs to the network probe", run.err)

    def test_an_unknown_probe_names_the_nearest(self):
        run = Run("probe", "meta-data", "--target", ".")
        self.assertEqual(run.code, 2)
        self.assertIn('did you mean "metadata"?', run.err)
        run = Run("probe", "foo", "--target", ".")
        self.assertIn("known: all, gds, io, loader, memory, metadata, network", run.err)

    def test_all_probes_write_a_file_each_within_their_time(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run("probe", "all", "--target", folder, "--budget", "10s", "-o", folder + "/probes")
            self.assertEqual(run.code, 0, run.err)
            self.assertIn("next: stallcast calibrate", run.out)
            files = set(os.listdir(folder + "/probes"))
            for name in ("io", "loader", "memory", "metadata"):  # no PyTorch, or no O_DIRECT, is said
                refused = re.search(f"^{name} +not measured: ", run.out, re.M) is not None
                self.assertNotEqual(name + ".json" in files, refused, run.out)
            self.assertLessEqual({"memory.json", "metadata.json"}, files)
            self.assertEqual(sorted(os.listdir(folder)), ["probes"])

    def test_a_budget_is_a_time_and_excludes_depths(self):
        for args in (["--budget", "3"], ["--budget", "1s"], ["--budget", "1min", "--quick"]):
            with self.subTest(args=args):
                self.assertEqual(Run("probe", "memory", *args).code, 2)
        self.assertEqual(Run("probe", "network", "--budget", "1min").code, 2)
        run = Run("probe", "all", "--target", ".")
        self.assertEqual(run.code, 2)
        self.assertIn("--output DIR", run.err)

    def test_an_output_that_cannot_be_written_is_said_before_the_measurement(self):
        run = Run("probe", "metadata", "--target", ".", "-o", "nowhere/out.json")
        self.assertEqual((run.code, run.left), (2, []))
        self.assertIn("cannot write", run.err)

    def test_a_device_is_refused(self):
        run = Run("probe", "io", "--target", "/dev/null")
        self.assertEqual(run.code, 2)
        self.assertIn("--allow-device", run.err)

    def test_buffers_are_a_choice_of_the_io_probe_and_of_calibrate(self):
        for verb, why in ((("probe", "io", "--target", ".", "--buffers", "tiny"), 'no buffers "tiny"'),
                          (("probe", "metadata", "--target", ".", "--buffers", "small"), "no choice"),
                          (("calibrate", "nothing.json", "--buffers", "tiny"), 'no buffers "tiny"')):
            run = Run(*verb)
            self.assertEqual(run.code, 2)
            self.assertIn(why, run.err)

    def test_an_interrupted_probe_leaves_nothing_and_ends_with_the_signals_code(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with tempfile.TemporaryDirectory() as folder:
                main, side = pty.openpty()
                process = subprocess.Popen([program.STALLCAST, "probe", "metadata", "--target", ".",
                                            "--quick", "--space", "64MiB", "-o", "out.json"],
                                           stdout=subprocess.PIPE, stderr=side, cwd=folder,
                                           env={**os.environ, "TERM": "xterm"})
                os.close(side)
                bar = b""
                while not re.search(rb"files of", bar):
                    bar += os.read(main, 4096)
                process.send_signal(number)
                process.communicate(timeout=program.patience(60))
                os.close(main)
                self.assertEqual(process.returncode, code)
                self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    program.main()
