"""Stallcast from Python: forecast how long the GPUs of a training cluster wait for storage.

::

    import stallcast

    s = stallcast.load("mine.json")
    s["storage.ost.count"] = 48
    p = s.run(draws=64)
    p.utilization, p.interval, p.verdict, p.limit
    s.plan(confidence=0.9).answer
    s.sweep({"storage.ost.count": [16, 32, 64]}).frame()

The figures, phrases and verdicts are those of the program ``stallcast``, which has to be installed: it is
``$STALLCAST``, or on ``$PATH``, or next to this package. Results are in SI base units (seconds, bytes, bytes
per second, shares from 0 to 1); values of scenarios are strings with units, as in scenario files.
"""

from ._version import VERSION
from .errors import (Diagnostic, InconclusiveError, InternalError, ProgramNotFoundError, ScenarioError,
                     StallcastError, UnknownPathError)
from .program import find_program
from .results import (CheckReport, Comparison, Diff, Explanation, Limit, Metric, Node, Plan, Point, Prediction,
                      SweepResult, Target)
from .scenario import (Scenario, ScenarioWarning, Value, compare, from_dict, from_text, init, load, templates)
from .server import use_server

__version__ = VERSION

__all__ = [
    "CheckReport", "Comparison", "Diagnostic", "Diff", "Explanation", "InconclusiveError", "InternalError", "Limit",
    "Metric", "Node", "Plan", "Point", "Prediction", "ProgramNotFoundError", "Scenario", "ScenarioError",
    "ScenarioWarning", "StallcastError", "SweepResult", "Target", "UnknownPathError", "Value", "compare",
    "find_program", "from_dict", "from_text", "init", "load", "templates", "use_server",
]
