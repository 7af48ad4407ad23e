"""What `cmake --install` puts into a folder, and whether it works from there.

Usage: install_test.py STALLCAST CMAKE BUILD [unittest options].
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import program
from server import SCENARIO, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, BUILD = (sys.argv.pop(2) for _ in range(2))


def said(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name, "prefix")
        cls.scenario = pathlib.Path(folder.name, "mine.json")
        cls.scenario.write_text(SCENARIO, encoding="utf-8")
        for component in ("cli", "explorer", "dev", "docs", "python"):
            said(CMAKE, "--install", BUILD, "--prefix", cls.prefix, "--component", component)
        cls.stallcast = cls.prefix / "bin" / "stallcast"
        # Nothing but what was installed may be found.
        cls.env = {"PATH": f"{cls.prefix}/bin:/usr/bin:/bin", "HOME": folder.name, "LC_ALL": "C.UTF-8"}

    def test_the_program_finds_its_simulator(self):
        self.assertIn("GPU utilization", said(self.stallcast, "run", self.scenario, "--draws", "0", env=self.env))
        about = said(self.stallcast, "--version", "-v", env=self.env)
        self.assertIn(f"simulator {self.prefix}/libexec/stallcast/stallcast-sim\n", about)

    def test_the_schema_is_the_same_bytes_wherever_it_is_from(self):
        printed = said(self.stallcast, "schema", env=self.env)
        version = re.search(r'"\$id": "urn:stallcast:schema:scenario:(\d+\.\d+)"', printed)[1]
        release = said(self.stallcast, "--version", env=self.env).split()[1]
        self.assertTrue(release.startswith(version + "."), release)
        self.assertEqual([str(p.relative_to(self.prefix)) for p in self.prefix.glob("share/stallcast/schema/**/*.json")],
                         [f"share/stallcast/schema/{version}/scenario.json"])
        with open(self.prefix / "share/stallcast/schema" / version / "scenario.json", encoding="utf-8") as file:
            self.assertEqual(file.read(), printed)
        with Server() as server:
            for path in ("/v1/schema", "/v1/schema/" + version):
                self.assertEqual(server.get(path).text, printed, path)
            self.assertEqual(server.get("/v1/schema/9.9").status, 404)

    def test_python_finds_the_package_and_the_program(self):
        packages = self.prefix / "lib/python3/dist-packages"
        code = ("import importlib.metadata, stallcast; "
                "print(importlib.metadata.version('stallcast'), stallcast.__version__, stallcast.find_program(), "
                f"stallcast.load({str(self.scenario)!r}).run(draws=0).verdict)")
        installed, version, found, verdict = said(sys.executable, "-B", "-c", code,
                                                  env={**self.env, "PYTHONPATH": str(packages)}).split()
        self.assertEqual((installed, found, verdict), (version, str(self.stallcast), "pass"))
        self.assertEqual(list(packages.rglob("__pycache__")), [])

    def test_a_program_is_built_against_the_library_and_answers(self):
        if program.sanitized():
            self.skipTest("what links a sanitized library is sanitized, too")
        with tempfile.TemporaryDirectory() as folder:
            said(CMAKE, "-S", ROOT / "packaging/example", "-B", folder, f"-DCMAKE_PREFIX_PATH={self.prefix}")
            said(CMAKE, "--build", folder)
            answer = said(pathlib.Path(folder, "ask"), self.scenario,
                          env={**self.env, "STALLCAST_SIM": f"{self.prefix}/libexec/stallcast/stallcast-sim"})
        self.assertRegex(answer, r"\d")

    def test_pages_for_people_are_there(self):
        for path in ("share/man/man1/stallcast.1.gz", "share/man/man1/stallcast-run.1.gz",
                     "share/bash-completion/completions/stallcast", "share/doc/stallcast/README.md",
                     "share/doc/stallcast/docs/guide/install.md", "share/stallcast/ci/install.sh"):
            self.assertTrue((self.prefix / path).is_file(), path)

    def test_nothing_of_the_source_tree_is_named(self):
        for path in self.prefix.glob("share/man/**/*.gz"):
            self.assertNotIn(str(ROOT), said("gzip", "-dc", path))


class RecipesTest(unittest.TestCase):
    """Containers and Spack, as far as a machine without their registries can tell."""

    def test_the_container_file_copies_what_there_is(self):
        text = (ROOT / "packaging/Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
        lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
        self.assertLessEqual({words[0] for words in lines},
                             {"FROM", "COPY", "WORKDIR", "RUN", "USER", "EXPOSE", "ENTRYPOINT", "CMD"})
        self.assertEqual([words[1] for words in lines if words[0] == "FROM"], ["debian:12", "debian:12-slim"])
        self.assertEqual([words for words in lines if words[0] == "USER"], [["USER", "stallcast"]])
        package = next(words for words in lines if words[0] == "COPY" and words[1] == "--from=build")
        self.assertEqual(package[2:], ["/src/build/package/stallcast_*.deb", "/packages/"])

    def test_the_definition_of_apptainer_has_sections_it_knows(self):
        text = (ROOT / "packaging/stallcast.def").read_text(encoding="utf-8")
        self.assertRegex(text, r"(?m)^Bootstrap: docker\nFrom: debian:12-slim$")
        self.assertEqual(re.findall(r"(?m)^%(\w+)", text), ["files", "post", "runscript", "labels", "help"])
        said("bash", "-n", input=re.search(r"(?s)%post\n(.*?)\n%", text)[1])

    def test_the_recipe_of_spack_declares_what_the_build_finds(self):
        text = (ROOT / "packaging/spack/packages/stallcast/package.py").read_text(encoding="utf-8")
        declared = {}
        scope = {"CMakePackage": type("CMakePackage", (), {"define": None, "define_from_variant": None})}
        for name in ("license", "version", "variant", "generator"):
            scope[name] = lambda *a, name=name, **_: declared.setdefault(name, []).append(a[0])
        scope["depends_on"] = lambda spec, **_: declared.setdefault("depends_on", []).append(re.split("[@:]", spec)[0])
        exec(compile(text.replace("from spack.package import *", ""), "package.py", "exec"), scope)
        wanted = re.findall(r"find_package\(([\w-]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        names = {"nlohmann_json": "nlohmann-json", "CLI11": "cli11", "Eigen3": "eigen", "SQLite3": "sqlite",
                 "ZLIB": "zlib-api", "PkgConfig": "pkgconfig", "OpenSSL": "openssl", "Boost": "boost"}
        for package in set(wanted) - {"Threads", "Catch2"}:
            self.assertIn(names.get(package, package), declared["depends_on"])
        self.assertIn(program.Run("--version").out.split()[1], declared["version"])

    def test_the_desktop_entry_and_the_type_of_projects_are_well_formed(self):
        said("xmllint", "--noout", ROOT / "packaging/stallcast.xml", ROOT / "packaging/stallcast-explorer.svg")
        entry = (ROOT / "packaging/stallcast-explorer.desktop").read_text(encoding="utf-8")
        self.assertRegex(entry, r"^\[Desktop Entry\]\n")
        for key in ("Type", "Name", "Exec", "Icon", "Categories", "MimeType"):
            self.assertRegex(entry, rf"(?m)^{key}=.+$")


if __name__ == "__main__":
    program.main()
