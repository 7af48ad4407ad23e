"""One warm ``stallcast serve`` for this interpreter: started by the first question, ended with it.

It listens on the loopback only, takes a token that nobody else has, and ends when its standard input does:
however the interpreter ends, no process stays behind.
"""

from __future__ import annotations

import atexit
import http.client
import json
import os
import re
import secrets
import subprocess
import threading
import time
from typing import Any, Dict, FrozenSet, List, Optional, Tuple
from urllib.parse import urlencode

from .errors import InconclusiveError
from .program import environment, find_program

_SECONDS = 120.0  # for one answer, which is never a simulation
_PAUSES = (0.002, 0.005, 0.01, 0.02, 0.05)
_ROUTES = {"run": "/v1/runs"}  # others are called as their verb


class Unanswered(Exception):
    """The server did not answer: the caller asks the program instead."""


class Lost(Unanswered):
    """The connection broke: the server may have ended."""


class Server:
    """A running ``stallcast serve``. Thread-safe: every question has a connection of its own."""

    def __init__(self, program: str) -> None:
        self._token = secrets.token_hex(32)
        self._process = subprocess.Popen(
            [program, "serve", "--port", "0", "--until-eof", "--time-limit", "24 h",
             "--runs", str(min(8, os.cpu_count() or 2))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=os.sep,
            env={**environment(), "STALLCAST_TOKEN": self._token}, encoding="utf-8",
            start_new_session=True)  # Ctrl+C in a terminal is for the interpreter
        assert self._process.stdout is not None
        try:
            found = re.search(r":(\d+)/$", self._process.stdout.readline().strip())
            if not found:
                raise Unanswered("stallcast serve did not start")
            self._port = int(found[1])
            self._parameters = self._read_parameters()
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def ends_soon(self) -> bool:
        """Whether it has ended, or does now: what was killed takes a moment to be gone."""
        try:
            self._process.wait(1.0)
            return True
        except subprocess.TimeoutExpired:
            return False

    def close(self) -> None:
        """Ends it, and waits until it has ended."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """In the child of a fork: it is the parent's, and must end with the parent."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.returncode = 0  # not ours to wait for

    def takes(self, verb: str, parameters: FrozenSet[str]) -> bool:
        """Whether this server has the verb with these parameters."""
        return parameters <= self._parameters.get(_route(verb), frozenset())

    def ask(self, verb: str, query: List[Tuple[str, str]], body: str) -> Tuple[Dict[str, Any], Optional[str]]:
        """The answer, and the id under which its page is found, if it has one.

        Raises Unanswered where the program is to be asked, and InconclusiveError.
        """
        with _Connection(self._port, self._token) as connection:
            status, text, headers = connection.post(_route(verb) + "?" + urlencode(query), body)
            if status == 202 or (status == 200 and "location" in headers):
                run = headers["location"]
                connection.wait(run)
                status, text, _ = connection.ask("GET", run + "/result")
                return _answer(status, text), run
            return _answer(status, text), None

    def page(self, run: str) -> str:
        """The page of a run; Unanswered when it is not kept any more."""
        with _Connection(self._port, self._token) as connection:
            status, text, _ = connection.ask("GET", run + "/report.html")
            if status != 200:
                raise Unanswered(text)
            return text

    def _read_parameters(self) -> Dict[str, FrozenSet[str]]:
        with _Connection(self._port, self._token) as connection:
            status, text, _ = connection.ask("GET", "/openapi.json")
            if status != 200:
                raise Unanswered(text)
            paths = json.loads(text)["paths"]
        return {path: frozenset(p["name"] for p in methods["post"].get("parameters", ()))
                for path, methods in paths.items() if "post" in methods}


def _route(verb: str) -> str:
    return _ROUTES.get(verb, "/v1/" + verb)


def _answer(status: int, text: str) -> Dict[str, Any]:
    if status == 200:
        found: Dict[str, Any] = json.loads(text)
        return found
    if status == 504:
        raise InconclusiveError(json.loads(text)["detail"])
    raise Unanswered(text)  # the program says what is wrong, or knows more: it reads files


class _Connection:
    """Requests one after the other; a server that is gone is Unanswered."""

    def __init__(self, port: int, token: str) -> None:
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
        self._headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}

    def __enter__(self) -> "_Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, method: str, path: str, body: Optional[str] = None) -> Tuple[int, str, Dict[str, str]]:
        try:
            self._http.request(method, path, None if body is None else body.encode(), self._headers)
            response = self._http.getresponse()
            headers = {k.lower(): v for k, v in response.getheaders()}
            return response.status, response.read().decode(), headers
        except (OSError, http.client.HTTPException) as lost:
            raise Lost(str(lost)) from lost

    def post(self, path: str, body: str) -> Tuple[int, str, Dict[str, str]]:
        """Waits as long as the server has too much to do."""
        while True:
            status, text, headers = self.ask("POST", path, body)
            if status not in (429, 503):
                return status, text, headers
            time.sleep(0.05)

    def wait(self, run: str) -> None:
        """Until the run has ended. What ends the wait, as Ctrl+C does, cancels the run."""
        turn = 0
        try:
            while True:
                status, text, _ = self.ask("GET", run)
                if status != 200:
                    raise Unanswered(text)
                if json.loads(text)["state"] not in ("queued", "running"):
                    return
                time.sleep(_PAUSES[min(turn // 4, len(_PAUSES) - 1)])
                turn += 1
        except Unanswered:
            raise
        except BaseException:
            self._http.close()
            try:
                self.ask("DELETE", run)
            except Unanswered:
                pass
            raise


_Key = Tuple[str, int]  # a program that is replaced is another program


class _Warm:
    """The one server of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.server: Optional[Server] = None
        self.key: Optional[_Key] = None
        self.wanted = os.environ.get("STALLCAST_SERVER", "on") != "off"
        self.failed: Optional[_Key] = None  # a program that cannot serve

    def get(self) -> Optional[Server]:
        """The server, started or started again where that is needed; None: there can be none."""
        if not self.wanted:
            return None
        program = find_program()
        key = (program, os.stat(program).st_mtime_ns)
        with self.lock:
            if self.server is not None and (self.key != key or not self.server.alive()):
                self.server.close()
                self.server = None
            if self.server is None and self.failed != key:
                try:
                    self.server, self.key = Server(program), key
                except (OSError, Unanswered):
                    self.failed = key
            return self.server

    def close(self) -> None:
        with self.lock:
            if self.server is not None:
                self.server.close()
            self.server = None

    def after_fork(self) -> None:
        self.lock = threading.Lock()
        if self.server is not None:
            self.server.forget()
        self.server = None


WARM = _Warm()
atexit.register(WARM.close)
os.register_at_fork(after_in_child=WARM.after_fork)


def use_server(wanted: bool) -> None:
    """Whether questions go to one warm process (the default) or each to a call of the program of its own.

    The numbers are the same. False also ends the process that there is; ``$STALLCAST_SERVER=off`` says the
    same for a whole session.
    """
    WARM.wanted = wanted
    WARM.failed = None
    if not wanted:
        WARM.close()
