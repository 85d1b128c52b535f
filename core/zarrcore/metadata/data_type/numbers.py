"""``bool``, ``int…``, ``uint…``, ``float…``, ``complex…``: the number types of NumPy itself.

Accepted specification, "Data types", "Core data types"; ``complex_float32`` and ``complex_float64`` are other registered
names for two of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from zarrcore.metadata.data_type.interface import DataType, DataTypeFamily, Element, no_element
from zarrcore.typing import AnyArray

_CODES = {
    "bool": "|b1",
    **{f"int{8 * n}": f"<i{n}" for n in (1, 2, 4, 8)},
    **{f"uint{8 * n}": f"<u{n}" for n in (1, 2, 4, 8)},
    **{f"float{8 * n}": f"<f{n}" for n in (2, 4, 8)},
    **{f"complex{8 * n}": f"<c{n}" for n in (8, 16)},
}
_ALIASES = {"complex_float32": "<c8", "complex_float64": "<c16"}
CORE_NAMES = {np.dtype(code): name for name, code in _CODES.items()}
"""The name of each core type, by its dtype in memory."""

_WORDS = {"NaN": math.nan, "Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


class NumberFamily(DataTypeFamily):
    """Booleans, integers, floating point and complex numbers."""

    names: ClassVar[tuple[str, ...]] = (*_CODES, *_ALIASES)

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        return np.dtype(_CODES.get(name) or _ALIASES[name])

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        dtype = data_type.dtype
        match dtype.kind:
            case "b":
                if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
                    return np.array(bool(value), dtype)
                raise no_element(value, data_type)
            case "f":
                return parse_float(value, data_type, dtype)
            case "c":
                return parse_complex(value, data_type, np.dtype(f"<f{dtype.itemsize // 2}"))
            case _:
                limits = np.iinfo(dtype)
                return np.array(parse_integer(value, data_type, int(limits.min), int(limits.max)), dtype)

    def spell(self, element: Element, data_type: DataType) -> Any:
        match element.dtype.kind:
            case "f":
                return spell_float(element)
            case "c":
                return spell_complex(element, np.dtype(f"<f{element.dtype.itemsize // 2}"))
            case _:
                return element.item()


def parse_integer(value: Any, data_type: DataType, minimum: int, maximum: int) -> int:
    """An integer within the bounds of its type.

    Raises:
        MetadataError: anything else.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int and minimum <= value <= maximum:
        return value
    raise no_element(value, data_type)


def parse_float(value: Any, data_type: DataType, dtype: np.dtype[Any], bits: int = 0) -> AnyArray:
    """A number, a word such as ``NaN``, or the bits in hexadecimal or binary.

    Args:
        value: the spelling.
        data_type: the type to name in errors.
        dtype: the dtype of the number, which may be a part of a complex one.
        bits: how many bits the number has, if they do not fill its bytes.

    Raises:
        MetadataError: anything else.
    """
    if isinstance(value, str):
        if value in _WORDS:
            return np.array(_WORDS[value], dtype)
        base = {"0x": 16, "0b": 2}.get(value[:2])
        if base is not None:
            try:
                raw = int(value[2:], base).to_bytes(dtype.itemsize, "little")
            except (ValueError, OverflowError) as error:
                raise no_element(value, data_type) from error
            if bits and raw[0] >> bits:
                raise no_element(value, data_type)
            return np.frombuffer(raw, dtype).reshape(()).copy()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        try:
            with np.errstate(over="ignore"):
                return np.array(float(value), dtype)
        except OverflowError:
            return np.array(math.inf if value > 0 else -math.inf, dtype)
    raise no_element(value, data_type)


def parse_complex(value: Any, data_type: DataType, part: np.dtype[Any]) -> AnyArray:
    """Two parts, or only the real one.

    Raises:
        MetadataError: anything else.
    """
    if isinstance(value, list) and len(value) == 2:
        parts = [parse_float(component, data_type, part).tobytes() for component in value]
    elif isinstance(value, int | float | str):
        parts = [parse_float(value, data_type, part).tobytes(), bytes(part.itemsize)]
    else:
        raise no_element(value, data_type)
    return np.frombuffer(b"".join(parts), data_type.dtype).reshape(()).copy()


def spell_float(element: AnyArray) -> float | str:
    """The number, or a word; NaNs other than the default one by their bits.

    >>> spell_float(np.array(-np.inf, "<f4"))
    '-Infinity'
    """
    value = float(element)
    if math.isfinite(value):
        return value
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if element.tobytes() == np.array(math.nan, element.dtype).tobytes():
        return "NaN"
    return "0x" + element.tobytes()[::-1].hex()


def spell_complex(element: AnyArray, part: np.dtype[Any]) -> list[float | str]:
    """The two parts."""
    raw = element.tobytes()
    halves = raw[: part.itemsize], raw[part.itemsize :]
    return [spell_float(np.frombuffer(half, part).reshape(())) for half in halves]
