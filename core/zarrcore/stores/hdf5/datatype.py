"""Datatype messages: the type of the elements of a dataset or attribute.

HDF5 File Format Specification, "The Datatype Message", versions 1 to 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from zarrcore.stores.virtual.file_reader import BrokenFileError, unsigned

_MAX_DEPTH: Final = 16
_MAX_MEMBERS: Final = 1 << 16
_SMALL_NBYTES: Final = 64


class Kind(IntEnum):
    """The classes of types, by their numbers in the format."""

    INTEGER = 0
    FLOAT = 1
    TIME = 2
    TEXT = 3
    BITS = 4
    OPAQUE = 5
    COMPOUND = 6
    REFERENCE = 7
    ENUM = 8
    VARIABLE = 9
    ARRAY = 10
    COMPLEX = 11


class Padding(IntEnum):
    """How a fixed text fills its bytes."""

    NUL_TERMINATED = 0
    NULS = 1
    SPACES = 2


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a compound type."""

    name: str
    offset: int
    type: Datatype


@dataclass(frozen=True, slots=True)
class Datatype:
    """A type of elements."""

    kind: Kind
    nbytes: int
    big_endian: bool = False
    is_signed: bool = False
    properties: bytes = b""
    """Of numbers: where which bits are."""
    bits: int = 0
    """The bits that describe it, depending on the class."""
    padding: int = 0
    is_text: bool = False
    """Whether a type of variable length is text."""
    is_utf8: bool = False
    """Whether a text is UTF-8; else it is marked as ASCII."""
    base: Datatype | None = None
    fields: tuple[Field, ...] = field(default=())
    members: tuple[tuple[str, int], ...] = ()
    """Of an enumeration: names and values."""
    shape: tuple[int, ...] = ()
    tag: str = ""


def parse_datatype(data: bytes) -> Datatype:
    """The type that a message describes.

    Raises:
        BrokenFileError: it is broken.
    """
    return _small(data) if len(data) <= _SMALL_NBYTES else _parse(data, 0, 0)[0]


@lru_cache(maxsize=256)
def _small(data: bytes) -> Datatype:
    """The same, for the few types that most datasets and attributes of a file have."""
    return _parse(data, 0, 0)[0]


def _parse(data: bytes, at: int, depth: int) -> tuple[Datatype, int]:
    if depth > _MAX_DEPTH:
        raise BrokenFileError("a datatype is nested too deeply")
    first, bits, nbytes = unsigned(data, at, 1), unsigned(data, at + 1, 3), unsigned(data, at + 4, 4)
    version, at = first >> 4, at + 8
    try:
        kind = Kind(first & 15)
    except ValueError:
        raise BrokenFileError(f"a datatype has the class {first & 15}") from None
    if not 1 <= version <= 5 or not nbytes:
        raise BrokenFileError(f"a datatype has version {version} and {nbytes:,} bytes")
    match kind:
        case Kind.INTEGER | Kind.BITS:
            properties = _bytes(data, at, 4)
            signed = kind is Kind.INTEGER and bool(bits & 8)
            return Datatype(kind, nbytes, bool(bits & 1), signed, properties, bits), at + 4
        case Kind.FLOAT:
            properties = _bytes(data, at, 12)
            _check_parts(properties, bits)
            return Datatype(kind, nbytes, bool(bits & 1), True, properties, bits), at + 12
        case Kind.TIME:
            return Datatype(kind, nbytes, bool(bits & 1)), at + 2
        case Kind.TEXT:
            return Datatype(
                kind, nbytes, padding=bits & 15, bits=bits, is_text=True, is_utf8=bits >> 4 & 15 == 1
            ), at
        case Kind.OPAQUE:
            length = bits & 0xFF
            tag = _bytes(data, at, length).split(b"\0")[0].decode("ascii", "replace")
            return Datatype(kind, nbytes, tag=tag), at + -(-length // 8) * 8
        case Kind.COMPOUND:
            return _compound(data, at, depth, version, nbytes, bits & 0xFFFF)
        case Kind.REFERENCE:
            return Datatype(kind, nbytes, bits=bits), at
        case Kind.ENUM:
            return _enumeration(data, at, depth, version, nbytes, bits & 0xFFFF)
        case Kind.VARIABLE:
            base, at = _parse(data, at, depth + 1)
            is_text, is_utf8 = bits & 15 == 1, bits >> 8 & 15 == 1
            return Datatype(kind, nbytes, base=base, is_text=is_text, is_utf8=is_utf8, bits=bits), at
        case Kind.COMPLEX:
            base, at = _parse(data, at, depth + 1)
            return Datatype(kind, nbytes, base.big_endian, base=base), at
    ndim = unsigned(data, at, 1)
    at += 1 if version >= 3 else 4
    shape = tuple(unsigned(data, at + 4 * place, 4) for place in range(ndim))
    at += 4 * ndim * (1 if version >= 3 else 2)
    base, at = _parse(data, at, depth + 1)
    return Datatype(kind, nbytes, base=base, shape=shape), at


def _check_parts(properties: bytes, bits: int) -> None:
    """Check that exponent and mantissa of a floating-point type have bits, and share none, nor that of the sign."""
    exponent, exponent_nbits, mantissa, mantissa_nbits = properties[4:8]
    parts = sorted([(bits >> 8 & 0xFF, 1), (exponent, exponent_nbits), (mantissa, mantissa_nbits)])
    if not exponent_nbits or not mantissa_nbits:
        raise BrokenFileError("a floating-point type has no exponent or no mantissa")
    if any(first + nbits > second for (first, nbits), (second, _) in pairwise(parts)):
        raise BrokenFileError("the parts of a floating-point type overlap")


def _compound(
    data: bytes, at: int, depth: int, version: int, nbytes: int, count: int
) -> tuple[Datatype, int]:
    fields: list[Field] = []
    for _ in range(min(count, _MAX_MEMBERS)):
        name, at = _name(data, at, version)
        width = 4 if version < 3 else (nbytes.bit_length() + 7) // 8
        offset = unsigned(data, at, width)
        at += width
        shape: tuple[int, ...] = ()
        if version == 1:
            ndim = unsigned(data, at, 1)
            shape = tuple(unsigned(data, at + 12 + 4 * place, 4) for place in range(min(ndim, 4)))
            at += 28
        member, at = _parse(data, at, depth + 1)
        if shape:
            total = member.nbytes
            for length in shape:
                total *= length
            member = Datatype(Kind.ARRAY, total, base=member, shape=shape)
        if offset + member.nbytes > nbytes:
            raise BrokenFileError(f"the field {name!r} lies outside its compound type")
        fields.append(Field(name, offset, member))
    ordered = sorted(fields, key=lambda field: field.offset)
    for first, second in pairwise(ordered):
        # Nested fields at the same place would make a short element a long value.
        if first.offset + first.type.nbytes > second.offset:
            raise BrokenFileError(f"the fields {first.name!r} and {second.name!r} overlap")
    return Datatype(Kind.COMPOUND, nbytes, fields=tuple(fields)), at


def _enumeration(
    data: bytes, at: int, depth: int, version: int, nbytes: int, count: int
) -> tuple[Datatype, int]:
    base, at = _parse(data, at, depth + 1)
    if base.kind is not Kind.INTEGER or base.nbytes != nbytes:
        raise BrokenFileError("an enumeration is not of integers")
    names = []
    for _ in range(count):
        name, at = _name(data, at, version)
        names.append(name)
    order = "big" if base.big_endian else "little"
    values = []
    for _ in range(count):
        values.append(int.from_bytes(_bytes(data, at, nbytes), order, signed=base.is_signed))  # type: ignore[arg-type]
        at += nbytes
    return Datatype(
        Kind.ENUM,
        nbytes,
        base.big_endian,
        base.is_signed,
        base=base,
        members=tuple(zip(names, values, strict=True)),
    ), at


def _name(data: bytes, at: int, version: int) -> tuple[str, int]:
    end = data.find(b"\0", at)
    if end < 0:
        raise BrokenFileError("the name of a member of a datatype does not end")
    length = end - at + 1
    return data[at:end].decode("utf-8", "replace"), at + (length if version >= 3 else -(-length // 8) * 8)


def _bytes(data: bytes, at: int, nbytes: int) -> bytes:
    part = data[at : at + nbytes]
    if len(part) < nbytes:
        raise BrokenFileError("a datatype ends early")
    return part
