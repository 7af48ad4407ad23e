"""The package as it is shipped: types, version, wheel and source archive."""

import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import ROOT, SMALL, Case

import stallcast

PACKAGE = os.path.join(ROOT, "python")


class PackageTest(Case):
    def test_its_version_is_that_of_the_program(self):
        done = subprocess.run([stallcast.find_program(), "--version"], capture_output=True, text=True, check=True)
        self.assertIn(f" {stallcast.__version__} ", done.stdout.replace("-rc", "rc"))

    def test_everything_public_has_a_docstring(self):
        for name in stallcast.__all__:
            thing = getattr(stallcast, name)
            self.assertTrue(thing.__doc__, name)
            for member, value in vars(thing).items() if isinstance(thing, type) else ():
                if callable(value) and not member.startswith("_") and not isinstance(value, type):
                    self.assertTrue(value.__doc__, f"{name}.{member}")

    def test_the_first_example_of_every_page_is_the_same_and_runs(self):
        def first(*path):
            with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
                return re.search(r"```python\n(.*?)```", file.read(), re.S)[1]

        code = first("docs", "guide", "python.md")
        self.assertEqual(first("python", "README.md"), code)
        self.assertEqual(re.sub(r"(?m)^    ", "", stallcast.__doc__.split("::\n\n")[1].split("\n\nThe figures")[0]) + "\n",
                         code)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            with open("mine.json", "w", encoding="utf-8") as file:
                json.dump(SMALL, file)
            if importlib.util.find_spec("pandas") is None:
                code = code.replace(".frame()", ".rows()")
            exec(compile(code, "python.md", "exec"), {})  # pylint: disable=exec-used
            os.chdir("/")

    def test_it_is_typed_to_the_last_function(self):
        mypy = shutil.which("mypy")
        if mypy is None:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([mypy, "--cache-dir", cache, "stallcast"], capture_output=True, text=True, check=False,
                                  cwd=PACKAGE)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_it_builds_as_wheel_and_source_archive_and_is_imported_from_the_wheel(self):
        for module in ("setuptools", "wheel", "build.__main__"):
            try:
                importlib.import_module(module.split(".", maxsplit=1)[0])
                found = importlib.util.find_spec(module)
            except ImportError:
                found = None
            if found is None:
                self.skipTest(module + " is not installed")
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "source")
            shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "tests"))
            made = subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source],
                                  capture_output=True, text=True, check=False, cwd=folder)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            names = sorted(n for n in os.listdir(folder) if n.startswith("stallcast-"))
            self.assertEqual([re.sub(re.escape(stallcast.__version__), "V", n) for n in names],
                             ["stallcast-V-py3-none-any.whl", "stallcast-V.tar.gz"])
            code = ("import stallcast, os; print(stallcast.__file__); "
                    "print(stallcast.init('nfs-baseline').run(draws=0).verdict)")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder,
                                  env={**os.environ, "PYTHONPATH": os.path.join(folder, names[0]),
                                       "STALLCAST": stallcast.find_program()})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(".whl", done.stdout)


if __name__ == "__main__":
    unittest.main()
