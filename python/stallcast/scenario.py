"""A scenario: read once, changed value by value, asked."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import engine, program
from .errors import Diagnostic, ScenarioError, UnknownPathError
from .results import CheckReport, Comparison, Diff, Explanation, Plan, Prediction, SweepResult

Setting = Union[None, bool, int, float, str, Sequence[Any], Mapping[str, Any]]
Duration = Union[int, float, str]


class ScenarioWarning(UserWarning):
    """Something in a scenario that is allowed and rarely meant."""


@dataclass(frozen=True)
class Value:
    """One value of a scenario, and what is known of it.

    ``value`` is what a scenario file says ("4 GB/s", 48), ``number`` the same in SI base units (4e9) and
    ``unit`` their name ("B/s"); both are None for words. ``interval`` is what it may be in truth, nine times
    in ten, or None where it is exact. ``source`` says who set it; ``assumption`` whether that is an expert
    value that nobody measured.
    """

    path: str
    value: Any
    number: Optional[float] = None
    unit: Optional[str] = None
    interval: Optional[Tuple[float, float]] = None
    source: str = ""
    assumption: bool = False


class Scenario:
    """A cluster, its storage and its jobs, as a scenario file describes them.

    Values are read and set by path, as ``--set`` of the command line takes it::

        s["storage.ost.count"] = 48
        s["storage.ost.read"] = "5 GB/s"

    Strings with units are as in scenario files. A value that does not fit raises ScenarioError at once, and
    leaves the scenario as it was. Set values that only fit together with ``update``.
    """

    __iter__ = None  # it is no sequence of values

    def __init__(self, source: engine.Source, changes: Optional[Mapping[str, Setting]] = None,
                 variant: str = "", profile: Optional[str] = None) -> None:
        """Use ``stallcast.load``, ``from_dict``, ``from_text`` or ``init``."""
        self._source = source
        self._changes: Dict[str, Setting] = dict(changes or {})
        self._variant = variant
        self._profile = profile
        self._check(self._changes)

    # What it is

    @property
    def name(self) -> str:
        """What messages call it: the file as it was named."""
        return self._source.name

    @property
    def id(self) -> str:
        """Its "id", which reports call it by."""
        return str(self.resolve()["id"])

    @property
    def variant(self) -> str:
        """The variant of the file that was chosen; "" for the base scenario."""
        return self._variant

    @property
    def changes(self) -> Dict[str, Setting]:
        """The values that were set since it was loaded, by path."""
        return dict(self._changes)

    @property
    def text(self) -> str:
        """The file as it was loaded, comments included, without changes."""
        return self._source.text

    def resolve(self) -> Dict[str, Any]:
        """The design with every value written out: catalogue, parameters and defaults are resolved."""
        return engine.ask(self._question("resolve")).data

    def to_dict(self) -> Dict[str, Any]:
        """One scenario with what the file extends, its variant and all changes; parameters and products stay
        as they are written. ``from_dict`` takes it."""
        return engine.ask(self._question("resolve", {"merged": True})).data

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes ``to_dict()`` to a file, as a scenario that the command line takes, too."""
        text = self._merged()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def copy(self, changes: Optional[Mapping[str, Setting]] = None) -> "Scenario":
        """The same scenario, with ``changes`` set in the copy alone."""
        out = Scenario.__new__(Scenario)
        out.__dict__ = {**self.__dict__, "_changes": dict(self._changes)}
        out.update(changes or {})
        return out

    # Values

    def __getitem__(self, path: str) -> Any:
        """The value at ``path`` as a scenario file says it: a number, "4 GB/s", a dict of a whole part, or
        None where an optional value was left out. Raises UnknownPathError, a KeyError, with a hint."""
        return self.value(path).value

    def __setitem__(self, path: str, value: Setting) -> None:
        self.update({path: value})

    def __delitem__(self, path: str) -> None:
        """Takes a change back: the value is again what the file says. KeyError if it was not changed."""
        if path not in self._changes:
            raise KeyError(path)
        left = {k: v for k, v in self._changes.items() if k != path}
        self._check(left)
        self._changes = left

    def __contains__(self, path: object) -> bool:
        try:
            return isinstance(path, str) and self.value(path) is not None
        except UnknownPathError:
            return False

    def get(self, path: str, default: Any = None) -> Any:
        """``self[path]``, or ``default`` where there is no such value or it was left out."""
        try:
            found = self[path]
        except UnknownPathError:
            return default
        return default if found is None else found

    def update(self, changes: Mapping[str, Setting]) -> None:
        """Sets several values at once: all of them, or none where they do not fit (ScenarioError)."""
        wanted = dict(self._changes)
        for path, value in changes.items():
            wanted.pop(_path(path), None)  # what is set later wins
            wanted[path] = value
        self._check(wanted)
        self._changes = wanted

    def reset(self) -> None:
        """Takes all changes back."""
        self._changes = {}

    def value(self, path: str) -> Value:
        """The value at ``path`` with its number in SI units, range and source; UnknownPathError."""
        try:
            found = engine.ask(self._question("resolve", {"get": [_path(path)]})).data["values"][path]
        except ScenarioError as wrong:
            raise UnknownPathError(wrong.diagnostics) from None
        interval = found.get("ci90")
        return Value(path, found["value"], found.get("number"), found.get("unit"),
                     (interval[0], interval[1]) if interval else None, found.get("source", ""),
                     bool(found.get("assumption")))

    def lint(self) -> List[Diagnostic]:
        """Everything that is wrong or doubtful; nothing is simulated."""
        return engine.lint(self._question("lint"))

    # Questions

    def run(self, *, draws: Optional[int] = None, seed: Optional[int] = None, replicas: Optional[int] = None,
            advice: bool = True, time_limit: Optional[Duration] = None) -> Prediction:
        """What will happen.

        ``draws`` simulations have their inputs drawn from what they may be in truth, for intervals; 0 for
        none, by default as many as fit about a second. ``replicas`` simulations from ``seed`` on, by default
        as the scenario says. ``advice`` tries changes that would help. ``time_limit``: seconds, or "10 min".
        """
        return Prediction(engine.ask(self._question("run", dict(
            draws=draws, seed=seed, replicas=replicas, advice=advice, time_limit=time_limit))))

    def plan(self, *, over: Union[None, str, Sequence[str]] = None, confidence: Union[None, float, str] = None,
             minimize: Optional[str] = None, maximize: Optional[str] = None,
             survive: Union[None, str, Sequence[str]] = None, unit: Union[None, str, Sequence[str]] = None,
             storage: Optional[str] = None, draws: Optional[int] = None, until: Optional[str] = None,
             checks: Optional[int] = None, tornado: Optional[int] = None, seed: Optional[int] = None,
             replicas: Optional[int] = None, time_limit: Optional[Duration] = None) -> Plan:
        """The smallest design that meets the targets. That there is none is an answer, too: see
        ``Plan.status``.

        ``over``: what to search, "osts", "storage.ost.count=8..64" or several; by default as the scenario
        says. ``confidence=0.9``: also what does in nine cases of ten. ``survive="oss"``: with one down, too.
        Others are as in ``stallcast plan --help``.
        """
        if isinstance(confidence, (int, float)):
            confidence = f"{100.0 * confidence:.12g}%"
        return Plan(engine.ask(self._question("plan", dict(
            over=_list(over), confidence=confidence, minimize=minimize, maximize=maximize,
            survive=_list(survive), unit=_list(unit), storage=storage, draws=draws, until=until, checks=checks,
            tornado=tornado, seed=seed, replicas=replicas, time_limit=time_limit))))

    def sweep(self, vary: Optional[Mapping[str, Union[str, Iterable[Setting]]]] = None, *,
              metrics: Union[None, str, Sequence[str]] = None, mode: Optional[str] = None,
              draws: Optional[int] = None, seed: Optional[int] = None, replicas: Optional[int] = None,
              time_limit: Optional[Duration] = None, store: Union[None, str, "os.PathLike[str]"] = None
              ) -> SweepResult:
        """Many designs: every combination of the values, or as ``mode`` says ("zip", "latin:50").

        ``vary``: ``{"storage.ost.count": [16, 32, 64]}``, or a range as text, "16..64:4"; by default as the
        scenario says. ``metrics``: further columns, by name, "*" for any text. ``store``: an SQLite file to
        keep it in. Points that cannot be simulated are rows with their reason.
        """
        varied = {_path(path): _values(path, values) for path, values in (vary or {}).items()}
        if vary is not None and not varied:
            raise ValueError("vary is empty: give at least one path with its values")
        wanted = _list(metrics)
        return SweepResult(engine.ask(self._question("sweep", dict(
            vary=[f"{path}={text}" for path, text in varied.items()] or None, metric=wanted, mode=mode,
            draws=draws, seed=seed, replicas=replicas, time_limit=time_limit,
            store=None if store is None else os.path.abspath(store)))))

    def explain(self, *metrics: str, what_if: Optional[int] = None, simulate: bool = True,
                time_limit: Optional[Duration] = None) -> Explanation:
        """Why: ``metrics``, or what their names begin with, as trees down to their inputs; the headline ones
        without any. ``what_if``: most changes to try by simulation."""
        for metric in metrics:
            if not isinstance(metric, str):
                raise TypeError(f"a metric is named by a str, not by {type(metric).__name__}")
        options = dict(what_if=what_if, time_limit=time_limit, simulation=None if simulate else False)
        return Explanation(engine.ask(self._question("explain", options, metrics)))

    def check(self, *asserts: str, baseline: Union[None, str, "os.PathLike[str]"] = None,
              tolerance: Union[None, str, Sequence[str]] = None, advice: bool = True,
              time_limit: Optional[Duration] = None) -> CheckReport:
        """Whether the design meets its targets, and ``asserts`` ("cost.capex <= 2 MUSD"), and is no worse
        than a ``baseline`` that ``stallcast check --update-baseline`` wrote."""
        return CheckReport(engine.ask(self._question("check", {
            "assert": list(asserts), "baseline": None if baseline is None else os.path.abspath(baseline),
            "tolerance": _list(tolerance), "advice": advice, "time_limit": time_limit})))

    def diff(self, other: "Scenario", *, metrics: Optional[str] = None, attribute: Optional[str] = None,
             min_change: Optional[str] = None, seed: Optional[int] = None, replicas: Optional[int] = None,
             time_limit: Optional[Duration] = None) -> Diff:
        """What changes from this scenario to ``other``, which metrics move, and which change is to blame.

        ``metrics``: only these, "cost.*". ``attribute``: "shapley", "oat", "none" or "auto".
        """
        if not isinstance(other, Scenario):
            raise TypeError(f"diff compares with a Scenario, not with {type(other).__name__}")
        if self._profile != other._profile:
            raise ValueError("scenarios with different profiles cannot be compared")
        files = (self._file(), other._file())
        direct = files[0] is not None and files[1] is not None and not self._changes
        question = _asked("diff", dict(metrics=metrics, attribute=attribute, min_change=min_change, seed=seed,
                                       replicas=replicas, time_limit=time_limit, profile=self._profile),
                          sets=other._sets() if direct else ())
        if direct:
            question = replace(question, files=(str(files[0]), str(files[1])))
        else:
            question = replace(question, texts={"base.json": self._merged(), "head.json": other._merged()})
        return Diff(engine.ask(question))

    def ask(self, verb: str, *metrics: str, **options: Any) -> Dict[str, Any]:
        """The JSON of any verb about one scenario: ``s.ask("grow", until="24mo")``. Options are those of
        ``stallcast VERB --help`` with "_" for "-"."""
        return engine.ask(self._question(verb, options, metrics)).data

    # How it looks

    def __repr__(self) -> str:
        variant = f"#{self._variant}" if self._variant else ""
        changes = "".join(f"\n  {path} = {value!r}" for path, value in self._changes.items())
        return f"<Scenario {self.name}{variant}{':' if changes else ''}{changes}>" if changes else \
            f"<Scenario {self.name}{variant}>"

    # Inside

    def _question(self, verb: str, options: Optional[Mapping[str, Any]] = None, metrics: Sequence[str] = ()
                  ) -> engine.Question:
        return _asked(verb, {**(options or {}), "profile": self._profile}, self._source, self._sets(),
                      self._variant, tuple(metrics))

    def _sets(self) -> Tuple[str, ...]:
        return tuple(f"{path}={_text(path, value)}" for path, value in self._changes.items())

    def _check(self, changes: Mapping[str, Setting]) -> None:
        """Raises ScenarioError unless there is a design with these changes."""
        probe = Scenario.__new__(Scenario)
        probe.__dict__ = {**self.__dict__, "_changes": dict(changes)}
        engine.ask(probe._question("resolve"))

    def _merged(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def _file(self) -> Optional[str]:
        """The file that has the text of this scenario, as the user called it."""
        path = self._source.path
        if path is None or self._variant or self._source.operand()[1] is not None:
            return None
        return self.name if os.path.abspath(self.name) == path else path


def _asked(verb: str, options: Mapping[str, Any], source: Optional[engine.Source] = None,
           sets: Tuple[str, ...] = (), variant: str = "", metrics: Tuple[str, ...] = ()) -> engine.Question:
    return engine.Question(verb, source, sets, variant, {k: v for k, v in options.items() if v is not None}, metrics)


def _path(path: object) -> str:
    if not isinstance(path, str):
        raise TypeError(f"a path is a str as 'storage.ost.count', not {type(path).__name__}")
    return path


def _list(value: Union[None, str, Sequence[str]]) -> Optional[List[str]]:
    return None if value is None else [value] if isinstance(value, str) else list(value)


def _plain(path: str, value: Any) -> Any:
    """``value`` as JSON has it; numbers of numpy become those of Python."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{path}: {value!r} is not a value")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(k): _plain(path, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(path, v) for v in value]
    raise TypeError(f"{path}: {type(value).__name__} is not a value: give a number, a str as '4 GB/s', a list or "
                    "a dict")


def _text(path: str, value: Any) -> str:
    """``value`` as ``--set`` takes it."""
    plain = _plain(path, value)
    if isinstance(plain, str):
        try:
            json.loads(plain)
        except ValueError:
            return plain
    return json.dumps(plain)


def _values(path: str, values: Union[str, Iterable[Setting]]) -> str:
    """Values as ``--vary`` takes them."""
    if isinstance(values, str):
        return values
    texts = [_text(path, value) for value in values]
    if not texts:
        raise ValueError(f"{path}: there are no values to vary it over")
    for text in texts:
        if "," in text:
            raise ValueError(f"{path}: {text} cannot be varied: it has a comma")
    return ",".join(texts)


def _scenario(source: engine.Source, variant: str, profile: Union[None, str, "os.PathLike[str]"]) -> Scenario:
    out = Scenario(source, None, variant, None if profile is None else os.path.abspath(profile))
    for d in out.lint():
        if d.severity == "warning":
            warnings.warn(str(d), ScenarioWarning, stacklevel=3)
    return out


def load(path: Union[str, "os.PathLike[str]"], *, variant: str = "",
         profile: Union[None, str, "os.PathLike[str]"] = None) -> Scenario:
    """Reads a scenario file, and what it extends.

    ``variant``: a key of its "scenarios". ``profile``: a calibration profile with fitted values. Raises
    ScenarioError with every fault, FileNotFoundError; doubts become a ScenarioWarning.
    """
    name = os.fspath(path)
    with open(name, encoding="utf-8", newline="") as file:
        try:
            text = file.read()
        except UnicodeDecodeError as wrong:
            raise ScenarioError([Diagnostic("error", f"is not UTF-8 text: {wrong.reason}", file=name)]) from None
    full = os.path.abspath(name)
    return _scenario(engine.Source(name, text, os.path.dirname(full), full), variant, profile)


def from_text(text: str, *, name: str = "scenario.json", variant: str = "",
              profile: Union[None, str, "os.PathLike[str]"] = None) -> Scenario:
    """A scenario from its text, JSON with comments. What it extends is looked for in the present folder."""
    return _scenario(engine.Source(name, text, os.getcwd()), variant, profile)


def from_dict(data: Mapping[str, Any], *, name: str = "scenario.json", variant: str = "",
              profile: Union[None, str, "os.PathLike[str]"] = None) -> Scenario:
    """A scenario from a dict as its file would hold it; quantities are strings with units."""
    if not isinstance(data, Mapping):
        raise TypeError(f"a scenario is a dict, not {type(data).__name__}")
    return _scenario(engine.Source(name, json.dumps(_plain(name, data), indent=2) + "\n", os.getcwd()), variant,
                     profile)


def init(template: str = "") -> Scenario:
    """A commented scenario to start from; ``templates()`` lists them."""
    text = program.call(["init", *([template] if template else [])]).out
    return _scenario(engine.Source(f"{template or 'init'}.json", text, os.getcwd()), "", None)


def templates() -> Dict[str, str]:
    """What ``init`` takes, each with what it is an example of."""
    lines = program.call(["init", "--list"]).out.splitlines()
    return {name: summary.strip() for name, summary in zip(lines[::2], lines[1::2])}


def compare(*scenarios: Union[Scenario, Mapping[str, Scenario]], draws: Optional[int] = None,
            seed: Optional[int] = None, replicas: Optional[int] = None,
            time_limit: Optional[Duration] = None) -> Comparison:
    """Architectures side by side: scenarios, or a dict of them by the names that the table is to show."""
    named: Dict[str, Scenario] = {}
    for given in scenarios:
        items = given.items() if isinstance(given, Mapping) else [("", given)]
        for name, scenario in items:
            if not isinstance(scenario, Scenario):
                raise TypeError(f"compare takes scenarios, not {type(scenario).__name__}")
            _add(named, name or scenario.id, scenario)
    if not named:
        raise ValueError("there is nothing to compare: give at least two scenarios")
    profiles = {scenario._profile for scenario in named.values()}
    if len(profiles) > 1:
        raise ValueError("scenarios with different profiles cannot be compared")
    question = _asked("compare", dict(draws=draws, seed=seed, replicas=replicas, time_limit=time_limit,
                                      profile=profiles.pop()))
    return Comparison(engine.ask(replace(question, texts={n: s._merged() for n, s in named.items()})))


def _add(named: Dict[str, Scenario], name: str, scenario: Scenario) -> None:
    """Under a name of its own that is one of a file, too: "mine", "mine 2"."""
    name = re.sub(r"[/#:\x00-\x1f]", "_", name).lstrip("-.") or "scenario"
    other, n = name, 2
    while other in named:
        other, n = f"{name} {n}", n + 1
    named[other] = scenario
