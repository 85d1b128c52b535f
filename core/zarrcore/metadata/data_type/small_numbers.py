"""``bfloat16``, ``int2 … uint4``, ``float4 … float8`` and complex numbers made of them, through the package ml_dtypes.

Specification: the zarr-extensions registry, one page per type. A number of less than a byte takes a whole byte in memory and
in the ``bytes`` codec. Its upper bits are ignored on reading, and are zero in memory. A complex number that neither NumPy nor
ml_dtypes has is a structure of the fields ``real`` and ``imag``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.metadata.data_type.interface import (
    DataType,
    DataTypeFamily,
    Element,
    is_small_number,
    no_element,
)
from zarrcore.metadata.data_type.numbers import (
    parse_complex,
    parse_float,
    parse_integer,
    spell_complex,
    spell_float,
)
from zarrcore.typing import AnyArray

_INTEGERS = ("int2", "int4", "uint2", "uint4")
_FLOATS = (
    "bfloat16",
    "float4_e2m1fn",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3fn",  # not registered yet, but tensorstore and ml_dtypes have it
    "float8_e4m3b11fnuz",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)
_COMPLEX = {"complex_float16": "complex32", "complex_bfloat16": "bcomplex32"}
_NAMES = {**{name: name for name in (*_INTEGERS, *_FLOATS)}, **{ml: name for name, ml in _COMPLEX.items()}}


class SmallNumberFamily(DataTypeFamily):
    """Integers of two and four bits, floating-point numbers of four to sixteen."""

    names: ClassVar[tuple[str, ...]] = (
        *_INTEGERS,
        *_FLOATS,
        *_COMPLEX,
        *(f"complex_{name}" for name in _FLOATS if name != "bfloat16"),
    )

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        if name in _COMPLEX or not name.startswith("complex_"):
            return _ml_dtype(_COMPLEX.get(name, name), name)
        part = _ml_dtype(name.removeprefix("complex_"), name)
        return np.dtype([("real", part), ("imag", part)])

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        if data_type.name in _INTEGERS:
            bits = significant_bits(data_type.dtype)
            signed = data_type.name.startswith("int")
            minimum, maximum = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            return np.array(parse_integer(value, data_type, minimum, maximum), data_type.dtype)
        if data_type.name in _FLOATS:
            return _parse_float(value, data_type, data_type.dtype)
        part = part_of_complex(data_type.dtype)
        if isinstance(value, list):
            for component in value:
                _parse_float(component, data_type, part)
        return parse_complex(value, data_type, part)

    def spell(self, element: Element, data_type: DataType) -> Any:
        if data_type.name in _INTEGERS:
            return int(element)
        if data_type.name in _FLOATS:
            return spell_float(element)
        return spell_complex(element, part_of_complex(element.dtype))


def _ml_dtype(attribute: str, name: str) -> np.dtype[Any]:
    import ml_dtypes

    try:
        dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, attribute))
    except AttributeError as error:
        raise UnsupportedError(
            "data type", name, f"needs a newer ml_dtypes than {ml_dtypes.__version__}"
        ) from error
    return dtype


def _parse_float(value: Any, data_type: DataType, dtype: np.dtype[Any]) -> AnyArray:
    element: AnyArray = parse_float(value, data_type, dtype, significant_bits(dtype) % 8)
    if isinstance(value, str) and value.startswith("0"):
        return element
    # Some of these types lack infinity, NaN, zero or a sign, and a cast would silently change such a value.
    wanted, found = float(parse_float(value, data_type, np.dtype("<f8"))), float(element)
    # tensorstore spells the smallest number, which is nearest to zero, this way.
    if wanted == 0 and math.isnan(found):
        return np.zeros((), dtype)
    kept = math.isnan(found) if math.isnan(wanted) else not math.isnan(found)
    if not kept or (math.isinf(wanted) and wanted != found) or math.copysign(1, wanted) * found < 0:
        raise no_element(value, data_type)
    return element


def small_number_name(dtype: np.dtype[Any]) -> str | None:
    """The data type of an ml_dtypes dtype; None if Zarr v3 has none."""
    return _NAMES.get(dtype.name)


def significant_bits(dtype: np.dtype[Any]) -> int:
    """How many bits a number has, which may be fewer than its bytes have.

    >>> significant_bits(np.dtype("<f4"))
    32
    """
    if dtype.kind == "b":
        return 1
    name = dtype.name
    for prefix in ("int", "uint", "float"):
        digits = name.removeprefix(prefix).partition("_")[0]
        if digits in ("2", "4", "6"):
            return int(digits)
    return 8 * dtype.itemsize


@lru_cache(maxsize=256)
def has_unused_bits(dtype: np.dtype[Any]) -> bool:
    """Whether elements, or fields of them, are numbers that do not fill their bytes.

    >>> has_unused_bits(_ml_dtype("int4", "int4")), has_unused_bits(np.dtype("?"))
    (True, False)
    """
    if dtype.fields is not None:
        return any(has_unused_bits(part[0]) for part in dtype.fields.values())
    return is_small_number(dtype.base) and significant_bits(dtype.base) < 8


def clear_unused_bits(array: AnyArray) -> None:
    """Set the unused bits of such numbers to zero, in place.

    By the registry, readers ignore those bits; some writers extend signs into them. ml_dtypes does not ignore them in
    its floating-point numbers, and comparing bytes needs one form of each number.
    """
    if array.dtype.names is not None:
        for name in array.dtype.names:
            if has_unused_bits(array.dtype[name]):
                clear_unused_bits(array[name])
    else:
        raw = array.view(np.uint8)
        np.bitwise_and(raw, (1 << significant_bits(array.dtype)) - 1, out=raw)


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether elements are complex numbers, of NumPy or of ml_dtypes.

    >>> is_complex(np.dtype("<c8")), is_complex(np.dtype("<f4"))
    (True, False)
    """
    if dtype.names is not None:
        return dtype.names == ("real", "imag") and is_small_number(dtype["real"])
    return dtype.kind == "c" or (is_small_number(dtype) and "complex" in dtype.name)


def part_of_complex(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the real part of a complex number of any package."""
    if dtype.fields is not None:
        return dtype.fields["real"][0]
    if dtype.name == "bcomplex32":
        return _ml_dtype("bfloat16", "bfloat16")
    return np.dtype(f"<f{dtype.itemsize // 2}")


def finite_range(dtype: np.dtype[Any]) -> tuple[int, float]:
    """Bits of the mantissa, and the largest finite number, of floating-point numbers.

    >>> finite_range(np.dtype("<f2"))
    (10, 65504.0)
    """
    if is_small_number(dtype):
        import ml_dtypes

        small = ml_dtypes.finfo(dtype.type)  # type: ignore[no-untyped-call]
        return int(small.nmant), float(small.max)
    numpys = np.finfo(dtype)
    return int(numpys.nmant), float(numpys.max)
