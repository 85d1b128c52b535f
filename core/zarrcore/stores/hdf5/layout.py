"""The layout of a dataset: where its elements are, and which filters its chunks have gone through.

HDF5 File Format Specification, "Data Layout Message", versions 1 to 5, and "Filter Pipeline Message".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, unsigned

_INDEXES: Final = {1: "single", 2: "implicit", 3: "fixed array", 4: "extensible array", 5: "b-tree 2"}
_UNLIMITED: Final = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Compact:
    """The elements are in the object header."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Contiguous:
    """The elements are in one place."""

    address: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Chunked:
    """The elements are in chunks of one shape."""

    chunk_shape: tuple[int, ...]
    chunk_nbytes: int
    index: str
    address: int
    nbytes: int = 0
    """Of a single chunk."""
    skipped: int = 0
    """The filter mask of a single chunk."""
    growing: int = 0
    """The dimension without a maximum, of an extensible array."""
    is_filtered: bool = False
    edges_unfiltered: bool = False
    """Whether chunks that overhang the dataset have gone through no filters."""


@dataclass(frozen=True, slots=True)
class Virtual:
    """The elements are those of other datasets: where the global heap says which."""

    address: int
    number: int


Layout = Compact | Contiguous | Chunked | Virtual


class Filter(NamedTuple):
    """One filter of a pipeline, in the order of writing."""

    number: int
    name: str
    values: tuple[int, ...]


def parse_layout(data: bytes, item_nbytes: int, max_shape: tuple[int, ...], has_filters: bool) -> Layout:
    """The layout that a message describes.

    Args:
        data: the message.
        item_nbytes: bytes of an element.
        max_shape: the lengths that the dimensions can have; unlimited ones have 2⁶⁴ - 1.
        has_filters: whether the dataset has filters.

    Raises:
        BrokenFileError: it is broken, or not supported.
    """
    version = unsigned(data, 0, 1)
    if version in (1, 2):
        return _old(data, item_nbytes)
    if version not in (3, 4, 5):
        raise BrokenFileError(f"the data layout has version {version}, which is not supported")
    match unsigned(data, 1, 1):
        case 0:
            nbytes = unsigned(data, 2, 2)
            return Compact(_exact(data[4 : 4 + nbytes], nbytes))
        case 1:
            return Contiguous(unsigned(data, 2, 8), unsigned(data, 10, 8))
        case 2 if version == 3:
            count = unsigned(data, 2, 1)
            dimensions = [unsigned(data, 11 + 4 * i, 4) for i in range(count)]
            shape = _chunk_shape(dimensions, item_nbytes, len(max_shape))
            return Chunked(
                shape,
                math.prod(shape) * item_nbytes,
                "b-tree 1",
                unsigned(data, 3, 8),
                is_filtered=has_filters,
            )
        case 2:
            return _chunked_4(data, item_nbytes, max_shape, has_filters)
        case 3:
            return Virtual(unsigned(data, 2, 8), unsigned(data, 10, 4))
    raise BrokenFileError("the data layout is of an unknown class")


def _old(data: bytes, item_nbytes: int) -> Layout:
    count, kind = unsigned(data, 1, 1), unsigned(data, 2, 1)
    at = 8 if kind == 0 else 16
    dimensions = [unsigned(data, at + 4 * i, 4) for i in range(count)]
    at += 4 * count
    if kind == 0:
        nbytes = unsigned(data, at, 4)
        return Compact(_exact(data[at + 4 : at + 4 + nbytes], nbytes))
    if kind == 1:
        return Contiguous(unsigned(data, 8, 8), math.prod(dimensions) * item_nbytes)
    if kind != 2:
        raise BrokenFileError("the data layout is of an unknown class")
    shape = _chunk_shape(dimensions, item_nbytes, count - 1)
    # The filters of such old files are found in the B-tree: all its entries have a size.
    return Chunked(shape, math.prod(shape) * item_nbytes, "b-tree 1", unsigned(data, 8, 8), is_filtered=True)


def _chunked_4(data: bytes, item_nbytes: int, max_shape: tuple[int, ...], has_filters: bool) -> Chunked:
    flags, count, width = unsigned(data, 2, 1), unsigned(data, 3, 1), unsigned(data, 4, 1)
    dimensions = [unsigned(data, 5 + width * i, width) for i in range(count)]
    at = 5 + width * count
    index = _INDEXES.get(unsigned(data, at, 1))
    if index is None:
        raise BrokenFileError("the chunk index is of an unknown kind")
    at += 1
    nbytes, skipped, growing = 0, 0, 0
    shape = _chunk_shape(dimensions, item_nbytes, len(max_shape))
    if index == "single":
        nbytes = math.prod(shape) * item_nbytes
        if flags & 2:
            nbytes, skipped = unsigned(data, at, 8), unsigned(data, at + 8, 4)
            at += 12
    elif index == "extensible array":
        growing = next((i for i, length in enumerate(max_shape) if length == _UNLIMITED), 0)
    at += {"fixed array": 1, "extensible array": 5, "b-tree 2": 6}.get(index, 0)
    return Chunked(
        shape,
        math.prod(shape) * item_nbytes,
        index,
        unsigned(data, at, 8),
        nbytes,
        skipped,
        growing,
        has_filters,
        bool(flags & 1),
    )


def _chunk_shape(dimensions: list[int], item_nbytes: int, ndim: int) -> tuple[int, ...]:
    *shape, last = dimensions or [0]
    if len(shape) != ndim or last != item_nbytes or 0 in shape:
        raise BrokenFileError(f"the chunks have the shape {tuple(dimensions)}")
    return tuple(shape)


def _exact(data: bytes, nbytes: int) -> bytes:
    if len(data) < nbytes:
        raise BrokenFileError("the elements of a dataset end early")
    return data


def parse_filters(data: bytes) -> tuple[Filter, ...]:
    """The filters that a message describes.

    Raises:
        BrokenFileError: it is broken.
    """
    version, count = unsigned(data, 0, 1), unsigned(data, 1, 1)
    if version not in (1, 2):
        raise BrokenFileError(f"the filters have version {version}, which is not supported")
    at, found = 8 if version == 1 else 2, []
    for _ in range(count):
        number = unsigned(data, at, 2)
        at += 2
        length = 0
        if version == 1 or number >= 256:
            length = unsigned(data, at, 2)
            at += 2
        values = unsigned(data, at + 2, 2)
        at += 4
        name = data[at : at + length].split(b"\0")[0].decode("utf-8", "replace")
        at += length
        found.append(Filter(number, name, tuple(unsigned(data, at + 4 * i, 4) for i in range(values))))
        at += 4 * (values + (values % 2 if version == 1 else 0))
    return tuple(found)


def is_absent(address: int) -> bool:
    """Whether an address means that nothing is stored."""
    return address == UNDEFINED
