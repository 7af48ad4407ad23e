"""The CI kit: workflows that `ci init` writes, the script of the action, and the example.

Usage: ci_test.py PATH_OF_STALLCAST [unittest options]. Runs in the source tree.
"""

import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

import yaml

import program
from check_support import EASY, HARD, Folder

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Init(unittest.TestCase):
    def run_in(self, folder, *args):
        return subprocess.run([program.STALLCAST, "ci", "init", *args], cwd=folder,
                              capture_output=True, text=True, check=False)

    def test_a_workflow_is_written_once_and_replaced_only_by_force(self):
        for system, name, origin in (
                ("github", ".github/workflows/stallcast.yml", "acme/stallcast@v1"),
                ("gitlab", ".gitlab/stallcast.yml", "registry.acme.com:5000/stallcast:1")):
            with tempfile.TemporaryDirectory() as folder:
                done = self.run_in(folder, system, "--from", origin)
                self.assertEqual((done.returncode, done.stdout), (0, name + "\n"), done.stderr)
                text = pathlib.Path(folder, name).read_text(encoding="utf-8")
                self.assertIn(": " + origin + "\n", text)
                self.assertNotIn("@FROM@", text)
                self.assertEqual(self.run_in(folder, system, "--from", origin).returncode, 2)
                done = self.run_in(folder, system, "--from", "b/c@d", "--force")
                self.assertEqual(done.returncode, 0)
                printed = self.run_in(folder, system, "--from", origin, "--output", "-")
                self.assertEqual(printed.stdout, text)

    def test_a_job_of_gitlab_installs_a_release_with_the_script_of_the_action(self):
        text = self.run_in(".", "gitlab", "--from", "https://git.acme.com/releases/download", "--release", "1.2.3",
                           "--output", "-").stdout
        job = yaml.safe_load(text)["stallcast"]
        self.assertEqual(job["image"], "debian:12")
        install, run = job["before_script"][1:]
        script = install.removeprefix("cat >/tmp/install.sh <<'INSTALL'\n").removesuffix("INSTALL\n")
        self.assertEqual(script, (ROOT / "ci" / "install.sh").read_text(encoding="utf-8"))
        self.assertEqual(run, "STALLCAST_VERSION=1.2.3 STALLCAST_RELEASES=https://git.acme.com/releases/download "
                              "bash /tmp/install.sh")
        image = yaml.safe_load(self.run_in(".", "gitlab", "--from", "acme/stallcast:1", "--output", "-").stdout)
        self.assertEqual(image["stallcast"]["script"], job["script"])
        self.assertNotIn("before_script", image["stallcast"])
        own = self.run_in(".", "gitlab", "--from", "https://acme.com/r", "--output", "-").stdout
        version = program.Run("--version").out.split()[1]
        self.assertIn(f"STALLCAST_VERSION={version} ", own)
        self.assertEqual(self.run_in(".", "github", "--from", "https://acme.com/r", "--output", "-").returncode, 2)
        self.assertEqual(self.run_in(".", "gitlab", "--from", "https://acme.com/r", "--release", "1; rm").returncode, 2)

    def test_without_a_place_a_file_that_works_once_that_is_edited(self):
        for system, name, edit in (("github", ".github/workflows/stallcast.yml", "OWNER/REPOSITORY"),
                                   ("gitlab", ".gitlab/stallcast.yml", "https://HOST/OWNER/REPOSITORY/releases")):
            folder = Folder(**{"a": EASY, "site/b": HARD})
            self.addCleanup(folder.cleanup)
            folder.write("package.json", '{ "name": "x" }')
            done = self.run_in(folder.path, system)
            self.assertEqual((done.returncode, done.stdout), (0, name + "\n"), done.stderr)
            self.assertIn(edit, done.stderr)
            text = folder.read(name)
            self.assertIn("# EDIT where jobs get stallcast: \"" + edit, text)
            self.assertNotRegex(text, "@[A-Z]+@")
            job = yaml.safe_load(text)
            # The scenarios that are there, and no other JSON file.
            self.assertIn("a.json site/b.json", text)
            self.assertNotIn("package.json", text)
            if system == "github":
                self.assertEqual(job[True]["pull_request"]["paths"], ["a.json", "site/b.json", "stallcast-policy.json"])
                self.assertRegex(text, r"uses: OWNER/REPOSITORY@v\d")
        with tempfile.TemporaryDirectory() as folder:
            text = self.run_in(folder, "github", "--from", "a/b@v1", "--output", "-").stdout
            self.assertIn("# No scenarios were found here", text)
            self.assertIn("scenarios: designs/**/*.json\n", text)
            self.assertNotIn("EDIT", text)

    def test_an_action_has_an_owner_a_repository_and_a_version(self):
        version = program.Run("--version").out.split()[1]
        for origin, asked in (("acme/stallcast", "acme/stallcast@v" + version),
                              ("acme/stallcast@", "acme/stallcast@v" + version),
                              ("stallcast@v1", "OWNER/REPOSITORY@v" + version), ("acme/@v1", "OWNER/REPOSITORY@v" + version)):
            with tempfile.TemporaryDirectory() as folder:
                done = self.run_in(folder, "github", "--from", origin)
                self.assertEqual((done.returncode, os.listdir(folder)), (2, []), origin)
                self.assertIn("--from " + asked, done.stderr)
        self.assertIn("uses: ./ci", self.run_in(".", "github", "--from", "./ci", "--output", "-").stdout)

    def test_two_without_a_known_system_or_a_plain_origin(self):
        for args in ([], ["jenkins", "--from", "x"], ["github", "--from", "a: b\n"]):
            with tempfile.TemporaryDirectory() as folder:
                done = self.run_in(folder, *args)
                self.assertEqual(done.returncode, 2, args)
                self.assertIn("hint: ", done.stderr)
                self.assertEqual(os.listdir(folder), [])


class Action(unittest.TestCase):
    def check(self, folder, **env):
        done = subprocess.run(["bash", str(ROOT / "ci" / "check.sh")], cwd=folder.path, text=True,
                              env={**os.environ, "STALLCAST": program.STALLCAST,
                                   "STALLCAST_ARGS": "--no-advice", **env},
                              capture_output=True, check=False)
        return done

    def test_the_script_leaves_all_reports_and_the_exit_code(self):
        folder = Folder(**{"designs/a": EASY, "designs/deep/b": HARD})
        self.addCleanup(folder.cleanup)
        done = self.check(folder, STALLCAST_SCENARIOS="designs/**/*.json", GITHUB_ACTIONS="true",
                          GITHUB_OUTPUT=os.path.join(folder.path, "output"), GITHUB_STEP_SUMMARY="")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("::error file=designs/deep/b.json,", done.stdout)
        self.assertEqual(folder.read("output"), "exit-code=1\nreports=stallcast-reports\n")
        self.assertEqual(sorted(os.listdir(os.path.join(folder.path, "stallcast-reports"))),
                         ["check.html", "check.json", "code-quality.json", "comment.md",
                          "junit.xml", "stallcast.sarif"])

    def test_the_script_takes_a_baseline_and_a_policy_and_refuses_nothing(self):
        folder = Folder(a=EASY)
        self.addCleanup(folder.cleanup)
        folder.check("a.json", "--baseline", "base file.json", "--update-baseline")
        folder.write("p.json", '{ "expect": [ { "that": "job.*.goodput >= 99.9 %" } ] }')
        done = self.check(folder, STALLCAST_SCENARIOS="a.json", STALLCAST_POLICY="p.json",
                          STALLCAST_BASELINE="base file.json", GITHUB_ACTIONS="")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.check(folder, STALLCAST_SCENARIOS="no/*.json").returncode, 2)

    def test_no_input_of_the_action_becomes_part_of_a_script(self):
        text = (ROOT / "action.yml").read_text(encoding="utf-8")
        for step in yaml.safe_load(text)["runs"]["steps"]:
            self.assertNotIn("${{", step["run"])
        names = set(re.findall(r"inputs\.([a-z]+)", text))
        declared = re.search(r"(?ms)^inputs:\n(.*?)^outputs:", text)[1]
        self.assertEqual(names, set(re.findall(r"(?m)^  ([a-z]+):$", declared)))


class Release(unittest.TestCase):
    """ci/install.sh against a folder of releases, with a package that holds a program of two lines."""

    VERSION = "7.8.9"

    @classmethod
    def setUpClass(cls):
        if shutil.which("dpkg-deb") is None or shutil.which("curl") is None:
            raise unittest.SkipTest("dpkg-deb or curl is not installed")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.releases = pathlib.Path(folder.name, "download")
        cls.release = cls.releases / f"v{cls.VERSION}"
        cls.release.mkdir(parents=True)
        tree = pathlib.Path(folder.name, "tree")
        (tree / "usr/bin").mkdir(parents=True)
        (tree / "usr/bin/stallcast").write_text(f"#!/bin/sh\necho stallcast {cls.VERSION} '(0123456789ab)'\n",
                                                encoding="utf-8")
        (tree / "usr/bin/stallcast").chmod(0o755)
        (tree / "DEBIAN").mkdir()
        machine = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        (tree / "DEBIAN/control").write_text(
            f"Package: stallcast\nVersion: {cls.VERSION}-0deb12\nArchitecture: {machine}\n"
            "Maintainer: nobody <nobody@example.com>\nDescription: none\n", encoding="utf-8")
        cls.package = cls.release / f"stallcast_{cls.VERSION}_{machine}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, cls.package], check=True,
                       capture_output=True)
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder.name)
        handler.func.log_message = lambda *_: None
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.sums(hashlib.sha256(self.package.read_bytes()).hexdigest())
        # A checkout whose build is a word, and an apt-get that unpacks.
        (self.folder / "source").mkdir()
        self.program("source/stallcast.sh", 'echo "built by $*" >&2')
        self.program("bin/apt-get", 'for last; do :; done; case "$*" in\n'
                     f'*" update") ;;\n*" install "*) dpkg-deb -x "$last" "{self.folder}/root" ;;\n*) exit 9 ;; esac')
        self.program("bin/sudo", 'shift; exec "$@"')

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def sums(self, digest, name=None):
        (self.release / "SHA256SUMS").write_text(f"{'0' * 64}  another.deb\n{digest}  {name or self.package.name}\n",
                                                 encoding="utf-8")

    def install(self, **env):
        env = {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "GITHUB_PATH": str(self.folder / "path"),
               "STALLCAST_VERSION": self.VERSION, "STALLCAST_SOURCE": str(self.folder / "source"),
               "STALLCAST_RELEASES": f"http://127.0.0.1:{self.server.server_port}/download", **env}
        return subprocess.run(["bash", str(ROOT / "ci" / "install.sh")], cwd=self.folder, text=True, env=env,
                              capture_output=True, check=False)

    def added(self):
        path = self.folder / "path"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def test_the_package_of_a_release_is_installed_by_http_and_from_a_folder(self):
        for releases in (f"http://127.0.0.1:{self.server.server_port}/download", f"file://{self.releases}/"):
            done = self.install(STALLCAST_RELEASES=releases)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("release 7.8.9", done.stderr)
            self.assertNotIn("built", done.stderr)
            installed = self.folder / "root/usr/bin/stallcast"
            self.assertTrue(installed.exists())
            shutil.rmtree(self.folder / "root")
        self.assertEqual(self.added(), [])

    def test_it_is_unpacked_into_a_folder_without_root(self):
        done = self.install(STALLCAST_PREFIX=str(self.folder / "prefix"), STALLCAST_VERSION="v7.8.9",
                            STALLCAST_SOURCE="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.added(), [str(self.folder / "prefix/usr/bin")])
        self.assertFalse((self.folder / "root").exists())
        # The next time it is there, whoever serves it.
        done = self.install(PATH=f"{self.folder}/prefix/usr/bin:/usr/bin:/bin", STALLCAST_RELEASES="file:///nowhere")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_package_with_another_checksum_is_refused_and_nothing_is_built_instead(self):
        self.sums("1" * 64)
        for prefix in ("", str(self.folder / "prefix")):
            done = self.install(STALLCAST_PREFIX=prefix)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is not what the SHA256SUMS", done.stderr)
            self.assertNotIn("built", done.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["bin", "source"])

    def test_without_such_a_release_it_is_built(self):
        for env in ({"STALLCAST_VERSION": "7.8.10"}, {"STALLCAST_VERSION": ""}, {"STALLCAST_RELEASES": ""},
                    {"STALLCAST_RELEASES": "file:///nowhere"}):
            done = self.install(**env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("built by build", done.stderr)
            self.assertEqual(self.added()[-1:], [str(self.folder / "source/build/release/bin")])
        self.sums("1" * 64, "stallcast_7.8.9_pdp11.deb")
        self.assertIn("built by build", self.install().stderr)
        self.assertEqual(self.install(STALLCAST_SOURCE="").returncode, 2)

    def test_a_listed_package_that_is_not_there_is_a_fault(self):
        self.sums("1" * 64)
        moved = self.package.rename(self.package.with_suffix(".away"))
        try:
            done = self.install()
        finally:
            moved.rename(self.package)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be fetched", done.stderr)

    def test_what_is_no_version_never_becomes_part_of_an_address(self):
        for version in ("../../etc", "1.0.0;id", "1.0", "latest", "1.0.0/x"):
            done = self.install(STALLCAST_VERSION=version)
            self.assertEqual(done.returncode, 2, version)
            self.assertIn("is not a version", done.stderr)

    def test_another_version_on_the_path_gives_way_to_the_release(self):
        self.program("bin/stallcast", "echo stallcast 7.0.0")
        self.assertIn("release 7.8.9", self.install().stderr)
        done = self.install(STALLCAST_VERSION="")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_hook_of_pre_commit_unpacks_the_release_once(self):
        (self.folder / "x.json").write_text("{}", encoding="utf-8")
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "STALLCAST_VERSION": self.VERSION,
               "STALLCAST_RELEASES": f"file://{self.releases}"}
        for said in ("stallcast: release 7.8.9", ""):
            done = subprocess.run(["bash", str(ROOT / "ci" / "lint.sh"), "x.json"], cwd=self.folder, text=True, env=env,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "stallcast 7.8.9 (0123456789ab)\n"), done.stderr)
            self.assertIn(said, done.stderr)
        self.assertEqual(done.stderr, "")
        hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
        self.assertEqual((hook["entry"], hook["language"]), ("ci/lint.sh", "script"))


class Example(unittest.TestCase):
    """examples/ci-regression: what is there passes, what is planted is caught."""

    ARGS = ["check", "designs/llm.json", "designs/vision.json", "--policy", "policy.json",
            "--baseline", "baseline.json", "--no-advice", "--report", "json"]

    def run_example(self, folder, *args):
        done = subprocess.run([program.STALLCAST, *self.ARGS, *args], cwd=folder, text=True,
                              capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout)

    def test_it_passes_as_it_is(self):
        code, report = self.run_example(ROOT / "examples" / "ci-regression")
        self.assertEqual(code, 0, report)
        self.assertEqual(report["stale"], [])
        states = {a["baseline"]["state"] for s in report["scenarios"] for a in s["assertions"]}
        self.assertEqual(states, {"unchanged"})

    def test_every_planted_change_is_caught(self):
        for old, new, file, assertion in (
                ('"count": 10', '"count": 8', "common", "stall"),
                ('"nic": "400 Gb/s"', '"nic": "200 Gb/s"', "common", "stall"),
                ('"every": "30 min"', '"every": "5 min"', "llm", "overhead")):
            with tempfile.TemporaryDirectory() as copy:
                folder = pathlib.Path(copy, "example")
                shutil.copytree(ROOT / "examples" / "ci-regression", folder)
                path = folder / "designs" / (file + ".json")
                text = path.read_text(encoding="utf-8")
                self.assertIn(old, text)
                path.write_text(text.replace(old, new), encoding="utf-8")
                code, report = self.run_example(folder)
                self.assertEqual(code, 1, new)
                worse = {(s["id"], a["id"]) for s in report["scenarios"] for a in s["assertions"]
                         if a["status"] == "fail" and a["baseline"]["regression"]}
                self.assertIn(("llm", assertion), worse)


if __name__ == "__main__":
    program.main()
