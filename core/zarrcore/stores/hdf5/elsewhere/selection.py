"""Selections of a dataspace, as mappings of virtual datasets have them.

HDF5 File Format Specification, "Dataspace Selection". A mapping pairs the elements of two selections in C order. Here a
selection is a grid: some indices along each dimension, and all their combinations. Other selections are refused.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.virtual.file_reader import BrokenFileError, unsigned

UNLIMITED: Final = 2**64 - 1
_NONE, _POINTS, _HYPERSLAB, _ALL = range(4)
_HEAD: Final = struct.Struct("<IIBB")
"""Kind and version; in hyperslabs since version 2 flags, since version 3 the bytes of a number."""
_FORMATS: Final = {2: "H", 4: "I", 8: "Q"}
_LARGEST: Final = 2**63
_MOST_LISTED: Final = 1 << 24

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Steps:
    """Blocks of consecutive indices, at equal distances."""

    start: int
    stride: int
    count: int
    """Of blocks; `UNLIMITED` for as many as there is space for."""
    block: int
    """The indices in each block; `UNLIMITED` for one block that grows."""

    def __len__(self) -> int:
        return self.count * self.block

    @property
    def is_unlimited(self) -> bool:
        """Whether its end depends on the data."""
        return self.count == UNLIMITED or self.block == UNLIMITED

    @property
    def is_consecutive(self) -> bool:
        """Whether an unlimited one has no gaps."""
        return self.block in (UNLIMITED, self.stride)

    def below(self, limit: int) -> int:
        """How many indices are less than a limit; those of an unlimited one that are inside a dataset of that length."""
        if limit <= self.start:
            return 0
        if self.is_unlimited and self.is_consecutive:
            return limit - self.start
        blocks, rest = divmod(limit - self.start, self.stride)
        if blocks >= self.count:
            return self.count * self.block
        return blocks * self.block + min(rest, self.block)

    def extent(self, number: int) -> int:
        """The length that a dataset needs for so many indices of an unlimited one."""
        if not number:
            return 0
        if self.is_consecutive:
            return self.start + number
        blocks, rest = divmod(number - 1, self.block)
        return self.start + blocks * self.stride + rest + 1

    def limited(self, number: int) -> Line:
        """The first indices of an unlimited one, which are so many."""
        if self.is_consecutive:
            return Steps(self.start, max(1, number), 1, number)
        blocks, rest = divmod(number, self.block)
        if rest and blocks:
            if number > _MOST_LISTED:
                raise UnshownError("the virtual dataset has a selection of too many blocks")
            return Listed(self.at(np.arange(number, dtype="i8")))
        return replace(self, count=blocks) if blocks else Steps(self.start, self.stride, 1, rest)

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last index of one that has any."""
        return self.start, self.start + (self.count - 1) * self.stride + self.block - 1

    def at(self, positions: Indices) -> Indices:
        """The indices at some positions."""
        return self.start + positions // self.block * self.stride + positions % self.block


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Indices in ascending order."""

    values: Indices

    is_unlimited = False

    def __len__(self) -> int:
        return len(self.values)

    def below(self, limit: int) -> int:
        """How many are less than a limit."""
        return int(np.searchsorted(self.values, limit))

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last index of one that has any."""
        return int(self.values[0]), int(self.values[-1])

    def at(self, positions: Indices) -> Indices:
        """The indices at some positions."""
        return self.values[positions]


Line = Steps | Listed
"""Indices along a dimension."""

Selection = tuple[Line, ...] | None
"""The indices along each dimension; None for all elements."""


def whole(shape: tuple[int, ...]) -> tuple[Line, ...]:
    """The selection of all elements of a dataset."""
    return tuple(Steps(0, max(1, length), 1, length) for length in shape)


def is_empty(selection: Selection) -> bool:
    """Whether a selection has no elements, whatever the dataset."""
    return any(not line.is_unlimited and not len(line) for line in selection or ())


def parse_selection(data: bytes, at: int) -> tuple[Selection, int]:
    """The selection at a position, and the position after it.

    Raises:
        BrokenFileError: it is broken.
        UnshownError: it is not a grid.
    """
    if at + _HEAD.size > len(data):
        raise BrokenFileError("a selection ends early")
    kind, version, flags, width = _HEAD.unpack_from(data, at)
    if kind == _ALL:
        return None, at + 16
    if kind == _NONE:
        return (Steps(0, 1, 0, 0),), at + 16
    if kind == _POINTS:
        raise UnshownError("the virtual dataset has a selection of points, which zarrscope does not read")
    if kind != _HYPERSLAB or version not in (1, 2, 3):
        raise BrokenFileError(f"a selection has type {kind} and version {version}")
    if version == 1:
        return _blocks(data, at + 16, 4)
    is_regular = bool(flags & 1)
    if version == 2:
        at, width = at + 13, 8
    else:
        at += 10
    if width not in (2, 4, 8):
        raise BrokenFileError(f"a selection has numbers of {width} bytes")
    return _regular(data, at, width) if is_regular else _blocks(data, at, width)


def _regular(data: bytes, at: int, width: int) -> tuple[Selection, int]:
    ndim = _ndim(data, at)
    at += 4
    if at + 4 * width * ndim > len(data):
        raise BrokenFileError("a selection ends early")
    found = struct.unpack_from(f"<{4 * ndim}{_FORMATS[width]}", data, at)
    at += 4 * width * ndim
    if (2 ** (8 * width) - 1) in found:  # the largest number means unlimited, whatever its width
        found = tuple(UNLIMITED if number == 2 ** (8 * width) - 1 else number for number in found)
    lines = []
    for d in range(0, 4 * ndim, 4):
        start, stride, count, block = found[d : d + 4]
        if count == 1 and block != UNLIMITED:
            stride = max(stride, block)
        _check(start, stride, count, block)
        lines.append(Steps(start, stride, count, block))
    if UNLIMITED in found and sum(line.is_unlimited for line in lines) > 1:
        raise BrokenFileError("a selection is unlimited in several dimensions")
    return tuple(lines), at


def _check(start: int, stride: int, count: int, block: int) -> None:
    if not stride or (count == block == UNLIMITED) or (block == UNLIMITED and count != 1):
        raise BrokenFileError("the blocks of a selection are broken")
    if block != UNLIMITED and stride < block:
        raise BrokenFileError("the blocks of a selection overlap")
    length = (0 if count == UNLIMITED else count * stride) + (0 if block == UNLIMITED else block)
    if start + length >= _LARGEST:
        raise BrokenFileError("a selection is too large")


def _blocks(data: bytes, at: int, width: int) -> tuple[Selection, int]:
    """Blocks, each from its first to its last element."""
    ndim = _ndim(data, at)
    count = unsigned(data, at + 4, width)
    at += 4 + width
    nbytes = 2 * ndim * width * count
    if at + nbytes > len(data):
        raise BrokenFileError("a selection ends early")
    if count == 1:  # as most are
        corner = [unsigned(data, at + width * i, width) for i in range(2 * ndim)]
        sides = list(zip(corner[:ndim], corner[ndim:], strict=True))
        if any(not first <= last < _LARGEST - 1 for first, last in sides):
            raise BrokenFileError("the blocks of a selection are broken")
        return tuple(Steps(a, b - a + 1, 1, b - a + 1) for a, b in sides), at + nbytes
    corners = np.frombuffer(data, f"<u{width}", 2 * ndim * count, at).reshape(count, 2, ndim).astype("i8")
    if (corners < 0).any() or (corners[:, 0] > corners[:, 1]).any():
        raise BrokenFileError("the blocks of a selection are broken")
    lines = tuple(_line(corners[:, 0, d], corners[:, 1, d] + 1) for d in range(ndim))
    selected = sum(math.prod(block) for block in (corners[:, 1] - corners[:, 0] + 1).tolist())
    if selected != math.prod(map(len, lines)):
        raise UnshownError(
            "the virtual dataset has a selection that is not a grid, which zarrscope does not read"
        )
    return lines, at + nbytes


def _line(starts: Indices, stops: Indices) -> Line:
    """All indices of some intervals along one dimension."""
    intervals = np.unique(np.stack((starts, stops), axis=1), axis=0)
    first, after = intervals[:, 0], intervals[:, 1]
    if len(intervals) == 1:
        return Steps(int(first[0]), int(after[0] - first[0]), 1, int(after[0] - first[0]))
    lengths, gaps = after - first, np.diff(first)
    if len(intervals) and (gaps == gaps[0]).all() and (lengths == lengths[0]).all() and gaps[0] >= lengths[0]:
        return Steps(int(first[0]), int(gaps[0]), len(intervals), int(lengths[0]))
    return Listed(_joined(first, after))


def _joined(first: Indices, after: Indices) -> Any:
    if int((after - first).astype(object).sum()) > _MOST_LISTED:
        raise UnshownError("the virtual dataset has a selection of too many blocks")
    return np.unique(np.concatenate([np.arange(a, b, dtype="i8") for a, b in zip(first, after, strict=True)]))


def _ndim(data: bytes, at: int) -> int:
    ndim = unsigned(data, at, 4)
    if not 1 <= ndim <= 32:
        raise BrokenFileError(f"a selection has {ndim} dimensions")
    return ndim
