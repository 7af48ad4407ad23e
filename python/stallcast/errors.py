"""What can go wrong: one exception for each exit code of the program that is not an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Sequence


@dataclass(frozen=True)
class Diagnostic:
    """One fault or warning of a scenario, with its place.

    ``line`` and ``column`` count from 1; both are 0 where there is no place, as for a value that was set.
    ``pointer`` is the JSON pointer of the value.
    """

    severity: str
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""
    code: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        text = ": ".join(part for part in (place, self.pointer) if part)
        text += ": " if text else ""
        text += "warning: " if self.severity == "warning" else ""
        text += self.message
        return text + (f"\n  hint: {self.hint}" if self.hint else "")


class StallcastError(Exception):
    """Anything that Stallcast reports as a failure.

    ``exit_code`` is what the program ends with then; see docs/reference/exit-codes.md.
    """

    exit_code = 4


class ScenarioError(StallcastError, ValueError):
    """Bad input (exit code 2): a fault of the scenario, of a value that was set, or of an argument.

    ``diagnostics`` has every fault at once, each with file, line, column and a hint.
    """

    exit_code = 2

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics: List[Diagnostic] = list(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(str(d) for d in self.diagnostics)


class UnknownPathError(ScenarioError, KeyError):
    """``scenario[path]``, where there is no value at that path."""

    __str__ = ScenarioError.__str__


class InconclusiveError(StallcastError):
    """The time limit was reached before there was anything to report (exit code 3)."""

    exit_code = 3


class InternalError(StallcastError):
    """A simulation crashed, or the program did: a bug (exit code 4). The message says what to report."""

    exit_code = 4


class ProgramNotFoundError(StallcastError, FileNotFoundError):
    """The program ``stallcast`` is not installed, or not where it was looked for."""

    exit_code = 2

    def __str__(self) -> str:
        return str(self.args[0])


def diagnostic_of(data: Dict[str, Any]) -> Diagnostic:
    """A diagnostic as ``lint --format json`` and the server write it."""
    return Diagnostic(
        severity=str(data.get("severity", "error")),
        message=str(data.get("message", "")),
        hint=str(data.get("hint") or ""),
        file=str(data.get("file") or ""),
        line=int(data.get("line") or 0),
        column=int(data.get("column") or 0),
        pointer=str(data.get("pointer") or ""),
        code=str(data.get("code") or ""),
    )


_PLACED = re.compile(r"(?P<file>[^\n]*?)(?::(?P<line>\d+):(?P<column>\d+))?: (?P<pointer>/[^:\s]*): (?P<rest>.*)")


def read_stderr(text: str) -> List[Diagnostic]:
    """What the program printed on standard error, as diagnostics: faults first, as it prints them."""
    found: List[Diagnostic] = []
    for line in text.splitlines():
        if line.startswith("hint: ") and found:
            found[-1] = replace(found[-1], hint=line[len("hint: "):])
        elif line[:1] in ("", " ", "\t"):
            continue  # a line of the scenario, or its caret
        else:
            found.append(_read_line(line))
    return found


def _read_line(line: str) -> Diagnostic:
    placed: Optional["re.Match[str]"] = _PLACED.fullmatch(line)
    if not placed:
        message = re.sub(r"^stallcast(?: \w+)?: ", "", line)
        return Diagnostic(severity="error", message=message)
    rest = placed["rest"]
    warning = rest.startswith("warning: ")
    return Diagnostic(
        severity="warning" if warning else "error",
        message=rest[len("warning: "):] if warning else rest,
        file=placed["file"],
        line=int(placed["line"] or 0),
        column=int(placed["column"] or 0),
        pointer=placed["pointer"],
    )
