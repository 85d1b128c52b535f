"""Selections as text, against NumPy."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache

import numpy as np

import zarrcore
from zarrcore.array.selection.text import parse_selection
from zarrcore.errors import SelectionError
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import MemoryStore

VALUES = np.arange(7 * 5 * 4, dtype="i2").reshape(7, 5, 4)
NAMES = ("time", "y", None)


@cache
def _array() -> ArrayNode:
    array = zarrcore.create(MemoryStore()).create_array(
        "a", shape=VALUES.shape, dtype="int16", chunks=(3, 2, 4)
    )
    array[...] = VALUES
    return array


def check(data: bytes) -> None:
    """A selection that parses selects what NumPy does, or both refuse it."""
    text = data.decode(errors="replace")
    with suppress(SelectionError):
        items = parse_selection(text, NAMES)
        try:
            expected = VALUES[items]
        except IndexError:
            expected = None
        try:
            found = _array()[items]
        except SelectionError:
            assert expected is None, f"{text!r} is refused"
            return
        assert expected is not None, f"NumPy refuses {text!r}"
        assert found.shape == expected.shape
        assert found.tobytes() == expected.tobytes()


def examples() -> Iterable[bytes]:
    """Each notation."""
    return [
        b"3,:,0:100",
        b"[3,:,0:100]",
        b"3,_,0-100",
        b"time=5",
        b"y=-1,time=::2",
        b"...,2",
        b"::-2,1:-1",
        b"0-7-2,_",
    ]
