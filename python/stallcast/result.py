"""What all answers share. Every figure, phrase and verdict is the program's own; numbers are in SI base units."""

from __future__ import annotations

import html
import json
import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from .engine import Answer
from .errors import StallcastError

if TYPE_CHECKING:  # used where it is installed
    import pandas

_FORMATS = {".html": "html", ".htm": "html", ".md": "markdown", ".csv": "csv", ".json": "json", ".txt": "text"}


class Result:
    """An answer of Stallcast: ``data`` is the JSON of the command line's ``--format json``."""

    _is_paged = True  # whether a notebook shows the page of the report
    _pixels = 560

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
                f'style="width:100%;height:{self._pixels}px;border:1px solid #8886;border-radius:6px" '
                f'title="{html.escape(self._lines()[0])}"></iframe>')


def pair(ends: Optional[Sequence[float]]) -> Optional[Tuple[float, float]]:
    """The ends of an interval."""
    return None if ends is None else (ends[0], ends[1])


def plain(text: Any) -> Any:
    """A number where the text is one."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


def unknown(name: object, known: Iterable[object]) -> str:
    """What a KeyError says: the nearest that there are."""
    near = get_close_matches(str(name), [str(k) for k in known], 3, 0.5)
    return f"{name!r} is not there" + (f"; did you mean {' or '.join(map(repr, near))}?" if near else "")


def frame_of(rows: List[Dict[str, Any]], index: Optional[str] = None) -> "pandas.DataFrame":
    """Rows as a data frame; ImportError says what is missing."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("frame() needs pandas (Debian: python3-pandas); rows() gives the same as dicts") from None
    frame = pd.DataFrame(rows)
    return frame.set_index(index) if index is not None and rows else frame


def pyplot() -> Any:
    """matplotlib.pyplot; ImportError says what is missing."""
    try:
        from matplotlib import pyplot as found
    except ImportError:
        raise ImportError("plot() needs matplotlib (Debian: python3-matplotlib)") from None
    return found
