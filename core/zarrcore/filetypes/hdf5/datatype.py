"""Datatype messages of HDF5 for NumPy dtypes, texts and references.

Specification: HDF5, "File Format Specification Version 3.0", IV.A.2.d. Version 1 of the message, and 2 for arrays and compounds
with array members, since in version 1 a member has dimensions instead. Types that HDF5 lacks are written as by h5py: a boolean is
an enumeration, a complex number a compound.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any, Final

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.hdf5.names import file_name
from zarrcore.filetypes.hdf5.object_header import padded

_FIXED_POINT, _FLOATING_POINT, _STRING, _OPAQUE = 0, 1, 3, 5
_COMPOUND, _REFERENCE, _ENUMERATION, _VARIABLE_LENGTH, _ARRAY = 6, 7, 8, 9, 10
_SIGNED: Final = 1 << 3
_LEADING_BIT_IS_IMPLIED: Final = 2 << 4
_ZERO_PADDED: Final = 1
_UTF8: Final = 1
_EXPONENT_NBITS: Final = {2: 5, 4: 8, 8: 11}


@lru_cache(256)
def datatype(dtype: np.dtype[Any]) -> bytes:
    """The type of elements.

    Raises:
        UnsupportedError: HDF5 has no such type.
    """
    if dtype.itemsize == 0:
        raise UnsupportedError("data type", str(dtype), "has a size of 0 bytes, for which HDF5 has no type")
    if dtype.subdtype is not None:
        return _array(datatype(dtype.base), dtype.shape, dtype.itemsize)
    if dtype.fields is not None:
        members = {name: (datatype(field[0]), field[1]) for name, field in dtype.fields.items()}
        return compound(members, dtype.itemsize)
    is_big_endian = dtype.str[0] == ">"
    match dtype.kind:
        case "b":
            return _boolean()
        case "i" | "u":
            return _integer(dtype.itemsize, _SIGNED * (dtype.kind == "i") | is_big_endian)
        case "f" if dtype.itemsize in _EXPONENT_NBITS:
            return _real(dtype.itemsize, is_big_endian)
        case "c":
            half = dtype.itemsize // 2
            part = datatype(np.dtype(f"{dtype.str[0]}f{half}"))
            return compound({"r": (part, 0), "i": (part, half)}, dtype.itemsize)
        case "S":
            return _head(_STRING, _ZERO_PADDED, dtype.itemsize)
        case "V":
            return _head(_OPAQUE, 0, dtype.itemsize)
    raise UnsupportedError("data type", str(dtype), "has no counterpart in HDF5")


def fixed_text(nbytes: int) -> bytes:
    """Text in UTF-8 of at most ``nbytes`` bytes."""
    return _head(_STRING, _ZERO_PADDED | _UTF8 << 4, nbytes)


def terminated_text(nbytes: int) -> bytes:
    """Text in ASCII of ``nbytes`` bytes, including the zero byte that ends it."""
    return _head(_STRING, 0, nbytes)


def compound(members: dict[str, tuple[bytes, int]], nbytes: int) -> bytes:
    """A type of members, each at an offset.

    Raises:
        UnsupportedError: a member's name is not text.
    """
    version = max((member[0] >> 4 for member, _ in members.values()), default=1)
    no_dimensions = bytes(28) if version == 1 else b""
    told = (
        padded(file_name(name, netcdf=False) + b"\0") + struct.pack("<I", offset) + no_dimensions + member
        for name, (member, offset) in members.items()
    )
    return _head(_COMPOUND, len(members), nbytes, version=version) + b"".join(told)


def _head(kind: int, bits: int, nbytes: int, *, version: int = 1) -> bytes:
    return bytes((version << 4 | kind,)) + struct.pack("<I", bits)[:3] + struct.pack("<I", nbytes)


def _integer(nbytes: int, bits: int) -> bytes:
    return _head(_FIXED_POINT, bits, nbytes) + struct.pack("<HH", 0, 8 * nbytes)


def _real(nbytes: int, is_big_endian: bool) -> bytes:
    nbits, exponent = 8 * nbytes, _EXPONENT_NBITS[nbytes]
    mantissa = nbits - 1 - exponent
    bits = is_big_endian | _LEADING_BIT_IS_IMPLIED | (nbits - 1) << 8
    bias = (1 << (exponent - 1)) - 1
    return _head(_FLOATING_POINT, bits, nbytes) + struct.pack(
        "<HHBBBBI", 0, nbits, mantissa, exponent, 0, mantissa, bias
    )


def _boolean() -> bytes:
    names = padded(b"FALSE\0") + padded(b"TRUE\0")
    return _head(_ENUMERATION, 2, 1) + _integer(1, _SIGNED) + names + bytes((0, 1))


def _array(base: bytes, shape: tuple[int, ...], nbytes: int) -> bytes:
    ndim = len(shape)
    dimensions = struct.pack(f"<B3x{ndim}I{ndim}I", ndim, *shape, *range(ndim))
    return _head(_ARRAY, 0, nbytes, version=2) + dimensions + base


HEAP_ITEM_NBYTES: Final = 16
"""Bytes of an element of variable length in a dataset: its length and address."""
HEAP_ITEM: Final = np.dtype([("length", "<u4"), ("address", "<u8"), ("index", "<u4")])
"""The same: its length, the address of its collection in the file, its number there."""
TEXT: Final = _head(_VARIABLE_LENGTH, 1 | _UTF8 << 8, HEAP_ITEM_NBYTES) + _integer(1, 0)
"""Text in UTF-8 of variable length."""
BYTES: Final = _head(_VARIABLE_LENGTH, 0, HEAP_ITEM_NBYTES) + _integer(1, 0)
"""Bytes of variable length."""


def with_texts(dtype: np.dtype[Any], stored: np.dtype[Any]) -> bytes:
    """The type of elements with texts of variable length in fields.

    Args:
        dtype: of the elements, with objects for texts.
        stored: the same with references for texts.

    Raises:
        As `datatype`.
    """
    if dtype.kind == "O":
        return TEXT
    if dtype.subdtype is not None:
        return _array(with_texts(dtype.base, stored.base), dtype.shape, stored.itemsize)
    if dtype.names is None or stored.fields is None:
        return datatype(stored)
    members = {
        name: (with_texts(dtype[name], stored.fields[name][0]), stored.fields[name][1])
        for name in dtype.names
    }
    return compound(members, stored.itemsize)


REFERENCE: Final = _head(_REFERENCE, 0, 8)
"""The address of an object's header."""
REFERENCES: Final = _head(_VARIABLE_LENGTH, 0, HEAP_ITEM_NBYTES) + REFERENCE
"""A sequence of references of variable length."""
