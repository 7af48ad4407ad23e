"""A scenario: read once, changed value by value, asked."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import engine
from .designs import Plan, SweepResult
from .errors import Diagnostic, ScenarioError, UnknownPathError
from .prediction import Prediction
from .reasons import CheckReport, Diff, Explanation
from .settings import Setting, list_of, path_of, plain_of, text_of, values_of

Duration = Union[int, float, str]


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
        self.profile = profile
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
        """Writes a file that the command line takes, too: the text as it was loaded, comments included, where
        nothing was changed and it extends no other; else ``to_dict()``, one scenario without comments."""
        alone = not self._changes and not self._variant and '"extends"' not in self.text
        text = self.text if alone else self.merged()
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
            wanted.pop(path_of(path), None)  # what is set later wins
            wanted[path] = value
        self._check(wanted)
        self._changes = wanted

    def reset(self) -> None:
        """Takes all changes back."""
        self._changes = {}

    def value(self, path: str) -> Value:
        """The value at ``path`` with its number in SI units, range and source; UnknownPathError."""
        try:
            found = engine.ask(self._question("resolve", {"get": [path_of(path)]})).data["values"][path]
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
        says. ``confidence=0.9``: what does in nine cases of ten. ``survive="oss"``: with one down, too.
        Others are as in ``stallcast plan --help``.
        """
        if isinstance(confidence, (int, float)):
            confidence = f"{100.0 * confidence:.12g}%"
        return Plan(engine.ask(self._question("plan", dict(
            over=list_of(over), confidence=confidence, minimize=minimize, maximize=maximize,
            survive=list_of(survive), unit=list_of(unit), storage=storage, draws=draws, until=until, checks=checks,
            tornado=tornado, seed=seed, replicas=replicas, time_limit=time_limit))))

    def sweep(self, vary: Optional[Mapping[str, Union[Setting, Iterable[Setting]]]] = None, *,
              metrics: Union[None, str, Sequence[str]] = None, mode: Optional[str] = None,
              draws: Optional[int] = None, seed: Optional[int] = None, replicas: Optional[int] = None,
              time_limit: Optional[Duration] = None, store: Union[None, str, "os.PathLike[str]"] = None
              ) -> SweepResult:
        """Many designs: every combination of the values, or as ``mode`` says ("zip", "latin:50").

        ``vary``: ``{"storage.ost.count": [16, 32, 64]}``, or a range as text, "16..64:4"; by default as the
        scenario says. ``metrics``: further columns, by name, "*" for any text. ``store``: an SQLite file to
        keep it in. Points whose simulation fails are rows with their reason; a value that the scenario cannot
        have raises ScenarioError before any is simulated.
        """
        varied = {path_of(path): values_of(path, values) for path, values in (vary or {}).items()}
        if vary is not None and not varied:
            raise ValueError("vary is empty: give at least one path with its values")
        wanted = list_of(metrics)
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
            "tolerance": list_of(tolerance), "advice": advice, "time_limit": time_limit})))

    def diff(self, other: "Scenario", *, metrics: Optional[str] = None, attribute: Optional[str] = None,
             min_change: Optional[str] = None, seed: Optional[int] = None, replicas: Optional[int] = None,
             time_limit: Optional[Duration] = None) -> Diff:
        """What changes from this scenario to ``other``, which metrics move, and which change is to blame.

        ``metrics``: only these, "cost.*". ``attribute``: "shapley", "oat", "none" or "auto".
        """
        if not isinstance(other, Scenario):
            raise TypeError(f"diff compares with a Scenario, not with {type(other).__name__}")
        if self.profile != other.profile:
            raise ValueError("scenarios with different profiles cannot be compared")
        files = (self._file(), other._file())
        direct = files[0] is not None and files[1] is not None and not self._changes
        question = asked("diff", dict(metrics=metrics, attribute=attribute, min_change=min_change, seed=seed,
                                       replicas=replicas, time_limit=time_limit, profile=self.profile),
                          sets=other._sets() if direct else ())
        if direct:
            question = replace(question, files=(str(files[0]), str(files[1])))
        else:
            question = replace(question, texts={"base.json": self.merged(), "head.json": other.merged()})
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
        return asked(verb, {**(options or {}), "profile": self.profile}, self._source, self._sets(),
                      self._variant, tuple(metrics))

    def _sets(self) -> Tuple[str, ...]:
        return tuple(f"{path}={text_of(path, value)}" for path, value in self._changes.items())

    def _check(self, changes: Mapping[str, Setting]) -> None:
        """Raises ScenarioError unless there is a design with these changes."""
        probe = Scenario.__new__(Scenario)
        probe.__dict__ = {**self.__dict__, "_changes": dict(changes)}
        engine.ask(probe._question("resolve"))

    def merged(self) -> str:
        """``to_dict()`` as the text of a file."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def _file(self) -> Optional[str]:
        """The file that has the text of this scenario, as the user called it."""
        path = self._source.path
        if path is None or self._variant or self._source.operand()[1] is not None:
            return None
        return self.name if os.path.abspath(self.name) == path else path


def asked(verb: str, options: Mapping[str, Any], source: Optional[engine.Source] = None,
          sets: Tuple[str, ...] = (), variant: str = "", metrics: Tuple[str, ...] = ()) -> engine.Question:
    """A question with those of ``options`` that are given."""
    given = {k: plain_of(k, v) for k, v in options.items() if v is not None}
    return engine.Question(verb, source, sets, variant, given, metrics)
