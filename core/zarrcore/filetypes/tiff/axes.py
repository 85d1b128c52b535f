"""The axes of microscopy images: X, Y, Z, C (channels), T (times), and S (the samples of a colour)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from zarrcore.array import plane_ndim
from zarrcore.errors import UnsupportedError

AXES: Final = {name: name.upper() for name in "xyztc"} | {"time": "T", "channel": "C"}
"""The letters of dimension names."""


def axis_letters(shape: tuple[int, ...], dtype: np.dtype[Any], names: Sequence[str | None]) -> str:
    """A different letter for each dimension: the one of its name, or otherwise X, Y, Z, C and T in turn, beginning with the last.

    Raises:
        UnsupportedError: there are more dimensions than letters.

    >>> axis_letters((2, 3, 64, 64), np.dtype("u1"), ("time", None, "lat", "lon"))
    'TZYX'
    >>> axis_letters((64, 64, 3), np.dtype("u1"), ("y", "x", "c"))
    'YXS'
    """
    letters: list[str | None] = [AXES.get((name or "").lower()) for name in names]
    letters = [None if letter in letters[axis + 1 :] else letter for axis, letter in enumerate(letters)]
    if plane_ndim(shape, dtype) == 3 and letters[-1] in (None, "C"):
        letters[-1] = "S"
    for letter in "XY":
        if letter not in letters:
            _give(letters, letter)
    for letter in "ZCT":
        if letter not in letters and None in letters:
            _give(letters, letter)
    if None in letters:
        raise UnsupportedError("shape", str(shape), "has more dimensions than OME-TIFF: select a part")
    return "".join(letter or "" for letter in letters)


def _give(letters: list[str | None], letter: str) -> None:
    """Give the letter to the last dimension without one; if all have letters, to the last one that is not X, Y or S."""
    free = [axis for axis, taken in enumerate(letters) if taken is None]
    free = free or [axis for axis, taken in enumerate(letters) if taken not in ("X", "Y", "S")]
    if free:
        letters[free[-1]] = letter
