"""A call of the program in folders of its own, and what there is of it before and after."""

import collections
import contextlib
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

import jobs as table

MARK = "STALLCAST_FAULTS_POINT"
NO_END = -1000  # in place of an exit code
WRITES = "openat,write,pwrite64,fsync,fdatasync,ftruncate,rename,unlink,close"


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def listing(folder):
    """Content by name of all files below `folder`; of git's own, nothing."""
    out = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in files:
            path = os.path.join(place, name)
            out[os.path.relpath(path, folder)] = content(path)
    return out


def processes(mark):
    """Who was started by the call with this mark and still runs."""
    out = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/environ", "rb") as file:
                ours = f"{MARK}={mark}".encode() in file.read().split(b"\0")
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                state = file.read().rpartition(")")[2].split()[0]
            if ours and state not in "ZX":
                out.append(int(pid))
    return out


def workers(mark):
    out = []
    for pid in processes(mark):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                if file.read().startswith("stallcast-sim"):
                    out.append(pid)
    return out


class Place:
    """Folders of one call: what it works on, and for temporary files."""

    def __init__(self, root):
        self.root = tempfile.mkdtemp(dir=root)
        self.folder, self.temporary, self.home = (os.path.join(self.root, name) for name in ("work", "tmp", "home"))
        for path in (self.folder, self.temporary, self.home):
            os.mkdir(path, 0o700)
        self.mark = uuid.uuid4().hex
        self.mounted = []

    def remove(self):
        for path in reversed(self.mounted):
            subprocess.run(["umount", "-l", path], check=False, capture_output=True)
        shutil.rmtree(self.root, ignore_errors=True)

    def mount(self, path, *options):
        subprocess.run(["mount", *options, path], check=True, capture_output=True)
        if path not in self.mounted:
            self.mounted.append(path)


@dataclasses.dataclass
class Reference:
    """A call without a fault."""
    code: int
    seconds: float
    before: dict
    after: dict
    calls: list  # system calls that write, each a name and which of that name it is


class Lab:
    def __init__(self, stallcast, root):
        self.stallcast, self.root = stallcast, root
        self.can_mount = os.environ.get("STALLCAST_FAULTS_MOUNTS") == "1"
        self.strace = shutil.which("strace") if subprocess.run(
            ["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0 else None
        self.references = {}

    def program(self, job):
        return os.path.join(os.path.dirname(self.stallcast), job.program)

    def environment(self, job, place, **more):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("SLURM_", "STALLCAST_", "GITHUB_", "PARALLEL_"))}
        return {**env, "TMPDIR": place.temporary, "HOME": place.home, "QT_QPA_PLATFORM": "offscreen",
                "XDG_RUNTIME_DIR": place.home, MARK: place.mark, **job.env, **more}

    def fill(self, job, folder, with_old, env):
        for name, text in table.INPUTS.items():
            if os.path.isabs(text) or text.startswith(os.path.dirname(table.__file__)):
                text = content(text).decode()
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for args in job.before:
            words = args if args[0] == "git" else [self.stallcast, *args]
            subprocess.run(words, cwd=folder, env=env, check=False, capture_output=True)
        for name in job.products:
            old = job.old.get(name, "old\n")
            if with_old and isinstance(old, str):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(old)

    def start(self, job, place, words=(), env=None, limits=None):
        return subprocess.Popen([*words, self.program(job), *job.args], cwd=place.folder,
                                env=self.environment(job, place, **(env or {})), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                preexec_fn=limits)

    def end(self, job, process, seconds=120 * float(os.environ.get("STALLCAST_TEST_PATIENCE", "1"))):
        """Its exit code and what it said. A service is told to end."""
        if job.name == "serve" and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return NO_END, "does not end"
        return process.returncode, (out + err).decode(errors="replace")

    def reference(self, job, with_old):
        key = (job.name, with_old)
        if key in self.references:
            return self.references[key]
        place = Place(self.root)
        try:
            self.fill(job, place.folder, with_old, self.environment(job, place))
            before = listing(place.folder)
            if job.seconds and job.name != "serve":  # a probe takes minutes
                self.references[key] = Reference(0, job.seconds, before, before, [])
                return self.references[key]
            began = time.monotonic()
            process = self.start(job, place)
            if job.name == "serve":
                process.stdout.readline()
            code, said = self.end(job, process)
            seconds = time.monotonic() - began
            usual = {143} if job.name == "serve" else {job.code}
            if code not in usual and not (job.code is ... and code in (0, 1)):
                raise AssertionError(f"{job.name} without a fault: exit {code}\n{said}")
            after, calls = listing(place.folder), []
            for name in job.products:
                same = job.same or {}
                assert after.get(name), f"{job.name} has not written {name}"
                assert name not in same or same[name](os.path.join(place.folder, name)), f"{job.name}: {name} is not whole"
        finally:
            place.remove()
        if self.strace and job.name not in ("serve", "explorer"):
            place = Place(self.root)
            try:
                self.fill(job, place.folder, with_old, self.environment(job, place))
                log = os.path.join(place.root, "log")
                self.end(job, self.start(job, place, [self.strace, "-o", log, "-e", "trace=" + WRITES]))
                counts = collections.Counter()
                for name in re.findall(r"^(\w+)\(", content(log).decode(errors="replace"), re.M):
                    counts[name] += 1
                    calls.append((name, counts[name]))
            finally:
                place.remove()
        self.references[key] = Reference(code, job.seconds or seconds, before, after, calls)
        return self.references[key]
