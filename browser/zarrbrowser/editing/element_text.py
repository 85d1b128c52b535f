"""One element of an array from typed text, exactly or not at all."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import is_small_number
from zarrbrowser.values.quantities import count

_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
"""Groups of three digits; ``0,125`` has none: it is a decimal fraction in many languages."""
_GROUPED_FLOAT = re.compile(_GROUPED.pattern + r"(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE)
_SPAN = re.compile(r"([+-]?\d+)(?:\s+\w+)?")
_SPACED_SIGN = re.compile(r"\s*([+-])\s*")
_WORDS = {"true": True, "false": False, "1": True, "0": False}


class ElementTextError(ValueError):
    """A text is not an element of a data type; the text of the error says why."""


def element_of(text: str, dtype: np.dtype[Any]) -> Any:
    """The element that a text stands for, as a NumPy scalar or a str.

    Numbers are read as the table shows them and as Python writes them. A float takes the nearest value of its type. Nothing
    else is rounded.

    Raises:
        ElementTextError: it is not an element of this type, or outside its range.

    >>> element_of("12,345", np.dtype("i4")), element_of("nan", np.dtype("f4")), element_of("true", np.dtype("?"))
    (np.int32(12345), np.float32(nan), np.True_)
    >>> element_of("300", np.dtype("u1"))
    Traceback (most recent call last):
    ...
    zarrbrowser.editing.element_text.ElementTextError: expected an integer from 0 to 255 (uint8), found 300
    """
    if is_small_number(dtype):
        return _small(text, dtype)
    reader = _READERS.get("O" if dtype.names or dtype.subdtype else dtype.kind)
    if reader is None:
        raise ElementTextError("elements of this type cannot be typed")
    return reader(text, dtype)


def why_not_typed(dtype: np.dtype[Any]) -> str:
    """Why elements of a type cannot be typed; empty if they can."""
    if dtype.names or dtype.subdtype:
        return "structured elements have several values: write them with a program"
    if is_small_number(dtype) or dtype.kind in _READERS:
        return ""
    return "elements of this type cannot be typed: write them with a program"


def _bool(text: str, _dtype: np.dtype[Any]) -> np.bool_:
    word = _WORDS.get(text.strip().lower())
    if word is None:
        raise ElementTextError(f"expected true or false, found {_shown(text)}")
    return np.bool_(word)


def _integer(text: str, dtype: np.dtype[Any]) -> Any:
    number, info = whole_number(text), np.iinfo(dtype)
    if not info.min <= number <= info.max:
        raise ElementTextError(
            f"expected an integer from {info.min:,} to {info.max:,} ({dtype.name}), found {_shown(text, quoted=False)}"
        )
    return dtype.type(number)


def whole_number(text: str) -> int:
    """The integer in a text: ``12``, ``12,345`` or ``0xff``.

    Raises:
        ElementTextError: there is none.
    """
    plain = text.strip()
    if _GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    try:
        return int(plain, 16 if plain.lower().lstrip("+-").startswith("0x") else 10)
    except ValueError as error:
        raise ElementTextError(f"expected an integer, found {_shown(text)}") from error


def number_in(text: str) -> float:
    """The number in a text: ``1.5``, ``1e-3``, ``nan`` or ``inf``.

    Raises:
        ElementTextError: there is none.
    """
    try:
        plain = text.strip().replace("_", " ")  # Python would allow it
        return float(plain.replace(",", "") if _GROUPED_FLOAT.fullmatch(plain) else plain)
    except ValueError as error:
        raise ElementTextError(f"expected a number, found {_shown(text)}") from error


def _float(text: str, dtype: np.dtype[Any]) -> Any:
    number = number_in(text)
    with np.errstate(over="ignore"):
        element = dtype.type(text.strip() if dtype.itemsize > 8 and "," not in text else number)
    if math.isfinite(number) and not np.isfinite(element):
        raise ElementTextError(f"{_shown(text, quoted=False)} is too large for {dtype.name}")
    return element


def _complex(text: str, dtype: np.dtype[Any]) -> Any:
    plain = _SPACED_SIGN.sub(r"\1", text.strip().strip("()")).replace("_", " ")  # Python would allow 1_0
    try:
        number = complex(re.sub(r"i$", "j", plain))
    except ValueError as error:
        raise ElementTextError(f"expected a complex number such as 1+2j, found {_shown(text)}") from error
    with np.errstate(over="ignore"):
        element = dtype.type(number)
    for part, stored in ((number.real, element.real), (number.imag, element.imag)):
        if math.isfinite(part) and not np.isfinite(stored):
            raise ElementTextError(f"{_shown(text, quoted=False)} is too large for {dtype.name}")
    return element


def _small(text: str, dtype: np.dtype[Any]) -> Any:
    """An element of a type of ml_dtypes, which NumPy does not know."""
    if "complex" in dtype.name:
        raise ElementTextError("elements of this type cannot be typed")
    if "int" in dtype.name:
        number = whole_number(text)
        try:
            whole = dtype.type(number)
            fits = int(whole) == number
        except (OverflowError, ValueError):
            fits = False
        if not fits:
            raise ElementTextError(f"{_shown(text, quoted=False)} is not possible in {dtype.name}")
        return whole
    wanted = number_in(text)
    element = dtype.type(wanted)
    found = float(element)
    if math.isfinite(wanted) != math.isfinite(found) or math.isnan(wanted) != math.isnan(found):
        raise ElementTextError(f"{_shown(text, quoted=False)} is not possible in {dtype.name}")
    return element


def _date(text: str, dtype: np.dtype[Any]) -> Any:
    plain, native = text.strip(), dtype.newbyteorder("=")
    if plain.lower() == "nat":
        return np.array("NaT", native)[()]
    try:
        found = np.datetime64(plain or "?")  # NumPy takes an empty text for NaT
    except ValueError as error:
        raise ElementTextError(
            f"expected a date such as 2026-11-26 or 2026-11-26T12:30, found {_shown(text)}"
        ) from error
    unit, step = np.datetime_data(dtype)
    try:
        element = found.astype(native)
        is_exact = bool(element.astype(found.dtype) == found)
    except (OverflowError, ValueError):  # too far from 1970 for this unit
        is_exact = False
    if not is_exact:
        counted = unit if step == 1 else f"{step} {unit}"
        raise ElementTextError(f"dates of this array are counted in {counted}, which cannot hold {plain}")
    return element


def _time_span(text: str, dtype: np.dtype[Any]) -> Any:
    unit, step = np.datetime_data(dtype)
    if text.strip().lower() == "nat":
        return np.array("NaT", dtype.newbyteorder("="))[()]
    match = _SPAN.fullmatch(text.strip())
    word = text.strip().partition(" ")[2].strip()
    # NumPy writes a time span as a number and the plural of its unit: 1 days.
    plural = str(np.ones((), f"m8[{unit}]")[()]).partition(" ")[2] if unit != "generic" else ""
    if match is None or (word and word not in (unit, plural, plural.removesuffix("s"))):
        raise ElementTextError(f"expected a number of {unit}, found {_shown(text)}")
    number = int(match[1])
    if number % step or abs(number) >= 2**63:
        raise ElementTextError(f"time spans of this array are counted in {step} {unit}")
    return np.array(number // step, np.int64).view(dtype.newbyteorder("="))[()]


def _text(text: str, dtype: np.dtype[Any]) -> Any:
    longest = dtype.itemsize // 4
    if dtype.kind == "U" and len(text) > longest:
        raise ElementTextError(
            f"texts of this array have at most {count(longest, 'character')}, not {len(text):,}"
        )
    if dtype.kind == "U" and text.endswith("\0"):
        raise ElementTextError("a text of fixed length cannot end in a null character")
    return np.str_(text) if dtype.kind == "U" else text


def _bytes(text: str, dtype: np.dtype[Any]) -> np.bytes_:
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) > dtype.itemsize:
        raise ElementTextError(
            f"texts of this array have at most {count(dtype.itemsize, 'byte')}, not {len(encoded):,}"
        )
    return np.bytes_(encoded)


def _raw(text: str, dtype: np.dtype[Any]) -> np.void:
    plain = text.strip().lower().removeprefix("0x")
    try:
        data = bytes.fromhex(plain)
    except ValueError:
        data = b""
    if len(data) != dtype.itemsize:
        raise ElementTextError(f"expected {2 * dtype.itemsize} hexadecimal digits, found {_shown(text)}")
    return np.void(data)


_READERS = {
    "b": _bool,
    "i": _integer,
    "u": _integer,
    "f": _float,
    "c": _complex,
    "M": _date,
    "m": _time_span,
    "T": _text,
    "U": _text,
    "S": _bytes,
    "V": _raw,
}
"""By NumPy's kind of data type; bytes of any length (kind O) cannot be typed."""


def _shown(text: str, *, quoted: bool = True) -> str:
    short = text.strip()
    short = short if len(short) <= 40 else short[:40] + "…"
    return repr(short) if quoted else short
