"""Values in attributes, which may be anything that JSON can hold."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Numbers = tuple[float, ...]


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object; otherwise an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> Sequence[Any]:
    """The value if it is an array; otherwise an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else ()


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects in an array."""
    return (item for item in items(value) if isinstance(item, Mapping))


def text(value: Any) -> str:
    """The value if it is a string; otherwise an empty one."""
    return value if isinstance(value, str) else ""


def number(value: Any) -> float | None:
    """A finite number, or None."""
    # An integer of JSON may be larger than any float.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        return None
    return float(value)


def numbers(value: Any, length: int | None = None) -> Numbers | None:
    """An array of finite numbers, or None.

    Args:
        value: any value.
        length: how many numbers there must be; None for any number of them.
    """
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    found = [number(item) for item in value]
    if None in found or (length is not None and len(found) != length):
        return None
    return tuple(item for item in found if item is not None)


def are_finite(values: Numbers) -> bool:
    """Whether all are finite."""
    return all(map(math.isfinite, values))


def is_count(value: Any) -> bool:
    """Whether a value is an integer of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
