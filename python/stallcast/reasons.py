"""Why: explanations, what changed, and whether targets hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List

from .engine import Answer, run_of
from .prediction import Prediction, Target
from .result import Result, frame_of, unknown

if TYPE_CHECKING:  # used where it is installed
    import pandas


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
        self.prediction = None if result is None else Prediction(
            Answer(result, run_of(answer.question, answer.question.source)))

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
        raise KeyError(unknown(name, [tree.name for tree in self.trees]))

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
        return frame_of(self.rows())

    def _lines(self) -> List[str]:
        count = len(self.trees)
        head = f"{self.data['scenario']['id']}: {count} number{'' if count == 1 else 's'} explained"
        return [head, *(line for tree in self.trees for line in tree._tree(0, 3 if self.data["asked"] else 1))]


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
        """Metrics that moved: "before" in the base, this scenario, and "after" in the head, in ``unit``; delta,
        relative (0.01 = 1 %), effect."""
        keys = ("metric", "unit", "before", "after", "delta", "relative", "effect")
        return [{key: metric.get(key) for key in keys} for metric in self.data["metrics"]]

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame, by metric."""
        return frame_of(self.rows(), index="metric")

    def _lines(self) -> List[str]:
        return [f"{self.verdict.upper()} {self.headline}",
                *(f"{c['name']} {c['before']} -> {c['after']}" for c in self.inputs)]


class CheckReport(Result):
    """Whether targets hold: ``passed`` is what decides in CI, and the exit code of ``stallcast check``."""

    _pixels = 340

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

    @property
    def targets(self) -> List[Target]:
        """Every assertion, judged; ``rows()`` has the fixes that were tried, too."""
        return [Target(a["id"], a["that"], a["status"], a["value"], a["unit"], a["level"], a.get("limited_by"),
                       a.get("probability"), a.get("why", ""), a.get("most_waited_for"))
                for s in self.data["scenarios"] for a in s["assertions"]]

    def rows(self) -> List[Dict[str, Any]]:
        """Every assertion: id, that, status, value in unit, limit, what limits it, and a fix that was tried."""
        keys = ("id", "that", "level", "status", "value", "unit", "limit", "limited_by", "fix", "culprit", "why")
        return [{key: a.get(key) for key in keys} for s in self.data["scenarios"] for a in s["assertions"]]

    def frame(self) -> "pandas.DataFrame":
        """``rows()`` as a data frame, by id."""
        return frame_of(self.rows(), index="id")

    def _lines(self) -> List[str]:
        return [f"{self.verdict.upper()}: {self.headline}",
                *(f"{row['status']} {row['id']}: {row['that']}" for row in self.rows())]


def _node(data: Dict[str, Any]) -> Node:
    source = data.get("source") or {}
    said = ", ".join(text for text in (source.get("where", ""), source.get("citation", "")) if text)
    return Node(data["name"], data["value"], data["unit"], data["text"], data["kind"], data.get("equation", ""),
                data.get("reference", ""), data.get("note", ""), said, [_node(c) for c in data.get("children", ())])
