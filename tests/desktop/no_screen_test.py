"""The explorer on a machine without a screen.

Usage: no_screen_test.py PATH_OF_EXPLORER
"""

import os
import subprocess
import sys
import unittest

EXPLORER = sys.argv.pop(1)


def run(*args, **environment):
    bare = {k: v for k, v in os.environ.items()
            if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return subprocess.run([EXPLORER, *args], env={**bare, **environment}, capture_output=True,
                          text=True, timeout=30, check=False)


class NoScreen(unittest.TestCase):
    def test_help_and_version_are_zero(self):
        for option, said in (("--help", "--script"), ("-h", "--script"), ("--version", "explorer")):
            done = run(option)
            self.assertEqual(done.returncode, 0, done.stderr)  # Qt may miss XDG_RUNTIME_DIR
            self.assertIn(said, done.stdout)

    def test_a_window_is_refused_with_a_hint(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("no screen", done.stderr)
        self.assertIn("hint: ", done.stderr)

    def test_an_unknown_option_is_bad_usage(self):
        done = run("--bogus", QT_QPA_PLATFORM="offscreen")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bogus", done.stderr)
        self.assertIn("hint: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
