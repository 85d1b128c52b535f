"""Selections as text: ``3,:,0:100``, ``time=3,y=0:100``, and ``3,_,0-100`` for shells and file names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import EllipsisType

from zarrcore.errors import SelectionError

_INTEGER = re.compile(r"-?[0-9]{1,19}")
_SLICE = re.compile(r"(-?[0-9]{1,19})?:(-?[0-9]{1,19})?(?::(-?[0-9]{1,19})?)?")
# Without colons a range is written with a hyphen, so it cannot have negative numbers.
_HYPHENATED = re.compile(r"([0-9]{1,19})-([0-9]{1,19})?(?:-([0-9]{1,19}))?")

Item = int | slice | EllipsisType


def parse_selection(text: str, dimension_names: Sequence[str | None] | None = None) -> tuple[Item, ...]:
    """The basic selection in ``text``; brackets around it are optional.

    Raises:
        SelectionError: the text is not a selection, or names a dimension that does not exist.

    >>> parse_selection("3,:,0:100")
    (3, slice(None, None, None), slice(0, 100, None))
    >>> parse_selection("3,_,0-100") == parse_selection("[3,:,0:100]")
    True
    >>> parse_selection("x=5", ["y", "x"])
    (slice(None, None, None), 5)
    """
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if parts and not parts[-1]:
        parts.pop()  # "3," as Python allows it
    if any("=" in part for part in parts):
        return _by_name(parts, dimension_names)
    return tuple(_item(part) for part in parts)


def _by_name(parts: list[str], dimension_names: Sequence[str | None] | None) -> tuple[Item, ...]:
    if dimension_names is None:
        raise SelectionError(
            "the dimensions of this array have no names: select by position, for instance 3,:"
        )
    items: list[Item] = [slice(None)] * len(dimension_names)
    seen: set[str] = set()
    for part in parts:
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals:
            raise SelectionError(f"expected NAME=SELECTION, found {part!r}")
        if dimension_names.count(name) != 1:
            known = ", ".join(str(known) for known in dimension_names if known is not None)
            raise SelectionError(f"expected the name of one dimension, found {name!r}; the names are {known}")
        if name in seen:
            raise SelectionError(f"dimension {name!r} is selected twice")
        seen.add(name)
        item = _item(value.strip())
        if item is Ellipsis:
            raise SelectionError("'...' stands for several dimensions and has no name")
        items[dimension_names.index(name)] = item
    return tuple(items)


def _item(text: str) -> Item:
    if text in ("_", ":"):
        return slice(None)
    if text == "...":
        return Ellipsis
    if _INTEGER.fullmatch(text):
        return int(text)
    if match := _SLICE.fullmatch(text) or _HYPHENATED.fullmatch(text):
        start, stop, step = (int(number) if number else None for number in match.groups())
        if step == 0:
            raise SelectionError(f"a step of 0 in {text!r}")
        return slice(start, stop, step)
    raise SelectionError(f"expected a number, a range such as 0:100, ':' or '...', found {text!r}")
