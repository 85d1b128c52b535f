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
    named = parse_names(text)
    return tuple(_item(part) for part in _parts(text)) if named is None else _by_name(named, dimension_names)


def parse_names(text: str) -> dict[str, int | slice] | None:
    """What ``text`` selects by the names of dimensions; None if it selects by position.

    Raises:
        SelectionError: the text is not a selection.

    >>> parse_names("time=3, x=0:100")
    {'time': 3, 'x': slice(0, 100, None)}
    """
    parts = _parts(text)
    if not any("=" in part for part in parts):
        return None
    named: dict[str, int | slice] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals:
            raise SelectionError(f"expected NAME=SELECTION, found {part!r}")
        if name in named:
            raise SelectionError(f"dimension {name!r} is selected twice")
        item = _item(value.strip())
        if isinstance(item, EllipsisType):
            raise SelectionError("'...' stands for several dimensions and has no name")
        named[name] = item
    return named


def _parts(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if parts and not parts[-1]:
        parts.pop()  # "3," as Python allows it
    return parts


def _by_name(named: dict[str, int | slice], dimension_names: Sequence[str | None] | None) -> tuple[Item, ...]:
    if dimension_names is None:
        raise SelectionError(
            "the dimensions of this array have no names: select by position, for instance 3,:"
        )
    items: list[Item] = [slice(None)] * len(dimension_names)
    for name, item in named.items():
        if dimension_names.count(name) != 1:
            known = ", ".join(str(known) for known in dimension_names if known is not None)
            raise SelectionError(f"expected the name of one dimension, found {name!r}; the names are {known}")
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
        if ":" not in text and stop is not None and start is not None and start > stop:
            # 2020-02-15 would select nothing, without an error.
            raise SelectionError(f"the range {text!r} ends before it begins; select by index, not by date")
        return slice(start, stop, step)
    raise SelectionError(f"expected a number, a range such as 0:100, ':' or '...', found {text!r}")
