"""The program ``stallcast``: where it is, and one call of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

from .errors import (Diagnostic, InconclusiveError, InternalError, ProgramNotFoundError, ScenarioError,
                     StallcastError, read_stderr)

_NAME = "stallcast"
_WAIT = 0.2  # seconds until Ctrl+C is seen at the latest


def find_program() -> str:
    """The path of the program: ``$STALLCAST``, else on ``$PATH``, else next to this package.

    Raises ProgramNotFoundError, which says where it was looked for.
    """
    given = os.environ.get("STALLCAST")
    if given:
        found = shutil.which(os.path.abspath(given) if os.sep in given else given)
        if found:
            return os.path.abspath(found)
        raise ProgramNotFoundError(
            f"$STALLCAST is {given!r}, which is not a program\n  hint: name the program stallcast, not its folder")
    on_path = shutil.which(_NAME)
    if on_path:
        return os.path.abspath(on_path)
    for place in _places():
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    raise ProgramNotFoundError(
        "the program stallcast was not found: $STALLCAST is not set, it is not on $PATH, nor is it one of "
        + ", ".join(str(place) for place in _places())
        + "\n  hint: install the package stallcast, or set os.environ['STALLCAST'] to the path of the program")


def _places() -> List[Path]:
    package = Path(__file__).resolve().parent
    return [
        package / _NAME,
        package / "bin" / _NAME,
        Path(sys.prefix) / "bin" / _NAME,
        package.parent.parent / "build" / "release" / "bin" / _NAME,  # a checkout that was built
    ]


def environment() -> Dict[str, str]:
    """Of the program: what it prints is read line by line, so no width of a terminal may break lines."""
    return {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "STALLCAST_TOKEN")}


@dataclass(frozen=True)
class Call:
    """What a call of the program printed, and how it ended."""

    code: int
    out: str
    err: str


def call(words: Sequence[str], text: Optional[str] = None, folder: Optional[str] = None,
         answers: Sequence[int] = (0, 1, 3)) -> Call:
    """Runs the program with ``text`` on its standard input, in ``folder``.

    Exit codes in ``answers`` with something on standard output are answers; the rest is raised. Ctrl+C ends
    the program, too.
    """
    program = find_program()
    process = subprocess.Popen(
        [program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=folder if folder and os.path.isdir(folder) else None, env=environment(), encoding="utf-8", errors="replace")
    try:
        out, err = _communicate(process, text or "")
    except BaseException:
        process.kill()
        process.wait()
        raise
    done = Call(process.returncode, out, err)
    if done.code in answers and done.out:
        return done
    raise failure(done)


def _communicate(process: "subprocess.Popen[str]", text: str) -> Tuple[str, str]:
    """What it prints. A signal that comes just before the wait interrupts no wait: so each ends by itself."""
    given: Optional[str] = text
    while True:
        try:
            return process.communicate(given, timeout=_WAIT)
        except subprocess.TimeoutExpired:
            given = None


def failure(done: Call) -> StallcastError:
    """The exception for a call that gave no answer."""
    said = done.err.strip() or f"stallcast ended with exit code {done.code} and printed nothing"
    if done.code == 2:
        faults = [d for d in read_stderr(done.err) if d.severity == "error"]
        return ScenarioError(faults or [Diagnostic("error", said)])
    if done.code in (1, 3):
        return InconclusiveError(said)
    if done.code < 0:
        return InternalError(f"stallcast was ended by signal {-done.code}: {said}")
    return InternalError(said)
