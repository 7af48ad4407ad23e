"""Where scenarios come from, and several of them side by side."""

from __future__ import annotations

import json
import os
import re
import warnings
from dataclasses import replace
from typing import Any, Dict, Mapping, Optional, Union

from . import engine, program
from .designs import Comparison
from .errors import Diagnostic, ScenarioError
from .scenario import Duration, Scenario, asked
from .settings import plain_of


class ScenarioWarning(UserWarning):
    """Something in a scenario that is allowed and rarely meant."""


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
    name = os.fsdecode(path)
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
    return _scenario(engine.Source(name, json.dumps(plain_of(name, data), indent=2) + "\n", os.getcwd()), variant,
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
    profiles = {scenario.profile for scenario in named.values()}
    if len(profiles) > 1:
        raise ValueError("scenarios with different profiles cannot be compared")
    question = asked("compare", dict(draws=draws, seed=seed, replicas=replicas, time_limit=time_limit,
                                      profile=profiles.pop()))
    return Comparison(engine.ask(replace(question, texts={n: s.merged() for n, s in named.items()})))


def _add(named: Dict[str, Scenario], name: str, scenario: Scenario) -> None:
    """Under a name of its own that is one of a file, too: "mine", "mine 2"."""
    name = re.sub(r"[/#:\x00-\x1f]", "_", name).lstrip("-.") or "scenario"
    other, n = name, 2
    while other in named:
        other, n = f"{name} {n}", n + 1
    named[other] = scenario
