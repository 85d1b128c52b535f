"""Fill values: the JSON spelling of one element, and the element itself, bit for bit.

Accepted specification, "fill_value". A fill value is kept as a read-only 0-d array: a NumPy scalar would lose the payload
of a signalling NaN or a string's type on the way.
"""

from __future__ import annotations

import base64
import binascii
import math
from typing import Any

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import DataType
from zarrcore.metadata.json_document import describe

Element = np.ndarray[tuple[()], np.dtype[Any]]
"""One element of an array, as a 0-d array."""

_WORDS = {"NaN": math.nan, "Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


def zero(dtype: np.dtype[Any]) -> Element:
    """The element whose bytes are all zero: what an undefined fill value reads as."""
    return _sealed(np.zeros((), dtype))


def parse_fill_value(value: Any, data_type: DataType) -> Element:
    """The element that a version 3 document spells.

    Raises:
        MetadataError: not a spelling of an element of this type.

    >>> from zarrcore.metadata.data_type import parse_data_type
    >>> parse_fill_value("0x7fc00001", parse_data_type("float32")).view("u4")
    array(2143289345, dtype=uint32)
    """
    if value is None:
        return zero(data_type.dtype)
    return _sealed(_element(value, data_type.dtype))


def _sealed(element: Any) -> Element:
    element.flags.writeable = False
    return element  # type: ignore[no-any-return]


def _element(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    match dtype.kind:
        case "b":
            if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
                return np.array(bool(value), dtype)
        case "i" | "u":
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if type(value) is int and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
                return np.array(value, dtype)
        case "f":
            return _float(value, dtype)
        case "c":
            return _complex(value, dtype)
        case "M" | "m":
            if value == "NaT":
                return np.array("NaT", dtype)
            if type(value) is int and -(2**63) <= value < 2**63:
                return np.array(value, "<i8").view(dtype)
        case "U":
            if isinstance(value, str) and len(value) <= dtype.itemsize // 4:
                return np.array(value, dtype)
        case "S" | "V":
            return _bytes(value, dtype)
    raise _wrong(value, dtype)


def _wrong(value: Any, dtype: np.dtype[Any]) -> MetadataError:
    return MetadataError(f"expected an element of type {dtype}, found {describe(value)}", member="fill_value")


def _float(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if isinstance(value, str):
        if value in _WORDS:
            return np.array(_WORDS[value], dtype)
        base = {"0x": 16, "0b": 2}.get(value[:2])
        if base is not None:
            try:
                bits = int(value[2:], base)
                return np.frombuffer(bits.to_bytes(dtype.itemsize, "little"), dtype).reshape(()).copy()
            except (ValueError, OverflowError) as error:
                raise _wrong(value, dtype) from error
    elif isinstance(value, int | float) and not isinstance(value, bool):
        try:
            with np.errstate(over="ignore"):
                return np.array(float(value), dtype)
        except OverflowError:
            return np.array(math.inf if value > 0 else -math.inf, dtype)
    raise _wrong(value, dtype)


def _complex(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    part = np.dtype(f"<f{dtype.itemsize // 2}")
    if isinstance(value, list) and len(value) == 2:
        parts = [_float(component, part).tobytes() for component in value]
    elif isinstance(value, int | float | str):
        parts = [_float(value, part).tobytes(), bytes(part.itemsize)]
    else:
        raise _wrong(value, dtype)
    return np.frombuffer(b"".join(parts), dtype).reshape(()).copy()


def _bytes(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """``S`` and ``V`` types, structured ones too: base64 text, or an array of byte values, or a value per field."""
    if dtype.names is not None and dtype.fields is not None and isinstance(value, dict):
        result = np.zeros((), dtype)
        for name in dtype.names:
            if name in value:
                result[name] = _element(value[name], dtype.fields[name][0])
        return result
    if type(value) is int and value == 0:
        return np.zeros((), dtype)
    try:
        if isinstance(value, str):
            raw = base64.b64decode(value, validate=True)
        elif isinstance(value, list) and len(value) == dtype.itemsize:
            raw = bytes(value)
        else:
            raise _wrong(value, dtype)
    except (binascii.Error, TypeError, ValueError) as error:
        raise _wrong(value, dtype) from error
    # Only a null-terminated string may be spelled shorter than it is.
    if len(raw) > dtype.itemsize or (len(raw) < dtype.itemsize and dtype.kind != "S"):
        raise MetadataError(f"expected {dtype.itemsize} bytes, found {len(raw)}", member="fill_value")
    return np.frombuffer(raw.ljust(dtype.itemsize, b"\0"), dtype).reshape(()).copy()


def fill_value_document(element: Element) -> Any:
    """The version 3 spelling of an element: reading it back gives the same bits.

    >>> fill_value_document(np.array(-np.inf, "<f4"))
    '-Infinity'
    """
    dtype = element.dtype
    match dtype.kind:
        case "b" | "i" | "u" | "U":
            return element.item()
        case "f":
            return _float_document(element)
        case "c":
            parts = element.reshape(1).view(f"<f{dtype.itemsize // 2}")
            return [_float_document(part.reshape(())) for part in parts.reshape(2, 1)]
        case "M" | "m":
            return "NaT" if np.isnat(element) else int(element.view("<i8"))
        case _:
            return base64.standard_b64encode(element.tobytes()).decode("ascii")


def _float_document(element: np.ndarray[Any, Any]) -> float | str:
    value = float(element)
    if math.isfinite(value):
        return value
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if element.tobytes() == np.array(math.nan, element.dtype).tobytes():
        return "NaN"
    return "0x" + element.tobytes()[::-1].hex()
