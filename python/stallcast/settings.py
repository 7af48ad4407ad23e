"""Values as ``--set`` and ``--vary`` take them."""

from __future__ import annotations

import json
import math
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

Setting = Union[None, bool, int, float, str, Sequence[Any], Mapping[str, Any]]


def path_of(path: object) -> str:
    if not isinstance(path, str):
        raise TypeError(f"a path is a str as 'storage.ost.count', not {type(path).__name__}")
    return path


def list_of(value: Union[None, str, Sequence[str]]) -> Optional[List[str]]:
    return None if value is None else [value] if isinstance(value, str) else list(value)


def plain_of(path: str, value: Any) -> Any:
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
        return {str(k): plain_of(path, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_of(path, v) for v in value]
    raise TypeError(f"{path}: {type(value).__name__} is not a value: give a number, a str as '4 GB/s', a list or "
                    "a dict")


def text_of(path: str, value: Any) -> str:
    """``value`` as ``--set`` takes it."""
    plain = plain_of(path, value)
    if isinstance(plain, str):
        try:
            json.loads(plain)
        except ValueError:
            return plain
    return json.dumps(plain)


def values_of(path: str, values: Union[Setting, Iterable[Setting]]) -> str:
    """Values as ``--vary`` takes them."""
    if isinstance(values, str):
        return values
    if isinstance(values, Mapping):  # its keys would be taken for values
        raise ValueError(f'{path}: a range is text, as "16..64:4"; else give a list of values')
    if values is None or isinstance(values, (bool, int, float)):
        values = [values]
    texts = [text_of(path, value) for value in values]
    if not texts:
        raise ValueError(f"{path}: there are no values to vary it over")
    for text in texts:
        if "," in text:
            raise ValueError(f"{path}: {text} cannot be varied: it has a comma")
    return ",".join(texts)
