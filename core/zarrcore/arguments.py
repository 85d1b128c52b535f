"""Arguments of public functions: a value of the wrong type is one clear error, where the caller gave it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from itertools import chain
from numbers import Integral, Real
from typing import Any, Final

_KINDS: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    "None": ((type(None),), "None"),
    "bool": ((bool,), "True or False"),
    "int": ((Integral,), "a whole number"),
    "float": ((Real,), "a number"),
    "str": ((str,), "text"),
    "os.PathLike[str]": ((os.PathLike,), "a path"),
    "Mapping[str, str]": ((Mapping,), "a mapping of names to texts"),
    "Mapping[str, Any]": ((Mapping,), "a mapping"),
    "tuple[str, ...]": ((tuple, list, str), "a sequence of texts"),
}
"""Annotations: the types of their values, and what they are for people."""


def check_type(name: str, value: Any, annotation: str, *, is_secret: bool = False) -> None:
    """Refuse a value that has none of the types of an annotation. True and False do not count as numbers.

    Args:
        name: the argument.
        value: its value.
        annotation: types as source text, such as ``int | None``.
        is_secret: whether the value must not be shown.

    Raises:
        TypeError: it is of another type.

    >>> check_type("depth", "x", "int | None")
    Traceback (most recent call last):
    TypeError: depth: expected a whole number or None, found 'x'
    """
    kinds = annotation.split(" | ")
    for kind in kinds:
        if _is_boolean(value) if kind == "bool" else _fits(value, kind):
            return
    found = f"a value of type {type(value).__name__}" if is_secret else repr(value)
    raise TypeError(f"{name}: expected {' or '.join(_KINDS[kind][1] for kind in kinds)}, found {found}")


def _is_boolean(value: Any) -> bool:
    # NumPy is not imported for this: without it, a value is not its Boolean.
    return isinstance(value, (bool, getattr(sys.modules.get("numpy"), "bool_", bool)))


def _fits(value: Any, kind: str) -> bool:
    is_of_type = isinstance(value, _KINDS[kind][0]) and not isinstance(value, bool)
    return is_of_type and all(isinstance(text, str) for text in _texts(value, kind))


def _texts(value: Any, kind: str) -> Iterable[Any]:
    """What must be texts in a value of the right type."""
    if kind == "Mapping[str, str]":
        return chain(value, value.values())
    return value if kind == "tuple[str, ...]" else ()


def check_types(annotation: str, **values: Any) -> None:
    """`check_type` for several arguments.

    Raises:
        TypeError: one is of another type.
    """
    for name, value in values.items():
        check_type(name, value, annotation)


def place_text(name: str, place: Any, also: str = "an open store") -> str:
    """A path or URL as text.

    Args:
        name: the argument.
        place: its value.
        also: what else the argument may be.

    Raises:
        TypeError: it is neither text nor a path.

    >>> place_text("source", 5)
    Traceback (most recent call last):
    TypeError: source: expected a path, a URL or an open store, found 5
    """
    text = os.fspath(place) if isinstance(place, str | os.PathLike) else None
    if not isinstance(text, str):
        raise TypeError(f"{name}: expected a path, a URL or {also}, found {place!r}")
    return text
