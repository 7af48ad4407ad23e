"""A server under test, and requests to it."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

import program

SCENARIO = """{
  // comments are welcome
  "id": "served",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 4 }, "oss": { "count": 1 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "200 ms" },
    "dataset": { "on": "scratch", "format": "tokens", "sample": "16 KiB", "size": "1 TB", "files": 64 },
    "loader": { "type": "pytorch", "workers": 4, "batch": 64 } } ],
  "run": { "duration": "1 min" },
  "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 50 %" } ]
}
"""
# More work than any test waits for: it is there to be cancelled.
SLOW = SCENARIO.replace('"1 min"', '"3650 d"').replace(
    '"loader"', '"checkpoint": { "to": "scratch", "size": "1 TB", "every": "7 min" },\n    "loader"')
# Only a run tells that no save ends in it, and that there is no figure of saves.
SAVES_LATE = SCENARIO.replace("gpu.utilization >= 50 %", "checkpoint.stall < 1 s").replace(
    '"loader"', '"checkpoint": { "to": "scratch", "size": "1 TB", "every": "7 min" }, "loader"')
# For servers whose memory is measured: an address sanitizer keeps 256 MB of freed memory unless it is told to keep less.
KEEPS_LITTLE = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=4"}


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.text = response.read().decode()

    @property
    def json(self):
        return json.loads(self.text)


class Server:
    """`stallcast serve` on a free port, in a folder of its own; ends with `with`."""

    def __init__(self, *args, env=None, stdin=None):
        self.folder = tempfile.TemporaryDirectory()
        self.stdin = stdin
        self.args, self.env = args, {**os.environ, "TMPDIR": self.folder.name, **(env or {})}

    def __enter__(self):
        self.process = subprocess.Popen(
            [program.STALLCAST, "serve", "--port", "0", *self.args], cwd=self.folder.name, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=self.stdin, env=self.env)
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/$", line.strip())
        assert found, line + self.process.stderr.read()
        self.port = int(found.group(1))
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def stop(self, number=signal.SIGTERM):
        """The exit code, and what was said on standard error."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.ended()

    def ended(self):
        """The same, when it ends by itself: its standard input, if that is a pipe, is closed."""
        _, err = self.process.communicate(timeout=program.patience(60))
        return self.process.returncode, re.sub(r"(?m)^.*without a sandbox: built with a sanitizer.*\n", "", err)

    def resident(self):
        """Memory that it takes, kB."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1])

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=program.patience(60))
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, path, body=SCENARIO, **headers):
        return self.ask("POST", path, body.encode() if isinstance(body, str) else body,
                        {k.replace("_", "-"): v for k, v in headers.items()})

    def get(self, path, **headers):
        return self.ask("GET", path, None, {k.replace("_", "-"): v for k, v in headers.items()})

    def wait(self, location, until=("done", "failed", "cancelled")):
        """The state of a run once it is one of `until`."""
        for _ in range(int(program.patience(1200))):
            status = self.get(location).json
            if status["state"] in until:
                return status
            time.sleep(0.05)
        raise AssertionError(status)

    def run(self, path, body=SCENARIO):
        """The answer to GET .../result of a run that is made and waited for."""
        made = self.post(path, body)
        assert made.status in (200, 202), made.text
        self.wait(made.headers["location"])
        return self.get(made.headers["location"] + "/result")


class RawBytes:
    """Of a test case with a `server`: connections that say what no client would."""

    ENDS = False  # whether the server is told that nothing follows what `raw` sends

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=60)
        self.addCleanup(connection.close)
        return connection

    def raw(self, *parts):
        """All that comes back for these bytes until the server closes."""
        connection = self.connect()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has been refused already
            for part in parts:
                connection.sendall(part)
        if self.ENDS:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
        out = b""
        with contextlib.suppress(ConnectionResetError, TimeoutError):
            while data := connection.recv(65536):
                out += data
        return out
