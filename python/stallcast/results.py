"""Answers. Every figure, phrase and verdict is the program's own; numbers are in SI base units."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .engine import Answer
from .errors import StallcastError

if TYPE_CHECKING:  # pandas and matplotlib are used where they are installed
    import matplotlib.axes
    import pandas

_FORMATS = {".html": "html", ".htm": "html", ".md": "markdown", ".csv": "csv", ".json": "json", ".txt": "text"}
_PAGE_PIXELS = 560


class Result:
    """An answer of Stallcast: ``data`` is the JSON of the command line's ``--format json``."""

    _is_paged = True  # whether a notebook shows the page of the report

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.data: Dict[str, Any] = answer.data

    def report(self, format: str = "text") -> str:
        """The report as ``stallcast`` writes it: "text", "markdown", "csv", "html" or "json"."""
        if format == "json":
            return json.dumps(self.data, indent=2, ensure_ascii=False) + "\n"
        return self._answer.report(format)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the report to a file: as a page, Markdown, CSV, JSON or text, by the end of its name."""
        name = os.fspath(path)
        end = os.path.splitext(name)[1].lower()
        if end not in _FORMATS:
            raise ValueError(f"{name}: no report ends in {end!r}; use one of {', '.join(_FORMATS)}")
        text = self.report(_FORMATS[end])
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)

    def _lines(self) -> List[str]:
        return []

    def __repr__(self) -> str:
        return "\n  ".join(self._lines())

    def _repr_html_(self) -> str:
        """For notebooks: the page of the report, in a frame of its own."""
        if not self._is_paged:
            return f"<pre>{html.escape(repr(self))}</pre>"
        try:
            page = self.report("html")
        except StallcastError:  # what was found stays to be seen
            return f"<pre>{html.escape(repr(self))}</pre>"
        return (f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-downloads allow-popups" '
                f'style="width:100%;height:{_PAGE_PIXELS}px;border:1px solid #8886;border-radius:6px" '
                f'title="{html.escape(self._lines()[0])}"></iframe>')


@dataclass(frozen=True)
class Metric:
    """One figure: ``value`` in ``unit`` ("s", "B/s", "ratio", ...).

    ``interval`` is what it may turn out to be nine times in ten, ``median`` the middle of that; None without
    draws. ``ci95`` is where the mean of the replicas lies, by chance of the seeds alone.
    """

    name: str
    value: float
    unit: str
    median: Optional[float] = None
    interval: Optional[Tuple[float, float]] = None
    ci95: Optional[Tuple[float, float]] = None

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Target:
    """A line of "expect": ``status`` is "pass", "fail" or "inconclusive"; ``probability`` in how many of all
    cases it holds, 0..1, or None without draws."""

    id: str
    that: str
    status: str
    value: Optional[float]
    unit: str
    level: str = "error"
    limited_by: Optional[str] = None
    probability: Optional[float] = None
    why: str = ""


@dataclass(frozen=True)
class Limit:
    """What limits a design. ``phrase`` says it in words, ``resource`` is its name in reports, or None where
    it is no resource; ``share`` of the time it costs, 0..1; ``target`` is the target missed for it."""

    kind: str
    resource: Optional[str]
    label: str
    share: float
    target: Optional[str]
    phrase: str
    advice: str

    def __str__(self) -> str:
        return self.phrase


class Prediction(Result):
    """What will happen. ``p["job.train.step.time"]`` is a figure by its name, in SI units."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.metrics: Dict[str, Metric] = {
            name: Metric(name, m["value"], m["unit"], m.get("median"), _pair(m.get("ci90")), _pair(m.get("ci95")))
            for name, m in self.data["metrics"].items()}

    @property
    def id(self) -> str:
        return str(self.data["scenario"]["id"])

    @property
    def verdict(self) -> str:
        """ "pass", "fail", "inconclusive", or "none" for a scenario without targets."""
        return str(self.data["verdict"])

    @property
    def summary(self) -> List[str]:
        """What a report says first, line by line."""
        return list(self.data["summary"])

    @property
    def system(self) -> str:
        """What was simulated, in one line."""
        return str(self.data.get("system", ""))

    @property
    def limit(self) -> Limit:
        """What limits it; ``str(p.limit)`` says it in words."""
        return Limit(**self.data["limit"])

    @property
    def jobs(self) -> List[str]:
        """Ids of its jobs."""
        return list(self.data["breakdown"])

    @property
    def utilization(self) -> Optional[float]:
        """The share of the time in which GPUs compute, 0..1, of the only job; None without a job.

        Of several jobs, ask by name: ``p["job.train.gpu.utilization"]``.
        """
        metric = self._utilization()
        return metric.value if metric else None

    @property
    def interval(self) -> Optional[Tuple[float, float]]:
        """From where to where ``utilization`` may turn out nine times in ten; None without draws."""
        metric = self._utilization()
        return metric.interval if metric else None

    @property
    def targets(self) -> List[Target]:
        """The lines of "expect", judged."""
        return [Target(a["id"], a["that"], a["status"], a["value"], a["unit"], a["level"], a.get("limited_by"),
                       a.get("probability"), a.get("why", "")) for a in self.data["assertions"]]

    @property
    def breakdown(self) -> Dict[str, Dict[str, float]]:
        """Of each job, which share of its time every cause takes: they add up to 1."""
        return {job: dict(causes) for job, causes in self.data["breakdown"].items()}

    @property
    def alternatives(self) -> List[Dict[str, Any]]:
        """Changes that were tried by simulation, and what each gains."""
        return list(self.data["alternatives"])

    @property
    def warnings(self) -> List[str]:
        return list(self.data["warnings"])

    def __getitem__(self, metric: str) -> float:
        try:
            return self.metrics[metric].value
        except KeyError:
            raise KeyError(_unknown_metric(metric, self.metrics)) from None

    def __contains__(self, metric: object) -> bool:
        return metric in self.metrics

    __iter__ = None

    def frame(self) -> "pandas.DataFrame":
        """All figures as a data frame, by name: value, unit, median, low and high (nine times in ten)."""
        return _frame(self.rows(), index="metric")

    def rows(self) -> List[Dict[str, Any]]:
        """The same without pandas."""
        return [{"metric": m.name, "value": m.value, "unit": m.unit, "median": m.median,
                 "low": m.interval[0] if m.interval else None, "high": m.interval[1] if m.interval else None}
                for m in self.metrics.values()]

    def _lines(self) -> List[str]:
        return self.summary

    def _utilization(self) -> Optional[Metric]:
        if len(self.jobs) > 1:
            names = ", ".join(f'p["job.{job}.gpu.utilization"]' for job in self.jobs)
            raise StallcastError(f"{self.id} has {len(self.jobs)} jobs\n  hint: ask for one of them: {names}")
        return self.metrics.get(f"job.{self.jobs[0]}.gpu.utilization") if self.jobs else None


class Plan(Result):
    """The smallest design that meets the targets, or why there is none.

    ``status`` is "found", "infeasible" or "inconclusive"; ``answer`` what it takes, by path, or None:
    ``s.update(plan.answer)`` sets it.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self._plan: Dict[str, Any] = self.data["plan"]
        #: Of the design found, or of the largest that was tried.
        self.prediction = Prediction(answer)

    @property
    def status(self) -> str:
        return str(self._plan["status"])

    @property
    def verdict(self) -> str:
        """Of the design found: "pass", "fail", "inconclusive" or "none"."""
        return self.prediction.verdict

    @property
    def summary(self) -> List[str]:
        """The answer in words, line by line."""
        return list(self._plan["summary"])

    @property
    def answer(self) -> Optional[Dict[str, Any]]:
        found = self._plan["answer"]
        return None if found is None else {path: _plain(text) for path, text in found.items()}

    @property
    def confidence(self) -> Optional[Dict[str, Any]]:
        """With ``plan(confidence=0.9)``: its "answer", in which share of all cases it does ("probability"),
        and in which the plain answer does ("nominal_probability")."""
        found: Optional[Dict[str, Any]] = self._plan.get("confidence")
        if found is None or found["answer"] is None:
            return found
        return {**found, "answer": {path: _plain(text) for path, text in found["answer"].items()}}

    def rows(self) -> List[Dict[str, Any]]:
        """The designs that were simulated: what was varied, utilization, whether targets hold, and by which
        share of its limit each holds (margin)."""
        out = []
        for point in self._plan["points"]:
            row: Dict[str, Any] = {path: _plain(text) for path, text in point["values"].items()}
            row.update(meets=point["meets"], utilization=point["utilization"], limited_by=point["binding"])
            for target in point["targets"]:
                name = target["id"] + (f", {target['when']}" if target["when"] else "")
                row[name] = target["value"]
                row[name + " margin"] = target["margin"]
            out.append(row)
        return out

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame."""
        return _frame(self.rows())

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

    def __getitem__(self, name: str) -> Any:
        """A value that was varied, by path, or a metric, by name."""
        if name in self.values:
            return self.values[name]
        if name in self.metrics:
            return self.metrics[name].value
        raise KeyError(_unknown_metric(name, [*self.values, *self.metrics]))


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
        draws), verdict, limited_by and status."""
        out = []
        for point in self._points:
            row: Dict[str, Any] = dict(point.values)
            for m in point.metrics.values():
                row[m.name] = m.value
                if m.interval:
                    row[m.name + " low"], row[m.name + " high"] = m.interval
            row.update(verdict=point.verdict, limited_by=point.limited_by, status=point.status)
            out.append(row)
        return out

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame."""
        return _frame(self.rows())

    def plot(self, metric: Optional[str] = None, ax: "Optional[matplotlib.axes.Axes]" = None
             ) -> "matplotlib.axes.Axes":
        """``metric`` (default: the first) over what was varied first, a line for each value of the rest."""
        axes = ax if ax is not None else _pyplot().subplots()[1]
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


@dataclass(frozen=True)
class Node:
    """A number of an explanation: what it is made of is in ``children``, down to inputs with a source."""

    name: str
    value: float
    unit: str
    text: str
    kind: str
    equation: str
    reference: str
    note: str
    source: str
    children: List["Node"]

    def __getitem__(self, name: str) -> "Node":
        """The number of this name in it, however deep."""
        for node in self.walk():
            if node.name == name:
                return node
        raise KeyError(name)

    def walk(self) -> Iterator["Node"]:
        """This number and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def __repr__(self) -> str:
        return "\n".join(self._tree(0, 3))

    def _tree(self, level: int, depth: int) -> List[str]:
        tail = f" = {self.equation}" if self.equation else f", {self.source or self.note}" if not self.children and (
            self.source or self.note) else ""
        out = [f"{'  ' * level}{self.name} = {self.text}{tail}"]
        if depth > 0:
            for child in self.children:
                out += child._tree(level + 1, depth - 1)
        return out


class Explanation(Result):
    """Why: numbers as trees. ``e["job.train.gpu.utilization"]`` is one of them."""

    _is_paged = False  # pages of all trees are large; save("why.html") writes one

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.trees = [_node(tree) for tree in self.data["trees"]]
        result = self.data.get("result")
        #: What was simulated for it, or None.
        self.prediction = None if result is None else Prediction(Answer(result, answer.question))

    @property
    def bound(self) -> float:
        """What GPU utilization cannot exceed, by closed forms: 0..1."""
        return float(self.data["bound"]["utilization"])

    @property
    def what_if(self) -> List[Dict[str, Any]]:
        """Changes that were tried by simulation; "set" is what the command line takes."""
        return list(self.data["what_if"])

    def __getitem__(self, name: str) -> Node:
        for tree in self.trees:
            for node in tree.walk():
                if node.name == name:
                    return node
        raise KeyError(_unknown_metric(name, [tree.name for tree in self.trees]))

    __iter__ = None

    def rows(self) -> List[Dict[str, Any]]:
        """Every number with its level (0 for those that were asked for), value, unit, equation and source."""
        def walk(node: Node, level: int) -> Iterator[Dict[str, Any]]:
            yield {"level": level, "name": node.name, "value": node.value, "unit": node.unit, "kind": node.kind,
                   "equation": node.equation, "source": node.source, "reference": node.reference}
            for child in node.children:
                yield from walk(child, level + 1)
        return [row for tree in self.trees for row in walk(tree, 0)]

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame."""
        return _frame(self.rows())

    def _lines(self) -> List[str]:
        count = len(self.trees)
        head = f"{self.data['scenario']['id']}: {count} number{'' if count == 1 else 's'} explained"
        return [head, *(line for tree in self.trees for line in tree._tree(0, 3 if self.data["asked"] else 1))]


class Comparison(Result, Mapping[str, Prediction]):
    """Designs side by side, by name: ``c["weka"]`` is the prediction of one."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self._designs = {d["name"]: Prediction(Answer(d["result"], answer.question)) for d in self.data["designs"]}

    @property
    def headline(self) -> str:
        return str(self.data["headline"])

    def __getitem__(self, name: str) -> Prediction:
        try:
            return self._designs[name]
        except KeyError:
            raise KeyError(_unknown_metric(name, self._designs)) from None

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
        return _frame(self.rows(), index="label")

    def _lines(self) -> List[str]:
        return [self.headline, *(f"{name}: {p.summary[0]}" for name, p in self._designs.items())]


class Diff(Result):
    """What changed between two designs, which figures moved, and why."""

    @property
    def headline(self) -> str:
        return str(self.data["headline"])

    @property
    def verdict(self) -> str:
        """ "worse", "better", "mixed", "changed" or "same"."""
        return str(self.data["verdict"])

    @property
    def changed(self) -> bool:
        return bool(self.data["changed"])

    @property
    def inputs(self) -> List[Dict[str, Any]]:
        """Inputs that changed: name, before, after, and where each is written."""
        return list(self.data["inputs"])

    def rows(self) -> List[Dict[str, Any]]:
        """Metrics that moved: before and after in ``unit``, delta, relative (0.01 = 1 %), effect."""
        keys = ("metric", "unit", "before", "after", "delta", "relative", "effect")
        return [{key: metric.get(key) for key in keys} for metric in self.data["metrics"]]

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame, by metric."""
        return _frame(self.rows(), index="metric")

    def _lines(self) -> List[str]:
        return [f"{self.verdict.upper()} {self.headline}",
                *(f"{c['name']} {c['before']} -> {c['after']}" for c in self.inputs)]


class CheckReport(Result):
    """Whether targets hold: ``passed`` is what decides in CI, and the exit code of ``stallcast check``."""

    @property
    def headline(self) -> str:
        return str(self.data["headline"])

    @property
    def verdict(self) -> str:
        """ "pass", "fail" or "inconclusive"."""
        return str(self.data["verdict"])

    @property
    def exit_code(self) -> int:
        return int(self.data["exit"])

    @property
    def passed(self) -> bool:
        return self.exit_code == 0

    def rows(self) -> List[Dict[str, Any]]:
        """Every assertion: id, that, status, value in unit, limit, what limits it, and a fix that was tried."""
        keys = ("id", "that", "level", "status", "value", "unit", "limit", "limited_by", "fix", "culprit", "why")
        return [{key: a.get(key) for key in keys} for s in self.data["scenarios"] for a in s["assertions"]]

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame, by id."""
        return _frame(self.rows(), index="id")

    def _lines(self) -> List[str]:
        return [f"{self.verdict.upper()}: {self.headline}",
                *(f"{row['status']} {row['id']}: {row['that']}" for row in self.rows())]


def _point(data: Dict[str, Any]) -> Point:
    metrics = {name: Metric(name, m["value"], m["unit"], m.get("median"), _pair(m.get("ci90")), _pair(m.get("ci95")))
               for name, m in data.get("metrics", {}).items()}
    return Point(data["point"], {path: _plain(text) for path, text in data["set"].items()}, data["status"],
                 data.get("verdict"), data.get("limited_by"), metrics, str(data.get("message") or ""))


def _point_line(point: Point) -> str:
    values = ", ".join(f"{path} {value}" for path, value in point.values.items())
    if point.status != "done":
        return f"{values}: {point.status}" + (f", {point.message}" if point.message else "")
    figures = ", ".join(f"{m.name} {m.value:.4g} {m.unit}" for m in point.metrics.values())
    return f"{values}: {point.verdict}, {figures}"


def _node(data: Dict[str, Any]) -> Node:
    source = data.get("source") or {}
    said = ", ".join(text for text in (source.get("where", ""), source.get("citation", "")) if text)
    return Node(data["name"], data["value"], data["unit"], data["text"], data["kind"], data.get("equation", ""),
                data.get("reference", ""), data.get("note", ""), said, [_node(c) for c in data.get("children", ())])


def _pair(ends: Optional[Sequence[float]]) -> Optional[Tuple[float, float]]:
    return None if ends is None else (ends[0], ends[1])


def _plain(text: Any) -> Any:
    """A number where the text is one."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


def _unknown_metric(name: object, known: Any) -> str:
    from difflib import get_close_matches
    near = get_close_matches(str(name), [str(k) for k in known], 3, 0.5)
    return f"{name!r} is not there" + (f"; did you mean {' or '.join(map(repr, near))}?" if near else "")


def _frame(rows: List[Dict[str, Any]], index: Optional[str] = None) -> "pandas.DataFrame":
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("frame() needs pandas (Debian: python3-pandas); rows() gives the same as dicts") from None
    frame = pd.DataFrame(rows)
    return frame.set_index(index) if index is not None and rows else frame


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot() needs matplotlib (Debian: python3-matplotlib)") from None
    return pyplot
