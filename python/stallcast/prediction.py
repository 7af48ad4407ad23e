"""What will happen: figures, targets, and what limits a design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from .engine import Answer
from .errors import StallcastError
from .result import Result, frame_of, pair, unknown

if TYPE_CHECKING:  # used where it is installed
    import pandas


@dataclass(frozen=True)
class Metric:
    """One figure: ``value`` in ``unit`` ("s", "B/s", "ratio", ...).

    ``interval`` is what it may turn out to be nine times in ten, ``median`` the middle of that; None without
    draws. ``ci95`` is where the mean of the replicas lies, by chance of the seeds alone. ``binding`` is what
    fewer would lack ("bandwidth", "capacity", ...), of what a plan counts.
    """

    name: str
    value: float
    unit: str
    median: Optional[float] = None
    interval: Optional[Tuple[float, float]] = None
    ci95: Optional[Tuple[float, float]] = None
    binding: Optional[str] = None

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Target:
    """A line of "expect": ``status`` is "pass", "fail" or "inconclusive"; ``probability`` in how many of all
    cases it holds, 0..1, or None without draws. ``most_waited_for`` is in place of ``limited_by`` where nothing was
    tried that tells what limits it."""

    id: str
    that: str
    status: str
    value: Optional[float]
    unit: str
    level: str = "error"
    limited_by: Optional[str] = None
    probability: Optional[float] = None
    why: str = ""
    most_waited_for: Optional[str] = None


@dataclass(frozen=True)
class Limit:
    """What limits a design. ``phrase`` says it in words, ``resource`` is its name in reports, or None where
    it is no resource; ``share`` of the time it costs, 0..1; ``target`` is the target missed for it, and
    ``change`` the relative change of its metric without the limit, where that is known."""

    kind: str
    resource: Optional[str]
    label: str
    share: float
    target: Optional[str]
    phrase: str
    advice: str
    change: Optional[float] = None

    def __str__(self) -> str:
        return self.phrase


class Prediction(Result):
    """What will happen. ``p["job.train.step.time"]`` is a figure by its name, in SI units."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.metrics: Dict[str, Metric] = metrics_of(self.data["metrics"])

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
    def most_waited_for(self) -> Optional[str]:
        """The resource that was waited for most, where nothing was tried that tells what limits it; else None."""
        return self.data.get("most_waited_for")

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
                       a.get("probability"), a.get("why", ""), a.get("most_waited_for"))
                for a in self.data["assertions"]]

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
            raise KeyError(unknown(metric, self.metrics)) from None

    def __contains__(self, metric: object) -> bool:
        return metric in self.metrics

    __iter__ = None

    def frame(self) -> "pandas.DataFrame":
        """All figures as a data frame, by name: value, unit, median, low and high (nine times in ten)."""
        return frame_of(self.rows(), index="metric")

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


def metrics_of(data: Dict[str, Any]) -> Dict[str, Metric]:
    """Figures by name, from "metrics" of a report."""
    return {name: Metric(name, m["value"], m["unit"], m.get("median"), pair(m.get("ci90")), pair(m.get("ci95")),
                         m.get("binding"))
            for name, m in data.items()}
