"""The header of a NetCDF-3 file: dimensions, attributes and variables.

"The NetCDF Classic Format Specification" (classic, 64-bit offset, and 64-bit data, which is CDF-5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader
from zarrcore.stores.virtual.node_names import node_name
from zarrcore.typing import AnyArray

TYPES: Final = {
    1: ">i1",
    2: "S1",
    3: ">i2",
    4: ">i4",
    5: ">f4",
    6: ">f8",
    7: ">u1",
    8: ">u2",
    9: ">u4",
    10: ">i8",
    11: ">u8",
}
_DIMENSIONS: Final = 10
_VARIABLES: Final = 11
_ATTRIBUTES: Final = 12
_CDF5: Final = 5
_MAX_RANK: Final = 1024


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: an array."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    dimensions: tuple[str, ...]
    attributes: dict[str, Any]
    begin: int
    """The position of its first element."""
    is_record: bool
    """Whether its first dimension is that of records, which hold a part of each such variable."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file contains."""

    attributes: dict[str, Any]
    variables: dict[str, Variable]
    record_nbytes: int
    """From one record to the next."""


def parse_header(reader: FileReader) -> Header:
    """The header of a file.

    Raises:
        BrokenFileError: it is broken.
        StoreError: the store failed.
    """
    return _Parser(reader).header()


class _Parser:
    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
        head = reader.up_to(0, 4)
        if head[:3] != b"CDF" or head[3] not in (1, 2, _CDF5):
            raise BrokenFileError("it has no signature of NetCDF")
        self._version = head[3]
        self._width = 8 if self._version == _CDF5 else 4
        self._at = 4

    def _take(self, nbytes: int) -> bytes:
        data = self._reader.read(self._at, nbytes, "a part of the header")
        self._at += nbytes
        return data

    def _number(self, width: int | None = None) -> int:
        return int.from_bytes(self._take(width or self._width), "big")

    def _padded(self, nbytes: int) -> bytes:
        return self._take(-(-nbytes // 4) * 4)[:nbytes]

    def _name(self) -> str:
        return (
            self._padded(self._number()).split(b"\0")[0].decode("utf-8", "replace")
        )  # some writers count NULs

    def _list(self, tag: int) -> range:
        found, count = self._number(4), self._number()
        if found not in (0, tag) or (found == 0 and count) or count > self._reader.nbytes:
            raise BrokenFileError("a list of the header is broken")
        return range(count)

    def header(self) -> Header:
        records = self._number()
        is_open = (
            records == (1 << 8 * self._width) - 1
        )  # the writer left the number of records to the size of the file
        dimensions = [(self._name(), self._number()) for _ in self._list(_DIMENSIONS)]
        attributes = self._attributes()
        found = [self._variable(dimensions) for _ in self._list(_VARIABLES)]
        growing = [variable for variable in found if variable.is_record]
        sizes = [math.prod(v.shape[1:]) * v.dtype.itemsize for v in growing]
        # A record variable that is alone is not padded.
        total = sizes[0] if len(sizes) == 1 else sum(-(-size // 4) * 4 for size in sizes)
        if is_open:
            first = min((v.begin for v in growing), default=0)
            records = (self._reader.nbytes - first) // total if total else 0
        if records >= 2**62:
            raise BrokenFileError(f"it says that it has {records:,} records")
        variables = {}
        for v in found:
            shape = (records, *v.shape[1:]) if v.is_record else v.shape
            variables[node_name(v.name)] = Variable(
                v.name, v.dtype, shape, v.dimensions, v.attributes, v.begin, v.is_record
            )
        return Header(attributes, variables, total)

    def _attributes(self) -> dict[str, Any]:
        return {self._name(): self._attribute() for _ in self._list(_ATTRIBUTES)}

    def _attribute(self) -> AnyArray:
        dtype, count = self._type(), self._number()
        if count > self._reader.nbytes:
            raise BrokenFileError("an attribute ends early")
        return np.frombuffer(self._padded(count * dtype.itemsize), dtype)

    def _type(self) -> np.dtype[Any]:
        number = self._number(4)
        if number not in TYPES:
            raise BrokenFileError(f"it has a type {number}")
        return np.dtype(TYPES[number])

    def _variable(self, dimensions: list[tuple[str, int]]) -> Variable:
        name, rank = self._name(), self._number()
        if rank > _MAX_RANK:
            raise BrokenFileError(f"a variable has {rank:,} dimensions")
        numbers = [self._number() for _ in range(rank)]
        if any(number >= len(dimensions) for number in numbers):
            raise BrokenFileError(f"the variable {name!r} has a dimension that does not exist")
        attributes = self._attributes()
        dtype = self._type()
        self._number()  # its size, which overflows for large variables
        begin = self._number(4 if self._version == 1 else 8)
        used = [dimensions[number] for number in numbers]
        shape = tuple(length for _, length in used)
        if 0 in shape[1:]:
            raise BrokenFileError(f"the variable {name!r} has records that are not its first dimension")
        if math.prod(shape[1:]) >= 2**63 or any(length >= 2**63 for length in shape):
            raise BrokenFileError(f"the variable {name!r} has the shape {shape}")
        is_record = bool(shape) and shape[0] == 0
        return Variable(name, dtype, shape, tuple(part for part, _ in used), attributes, begin, is_record)
