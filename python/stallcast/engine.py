"""A question to Stallcast, and its answer: from the warm process, or from one call of the program."""

from __future__ import annotations

import html
import json
import os
import tempfile
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import program
from .errors import Diagnostic, InconclusiveError, ScenarioError, StallcastError, diagnostic_of
from .server import WARM, Lost, Server, Unanswered

Value = Union[None, bool, int, float, str, List[str]]

# Verbs whose answer of the server has all that the program's has.
_SERVED = frozenset({"run", "plan", "explain", "grow", "compare", "resolve"})
_SIMULATING = _SERVED - {"resolve"}
_TIME_LIMIT_S = 600.0  # of these, as the program has it


@dataclass(frozen=True)
class Source:
    """The text of a scenario, as it was when it was loaded, and where it is from."""

    name: str  # in messages
    text: str
    folder: str  # that `extends` starts from
    path: Optional[str] = None  # of the file

    @property
    def file(self) -> str:
        return os.path.basename(self.name) or "scenario.json"

    def operand(self) -> Tuple[str, Optional[str]]:
        """What the program is given: the file, if it still has this text, else standard input."""
        if self.path is not None:
            try:
                with open(self.path, encoding="utf-8") as file:
                    if file.read() == self.text:
                        base = os.path.basename(self.path)
                        return ("./" + base if base.startswith("-") else base), None
            except (OSError, ValueError):
                pass
        return "-", self.text


@dataclass(frozen=True)
class Question:
    """A verb, what it is about, and its options as the command line calls them."""

    verb: str
    source: Optional[Source] = None
    sets: Tuple[str, ...] = ()
    variant: str = ""
    options: Dict[str, Value] = field(default_factory=dict)
    metrics: Tuple[str, ...] = ()  # of explain
    texts: Dict[str, str] = field(default_factory=dict)  # of compare and diff: scenarios by name
    files: Tuple[str, ...] = ()  # of diff: instead


@dataclass(frozen=True)
class Answer:
    """The JSON of a report, and the same for people."""

    data: Dict[str, Any]
    question: Question
    server: Optional[Server] = None
    run: Optional[str] = None

    def __reduce__(self) -> Tuple[Any, ...]:
        """For other processes, which have a server of their own."""
        return Answer, (self.data, self.question)

    def report(self, form: str) -> str:
        """The same answer as "text", "markdown", "csv", "html", ..., as the program writes it."""
        if form == "html" and self.server is not None and self.run is not None:
            try:
                return self.server.page(self.run)
            except Unanswered:
                pass
        return _call(self.question, form)


_OF_A_RUN = frozenset({"draws", "seed", "replicas", "profile", "time_limit"})


def run_of(question: Question, source: Optional[Source]) -> Question:
    """What a prediction within another answer is reported by: the run of its design."""
    options = {name: value for name, value in question.options.items() if name in _OF_A_RUN}
    return replace(question, verb="run", source=source, options=options, metrics=(), texts={})


def ask(question: Question) -> Answer:
    """Answers a question.

    Raises ScenarioError for bad input, InconclusiveError when nothing was found in the time limit,
    InternalError for a crash, ProgramNotFoundError.
    """
    answer = _ask_server(question)
    if answer is None:
        data = _read(_call(question, "json"))
        if "partial" in data:
            raise InconclusiveError(data["partial"])
        answer = Answer(data, question)
    return answer


def _read(text: str) -> Dict[str, Any]:
    found: Dict[str, Any] = json.loads(text)
    return found


def _ask_server(question: Question) -> Optional[Answer]:
    asked = _request_of(question)
    if asked is None:
        return None
    query, body = asked
    for _ in range(2):  # one that was ended in the meantime is started again
        server = WARM.get()
        if server is None or not server.takes(question.verb, frozenset(name for name, _ in query)):
            return None
        try:
            data, run = server.ask(question.verb, query, body)
            return Answer(data, question, server, run)
        except Lost:
            server.ends_soon()
        except Unanswered:
            return None
    return None


def _request_of(question: Question) -> Optional[Tuple[List[Tuple[str, str]], str]]:
    """What the server is sent; None where it cannot know the answer."""
    source = question.source
    # The server has one profile, and takes a 0 for "as the scenario says".
    if question.verb not in _SERVED or "profile" in question.options or question.options.get("replicas") == 0:
        return None
    options: Dict[str, Value] = dict(question.options)
    if question.verb in _SIMULATING:
        limit = options.pop("time_limit", _TIME_LIMIT_S)
        if not isinstance(limit, (int, float)) or limit != int(limit) or limit < 1:
            return None
        options["time_limit_s"] = int(limit)
    query = [("metric", metric) for metric in question.metrics]
    query += [(name, text) for name, value in options.items() for text in _texts(value)]
    if source is None:
        return query, json.dumps({"designs": question.texts})
    query += [("name", source.file)]
    query += [("set", text) for text in question.sets]
    query += [("variant", question.variant)] if question.variant else []
    return query, source.text


def _texts(value: Value) -> List[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return list(value) if isinstance(value, list) else [text_of(value)]


def text_of(value: Union[int, float, str]) -> str:
    """A number as an option takes it."""
    return value if isinstance(value, str) else repr(value)


def _words(question: Question, form: str) -> List[str]:
    """Options of the command line; a limit in seconds gets its unit."""
    out = list(question.metrics)
    for text in question.sets:
        out += ["--set", text]
    if question.variant:
        out += ["--variant", question.variant]
    for name, value in question.options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, bool) and value == (name in _ON):
            continue  # as it is without
        if isinstance(value, bool):
            out += ["--no-" + option[2:] if name in _ON else option]
        elif name == "time_limit" and isinstance(value, (int, float)):
            out += [option, f"{value!r} s"]
        else:
            for text in _texts(value):
                out += [option, text]
    return [*out, "--format", form, "--quiet"]


_ON = frozenset({"advice", "simulation", "gains", "fold", "fast_forward"})  # by default


def _call(question: Question, form: str) -> str:
    """What the program prints, with a text that is in no file called by its name."""
    words = _words(question, form)
    source = question.source
    if source is None:
        return _call_on_files(question, words)
    operand, text = source.operand()
    try:
        out = program.call([question.verb, operand, *words], text, source.folder).out
        name = json.dumps(source.file)[1:-1] if form == "json" else source.file
        return out.replace("<stdin>", name).replace("&lt;stdin&gt;", html.escape(name))
    except ScenarioError as wrong:
        raise _named(_structured(wrong, question), question) from None


def _call_on_files(question: Question, words: Sequence[str]) -> str:
    if question.files:
        return program.call([question.verb, *question.files, *words]).out
    with tempfile.TemporaryDirectory(prefix="stallcast-") as folder:
        for name, text in question.texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return program.call([question.verb, *question.texts, *words], None, folder).out


def lint(question: Question) -> List[Diagnostic]:
    """Faults and warnings of a scenario; nothing is simulated."""
    assert question.source is not None
    operand, text = question.source.operand()
    asked = replace(question, verb="lint", options={k: v for k, v in question.options.items() if k == "profile"},
                    metrics=())
    done = program.call(["lint", operand, *_words(asked, "json")], text, question.source.folder, (0, 2))
    found = [diagnostic_of(d) for d in _read(done.out)["files"][0]["diagnostics"]]
    return _named(ScenarioError(found), question).diagnostics


def _structured(wrong: ScenarioError, question: Question) -> ScenarioError:
    """With the code of each fault, which the program prints as JSON only."""
    try:
        known = {(d.line, d.column, d.message): d for d in lint(question)}
    except StallcastError:
        return wrong
    return ScenarioError([known.get((d.line, d.column, d.message), d) for d in wrong.diagnostics])


def _named(wrong: ScenarioError, question: Question) -> ScenarioError:
    """With the file called as the user called it."""
    source = question.source
    if source is None:
        return wrong
    known = {source.file, "<stdin>", "./" + source.file}
    return ScenarioError([replace(d, file=source.name) if d.file in known else d for d in wrong.diagnostics])
