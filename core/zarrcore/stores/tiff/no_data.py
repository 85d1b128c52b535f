"""The value of missing elements in a TIFF file, from GDAL's tag ``GDAL_NODATA``.

The tag is text, and programs write numbers in many ways: ``255.0`` for bytes, more digits than a float has, a decimal comma.
A value that an element cannot have means that none is missing.

Specification: GDAL, "GTiff -- GeoTIFF File Format", "Nodata value".
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

import numpy as np

_OF_WINDOWS: Final = re.compile(r"([+-]?)1\.#(?:(INF)|[QS]NAN|(?<=-1\.#)IND)0*", re.IGNORECASE)
"""Infinity and NaN as older programs of Windows print them."""


def no_data(text: object, dtype: np.dtype[Any]) -> int | float | None:
    """The value of the elements that are missing; None if the tag names none that an element can have.

    >>> no_data("255.0", np.dtype("u1")), no_data("-9999", np.dtype("u1")), no_data("nan", np.dtype("f4"))
    (255, None, nan)
    """
    if not isinstance(text, str):
        return None
    word = text.strip(" \t\r\n\0").replace(",", ".")
    if dtype.kind in "iu":
        return _integer(word, dtype)
    number = _float(word)
    if number is None or dtype.kind == "b":
        return number if number in (0, 1) else None
    with np.errstate(over="ignore"):
        return float(np.zeros((), dtype).real.dtype.type(number))


def _integer(word: str, dtype: np.dtype[Any]) -> int | None:
    try:
        value = int(word)  # a float has too few digits for some
    except ValueError:
        number = _float(word)
        if number is None or not number.is_integer():  # infinities and nan are not
            return None
        value = int(number)
    info = np.iinfo(dtype)
    return value if info.min <= value <= info.max else None


def _float(word: str) -> float | None:
    if found := _OF_WINDOWS.fullmatch(word):
        return float(found[1] + "inf") if found[2] else math.nan
    try:
        return float(word)
    except ValueError:
        return None
