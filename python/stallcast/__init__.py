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
from .designs import Comparison, Plan, Point, SweepResult
from .errors import (Diagnostic, InconclusiveError, InternalError, ProgramNotFoundError, ScenarioError,
                     StallcastError, UnknownPathError)
from .opening import ScenarioWarning, compare, from_dict, from_text, init, load, templates
from .prediction import Limit, Metric, Prediction, Target
from .program import find_program
from .reasons import CheckReport, Diff, Explanation, Node
from .scenario import Scenario, Value
from .server import use_server

__version__ = VERSION

__all__ = [
    "CheckReport", "Comparison", "Diagnostic", "Diff", "Explanation", "InconclusiveError", "InternalError", "Limit",
    "Metric", "Node", "Plan", "Point", "Prediction", "ProgramNotFoundError", "Scenario", "ScenarioError",
    "ScenarioWarning", "StallcastError", "SweepResult", "Target", "UnknownPathError", "Value", "compare",
    "find_program", "from_dict", "from_text", "init", "load", "templates", "use_server",
]
