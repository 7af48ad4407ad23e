"""Many designs: plans, sweeps, and designs side by side."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .engine import Answer, Source, run_of
from .errors import StallcastError
from .prediction import Metric, Prediction, metrics_of
from .result import Result, frame_of, plain, pyplot, unknown

if TYPE_CHECKING:  # used where they are installed
    import matplotlib.axes
    import pandas


class Plan(Result):
    """The smallest design that meets the targets, or why there is none.

    ``status`` is "found", "infeasible" or "inconclusive"; ``answer`` what it takes, by path, or None:
    ``s.update(plan.answer)`` sets it. With ``plan(confidence=0.9)`` both are of a design that does in nine cases
    of ten.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self._plan: Dict[str, Any] = self.data["plan"]
        #: Of the design found, or of the largest that was tried; with ``plan(confidence=0.9)`` of what does
        #: without draws.
        self.prediction = Prediction(answer)

    @property
    def status(self) -> str:
        return str(self._plan["status"])

    @property
    def verdict(self) -> str:
        """Of the plan, as its exit: "pass", "fail", "inconclusive" or "none"."""
        return self.prediction.verdict

    @property
    def summary(self) -> List[str]:
        """The answer in words, line by line."""
        return list(self._plan["summary"])

    @property
    def answer(self) -> Optional[Dict[str, Any]]:
        found = self._plan["answer"]
        return None if found is None else {path: plain(text) for path, text in found.items()}

    @property
    def confidence(self) -> Optional[Dict[str, Any]]:
        """With ``plan(confidence=0.9)``: its "answer", in which share of all cases it does ("probability"),
        what would do without draws ("nominal_answer"), and in which share that does ("nominal_probability")."""
        found: Optional[Dict[str, Any]] = self._plan.get("confidence")
        if found is None:
            return None
        values = {key: {path: plain(text) for path, text in found[key].items()}
                  for key in ("answer", "nominal_answer") if found[key] is not None}
        return {**found, **values}

    def rows(self) -> List[Dict[str, Any]]:
        """The designs that were simulated: what was varied, utilization, whether targets hold, and by which
        share of its limit each holds (margin)."""
        out = []
        for point in self._plan["points"]:
            row: Dict[str, Any] = {path: plain(text) for path, text in point["values"].items()}
            row.update(meets=point["meets"], utilization=point["utilization"],
                       limited_by=point["limited_by"], most_waited_for=point.get("most_waited_for"))
            for target in point["targets"]:
                name = target["id"] + (f", {target['when']}" if target["when"] else "")
                row[name] = target["value"]
                row[name + " margin"] = target["margin"]
            out.append(row)
        return out

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame."""
        return frame_of(self.rows())

    def _lines(self) -> List[str]:
        return self.summary


@dataclass(frozen=True)
class Point:
    """A design of a sweep: ``values`` by path as they were asked for, ``metrics`` in SI units.

    ``status`` is "done", "failed" (``message`` says why) or "missing"; ``verdict`` as of a prediction.
    """

    number: int
    values: Dict[str, Any]
    status: str
    verdict: Optional[str]
    limited_by: Optional[str]
    metrics: Dict[str, Metric]
    message: str = ""
    most_waited_for: Optional[str] = None

    def __getitem__(self, name: str) -> Any:
        """A value that was varied, by path, or a metric, by name."""
        if name in self.values:
            return self.values[name]
        if name in self.metrics:
            return self.metrics[name].value
        raise KeyError(unknown(name, [*self.values, *self.metrics]))


class SweepResult(Result, Sequence[Point]):
    """The points of a sweep, in order: a sequence."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self._points = [_point(p) for p in self.data["points"]]

    @property
    def headline(self) -> str:
        return str(self.data["headline"])

    @property
    def varied(self) -> List[str]:
        """The paths that were varied."""
        return list(self.data["varied"])

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, index: Any) -> Any:
        return self._points[index]

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def rows(self) -> List[Dict[str, Any]]:
        """A dict for each point: what was varied, metrics (with the ends of their intervals, if there are
        draws), verdict, limited_by, most_waited_for and status. What limits a point is told where nothing need be
        tried for that; elsewhere what was waited for most is."""
        out = []
        for point in self._points:
            row: Dict[str, Any] = dict(point.values)
            for m in point.metrics.values():
                row[m.name] = m.value
                if m.interval:
                    row[m.name + " low"], row[m.name + " high"] = m.interval
            row.update(verdict=point.verdict, limited_by=point.limited_by, most_waited_for=point.most_waited_for,
                       status=point.status)
            out.append(row)
        return out

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame."""
        return frame_of(self.rows())

    def plot(self, metric: Optional[str] = None, ax: "Optional[matplotlib.axes.Axes]" = None
             ) -> "matplotlib.axes.Axes":
        """``metric`` (default: the first) over what was varied first, a line for each value of the rest."""
        axes = ax if ax is not None else pyplot().subplots()[1]
        done = [p for p in self._points if p.metrics]
        if not done:
            raise StallcastError("no point of the sweep has a figure to draw")
        name = metric or next(iter(done[0].metrics))
        first, *rest = self.varied
        lines: Dict[str, List[Tuple[Any, float]]] = {}
        for point in done:
            key = ", ".join(f"{path} {point.values[path]}" for path in rest)
            lines.setdefault(key, []).append((point.values[first], point[name]))
        for label, places in lines.items():
            axes.plot([x for x, _ in places], [y for _, y in places], "o-", label=label)
        axes.set_xlabel(first)
        axes.set_ylabel(f"{name} [{done[0].metrics[name].unit}]")
        if rest:
            axes.legend()
        return axes

    def _lines(self) -> List[str]:
        return [self.headline, *(_point_line(p) for p in self._points[:20]),
                *([f"... {len(self) - 20} more"] if len(self) > 20 else [])]


class Comparison(Result, Mapping[str, Prediction]):
    """Designs side by side, by name: ``c["weka"]`` is the prediction of one."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        asked = answer.question
        sources = {name: Source(name, text, os.getcwd()) for name, text in asked.texts.items()}
        self._designs = {d["name"]: Prediction(Answer(d["result"], run_of(asked, sources[d["name"]])))
                         for d in self.data["designs"]}

    @property
    def headline(self) -> str:
        return str(self.data["headline"])

    def __getitem__(self, name: str) -> Prediction:
        try:
            return self._designs[name]
        except KeyError:
            raise KeyError(unknown(name, self._designs)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._designs)

    def __len__(self) -> int:
        return len(self._designs)

    def rows(self) -> List[Dict[str, str]]:
        """The table as a report prints it: a label, and a text for each design."""
        return [{"label": row["label"], **{name: cell["text"] for name, cell in zip(self, row["cells"])}}
                for row in self.data["rows"]]

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame, by label. Numbers are in ``c[name].metrics``."""
        return frame_of(self.rows(), index="label")

    def _lines(self) -> List[str]:
        return [self.headline, *(f"{name}: {p.summary[0]}" for name, p in self._designs.items())]


def _point(data: Dict[str, Any]) -> Point:
    return Point(data["point"], {path: plain(text) for path, text in data["set"].items()}, data["status"],
                 data.get("verdict"), data.get("limited_by"), metrics_of(data.get("metrics", {})), str(data.get("message") or ""),
                 data.get("most_waited_for"))


def _point_line(point: Point) -> str:
    values = ", ".join(f"{path} {value}" for path, value in point.values.items())
    if point.status != "done":
        return f"{values}: {point.status}" + (f", {point.message}" if point.message else "")
    return f"{values}: {point.verdict}, " + ", ".join(f"{m.name} {_figure(m)}" for m in point.metrics.values())


def _figure(metric: Metric) -> str:
    """As reports say it: 60.4 %, 143 kUSD, 1.5 GB/s."""
    value, unit = metric.value, metric.unit
    if unit == "ratio":
        return f"{100.0 * value:.4g} %"
    prefixes = ["", "k", "M", "G", "T", "P"] if unit in ("B", "B/s", "USD", "W") else [""]
    while abs(value) >= 1000.0 and len(prefixes) > 1:
        value /= 1000.0
        del prefixes[0]
    return f"{value:.4g} {prefixes[0]}{unit}"
