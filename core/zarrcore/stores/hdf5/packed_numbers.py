"""Numbers that are not those of NumPy: fewer bits than their bytes have, other sizes, other exponents.

HDF5 File Format Specification, "The Datatype Message", "Fixed-Point Numbers" and "Floating-Point Numbers". They become the
smallest type of NumPy that has all their values and not fewer bytes, as with h5py. Only ``long double`` has values that are
rounded: it becomes ``float64``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zarrcore.stores.hdf5.datatype import Datatype, Kind
from zarrcore.stores.virtual.file_reader import unsigned
from zarrcore.typing import AnyArray

# Bit offset, precision, exponent location and size, mantissa location and size, exponent bias.
FLOATS: Final = {
    (2, 0, 16, 10, 5, 0, 10, 15): "float16",
    (2, 0, 16, 7, 8, 0, 7, 127): "bfloat16",
    (4, 0, 32, 23, 8, 0, 23, 127): "float32",
    (8, 0, 64, 52, 11, 0, 52, 1023): "float64",
}
_LONG_DOUBLE: Final = (0, 80, 64, 15, 0, 64, 16383)
"""That of x86, whose mantissa has its highest bit; the bytes after it are not used."""
LONG_DOUBLE_NBYTES: Final = (12, 16)
"""Its sizes in programs of 32 and of 64 bits."""
_NO_IMPLIED_BIT: Final = 0
_LEAST_EXPONENT: Final = -1074
"""Of the smallest positive ``float64``."""
_VAX: Final = 0x40
_IMPLIED_BIT: Final = 2


class PackedNumber(NamedTuple):
    """Where the bits of a number are, in the order of significance."""

    nbytes: int
    big_endian: bool
    dtype: str
    """The type of NumPy that it becomes."""
    offset: int
    """Of an integer; of the mantissa of a floating-point number."""
    precision: int
    """The bits of an integer, or of the mantissa."""
    sign: int = -1
    """The bit that is the sign of a floating-point number; -1 for an integer."""
    exponent: int = 0
    """The lowest bit of the exponent."""
    exponent_precision: int = 0
    bias: int = 0
    """What the stored exponent is too large by."""


def standard_float(kind: Datatype) -> str | None:
    """The name of a floating-point type that Zarr has, too."""
    p = kind.properties
    described = (kind.nbytes, unsigned(p, 0, 2), unsigned(p, 2, 2), *p[4:8], unsigned(p, 8, 4))
    is_usual = not kind.bits & _VAX and kind.bits >> 4 & 3 == _IMPLIED_BIT
    return FLOATS.get(described) if is_usual else None


def _is_long_double(kind: Datatype) -> bool:
    p = kind.properties
    if (
        kind.kind is not Kind.FLOAT
        or kind.nbytes not in LONG_DOUBLE_NBYTES
        or kind.big_endian
        or kind.bits & _VAX
    ):
        return False
    described = (unsigned(p, 0, 2), unsigned(p, 2, 2), *p[4:8], unsigned(p, 8, 4))
    return described == _LONG_DOUBLE and kind.bits >> 4 & 3 == _NO_IMPLIED_BIT


@lru_cache(256)
def packed_number(kind: Datatype) -> PackedNumber | None:
    """A type of numbers that NumPy has not; None if it has, or if it has none that could replace it."""
    if kind.kind is Kind.ENUM and kind.base is not None:
        return packed_number(kind.base)
    if _is_long_double(kind):
        return PackedNumber(kind.nbytes, False, "f8", 0, 64, 79, 64, 15, 16383)
    if kind.nbytes > 8 or kind.kind not in (Kind.INTEGER, Kind.BITS, Kind.FLOAT):
        return None
    offset, precision = unsigned(kind.properties, 0, 2), unsigned(kind.properties, 2, 2)
    if kind.kind is Kind.FLOAT:
        return None if standard_float(kind) else _float(kind)
    if (offset, precision) == (0, 8 * kind.nbytes) and kind.nbytes in (1, 2, 4, 8):
        return None
    if not 0 < precision <= 8 * kind.nbytes - offset:
        return None
    size = next(size for size in (1, 2, 4, 8) if size >= kind.nbytes)
    name = f"{'i' if kind.is_signed else 'u'}{size}"
    return PackedNumber(kind.nbytes, kind.big_endian, name, offset, precision)


def converted_number(kind: Datatype) -> PackedNumber | None:
    """The same; ``bfloat16``, which Zarr has and NumPy has not, becomes ``float32``."""
    return (
        _float(kind)
        if kind.kind is Kind.FLOAT and standard_float(kind) == "bfloat16"
        else packed_number(kind)
    )


def _float(kind: Datatype) -> PackedNumber | None:
    exponent, exponent_precision, mantissa, mantissa_precision = kind.properties[4:8]
    sign, bias = kind.bits >> 8 & 0xFF, unsigned(kind.properties, 8, 4)
    ends = (exponent + exponent_precision, mantissa + mantissa_precision, sign + 1)
    if kind.bits & _VAX or kind.bits >> 4 & 3 != _IMPLIED_BIT or not exponent_precision:
        return None
    if max(ends) > 8 * kind.nbytes or mantissa_precision > 52 or exponent_precision > 11:
        return None
    for size in (2, 4, 8):
        name = f"f{size}"
        limits = np.finfo(name)
        fits = limits.maxexp >= 2**exponent_precision - bias - 1 and limits.minexp <= 1 - bias
        if size >= kind.nbytes and mantissa_precision <= limits.nmant and fits:
            return PackedNumber(
                kind.nbytes,
                kind.big_endian,
                name,
                mantissa,
                mantissa_precision,
                sign,
                exponent,
                exponent_precision,
                bias,
            )
    return None


def numbers(data: NDArray[np.uint8], packed: PackedNumber) -> AnyArray:
    """The numbers in an array of bytes of shape (numbers, bytes of a number).

    >>> numbers(np.array([[0xF3, 0xFF], [5, 0]], "u1"), PackedNumber(2, False, "i2", 0, 4)).tolist()
    [3, 5]
    """
    if packed.nbytes in LONG_DOUBLE_NBYTES:
        return _long_doubles(np.pad(data, ((0, 0), (0, 16 - packed.nbytes))))
    words = np.zeros((len(data), 8), "u1")
    words[:, : packed.nbytes] = data[:, ::-1] if packed.big_endian else data
    bits: AnyArray = words.view("<u8")[:, 0]
    low = _part(bits, packed.offset, packed.precision)
    if packed.sign < 0:
        if packed.dtype.startswith("i"):
            unused = np.int64(64 - packed.precision)
            low = (low << unused.astype("u8")).view("i8") >> unused
        return low.astype(f"<{packed.dtype}")
    stored = _part(bits, packed.exponent, packed.exponent_precision)
    is_small = stored == 0  # without the bit that is implied
    mantissa = (low + np.where(is_small, np.uint64(0), np.uint64(1) << np.uint64(packed.precision))).astype(
        "f8"
    )
    exponent = np.where(is_small, 1, stored.astype("i8")) - packed.bias - packed.precision
    values = np.ldexp(mantissa, exponent)
    is_special = stored == 2**packed.exponent_precision - 1
    values = np.where(is_special, np.where(low == 0, np.inf, np.nan), values)
    signed = np.where(_part(bits, packed.sign, 1) == 1, -values, values)
    return signed.astype(f"<{packed.dtype}")


def _long_doubles(data: NDArray[np.uint8]) -> AnyArray:
    """``long double`` rounded to the nearest ``float64``, and to an even one if two are as near."""
    words = np.ascontiguousarray(data).view("<u8")
    mantissa, stored = words[:, 0], words[:, 1].astype("i8") & 0x7FFF
    exponent = np.maximum(stored, 1) - 16383 - 63
    # A number that is too small for all 53 bits is rounded as an integer, so that it is rounded once.
    dropped = np.clip(_LEAST_EXPONENT - exponent, 0, 65).astype("u8")
    is_small = dropped > 11
    whole = np.where(dropped > 63, np.uint64(0), mantissa >> np.minimum(dropped, np.uint64(63)))
    half = np.uint64(1) << np.clip(dropped.astype("i8") - 1, 0, 63).astype("u8")
    rest = np.where(dropped > 63, mantissa, mantissa & ((half << np.uint64(1)) - np.uint64(1)))
    is_up = (rest > half) | ((rest == half) & (whole & np.uint64(1) == 1))
    small = (whole + (is_up & (dropped <= 64)).astype("u8")).astype("f8")
    with np.errstate(over="ignore"):
        values = np.where(
            is_small, np.ldexp(small, _LEAST_EXPONENT), np.ldexp(mantissa.astype("f8"), exponent)
        )
    is_finite = stored != 0x7FFF
    special = np.where(mantissa << np.uint64(1) == 0, np.inf, np.nan)
    values = np.where(is_finite, values, special)
    return np.where(words[:, 1] & np.uint64(0x8000) != 0, -values, values).astype("<f8")


def _part(bits: AnyArray, offset: int, precision: int) -> AnyArray:
    part: AnyArray = bits >> np.uint64(offset) & np.uint64(2**precision - 1)
    return part
