"""Units of decoding: each is decoded as a whole. Which of them a selection needs.

A unit is a chunk, or the innermost inner chunk if chunks are shards. Units form one grid over the array, whatever the
nesting, so that finding the units of a selection is arithmetic. Inner chunks are regular even if shards are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import numpy as np

from zarrcore.array.chunks.cache import AbandonedError, Chunk, Claim
from zarrcore.array.selection.axes import Axis, Crossing, crossings
from zarrcore.array.selection.points import Points, PointsOfChunk, SortedPoints, points_by_chunk
from zarrcore.codecs.region import Region, outer_region
from zarrcore.errors import ReadCancelledError, ZarrError
from zarrcore.metadata import ChunkAxis, ChunkGrid, RegularAxis
from zarrcore.typing import AnyArray

Result = TypeVar("Result")

_POLL_S = 0.05

Crossings = Sequence[Sequence[Crossing]]
"""Per dimension, the units that a selection crosses: index, the part to take, its place in the result."""


def regions_of(crossed: Crossings) -> Iterator[Region]:
    """The parts to take of the units crossed, in C order."""
    regions = product(*([part[1] for part in parts] for parts in crossed))
    if {type(part[1]) for parts in crossed for part in parts} <= {slice}:
        return regions
    return map(outer_region, regions)


@dataclass(slots=True)
class DecodeUnit:
    """One unit that a read needs."""

    index: tuple[int, ...]
    """Its index in the grid of units."""
    region: Region | None
    """The part to take; None for all of it."""
    destination: AnyArray | None
    """Where to put that part; None to decode only into the cache."""
    claim: Claim | None = None
    """The cache's claim, if there is a cache."""
    place: tuple[AnyArray, tuple[slice, ...]] | None = None
    """The array that the destination is a part of, and which part; None for points, and without a destination."""

    def take(self, decoded: Chunk) -> None:
        """Copy the wanted part of the decoded unit to its place."""
        if self.destination is not None:
            np.copyto(self.destination, decoded if self.region is None else decoded[self.region])

    def take_from(self, future: Future[Chunk], cancelled: Callable[[], bool] | None) -> bool:
        """Wait for the unit, which another thread decodes, and take it. False if that thread gave up.

        Raises:
            ZarrError: the unit cannot be decoded.
            ReadCancelledError: ``cancelled`` returned True.
        """
        while cancelled is not None and not wait((future,), _POLL_S).done:
            if cancelled():
                raise ReadCancelledError("the read was cancelled")
        try:
            self.take(future.result())
        except AbandonedError:
            return False
        return True


def unit_of_ranges(parts: Sequence[Crossing], out: AnyArray) -> DecodeUnit:
    """One unit that ranges cross: its index, the part to take and its place in ``out``, for each dimension."""
    index, region, place, are_whole = zip(*parts, strict=True)
    return DecodeUnit(index, None if all(are_whole) else region, out[(*place, ...)], place=(out, place))


class DecodeUnitGrid:
    """The units of one array.

    Args:
        chunk_grid: the array's chunks.
        inner_shape: shape of the innermost inner chunks, if chunks are shards.

    Attributes:
        unit_shape: elements per dimension of a unit; of the largest unit if they differ.
        is_regular: whether all units have that shape.
    """

    def __init__(self, chunk_grid: ChunkGrid, inner_shape: tuple[int, ...] | None = None) -> None:
        self._chunks = chunk_grid
        self._chunk_axes = chunk_grid.axes
        self._unit_axes: tuple[ChunkAxis, ...] = self._chunk_axes
        self._has_inner = inner_shape is not None
        if inner_shape is not None:
            self._unit_axes = tuple(map(RegularAxis, inner_shape))
        self.unit_shape = chunk_grid.chunk_shape if inner_shape is None else inner_shape
        self.is_regular = all(isinstance(axis, RegularAxis) for axis in self._unit_axes)

    def unit_shape_at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """Elements per dimension of the unit at ``index``."""
        if self.is_regular:
            return self.unit_shape
        return tuple(axis.place(i)[1] for axis, i in zip(self._unit_axes, index, strict=True))

    def chunk_of(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index of the chunk that contains the unit at ``index``."""
        if not self._has_inner:
            return index
        axes = zip(self._chunk_axes, index, self.unit_shape, strict=True)
        return tuple(axis.find(i * length) for axis, i, length in axes)

    def units_of(self, chunk: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The indices of the units of the chunk at a grid index."""
        if not self._has_inner:
            return iter((chunk,))
        places = (axis.place(i) for axis, i in zip(self._chunk_axes, chunk, strict=True))
        return product(
            *(
                range(start // unit, (start + length) // unit)
                for (start, length), unit in zip(places, self.unit_shape, strict=True)
            )
        )

    def crossings(self, axes: Sequence[Axis]) -> Crossings:
        """The units that the selection ``axes`` crosses."""
        if any(axis.count == 0 for axis in axes):
            return [[] for _ in axes]  # the other axes may cross more units than memory holds
        return [list(crossings(axis, units)) for axis, units in zip(axes, self._unit_axes, strict=True)]

    def units(self, crossed: Crossings, out: AnyArray | None) -> Iterator[DecodeUnit]:
        """The units crossed, in C order; ``out`` has a dimension per axis."""
        indices = product(*([part[0] for part in parts] for parts in crossed))
        regions = regions_of(crossed)
        places = product(*([part[2] for part in parts] for parts in crossed))
        whole = product(*([part[3] for part in parts] for parts in crossed))
        for index, region, place, are_whole in zip(indices, regions, places, whole, strict=True):
            # The ellipsis makes the result an array even without dimensions.
            inside: Any = (*place, ...)
            unit = DecodeUnit(index, None if all(are_whole) else region, None)
            if out is not None:
                unit.destination, unit.place = out[inside], (out, place)
            yield unit

    def by_unit(self, points: Points, shape: tuple[int, ...]) -> SortedPoints:
        """The points of an array of ``shape``, at least one, sorted by the unit that contains them."""
        return points_by_chunk(points, self._unit_axes, shape)

    def by_chunk(self, crossed: Crossings) -> Iterator[Crossings]:
        """The same units chunk by chunk."""
        per_axis = []
        for axis, length, parts in zip(self._chunk_axes, self.unit_shape, crossed, strict=True):
            groups: dict[int, list[Crossing]] = {}
            for part in parts:
                groups.setdefault(axis.find(part[0] * length) if self._has_inner else part[0], []).append(
                    part
                )
            per_axis.append(list(groups.values()))
        return product(*per_axis)

    def group_by_chunk(self, units: list[DecodeUnit]) -> Iterable[list[DecodeUnit]]:
        """The units, grouped by chunk."""
        groups: dict[tuple[int, ...], list[DecodeUnit]] = {}
        for unit in units:
            groups.setdefault(self.chunk_of(unit.index), []).append(unit)
        return groups.values()


def unit_of_points(group: PointsOfChunk, gathered: AnyArray) -> DecodeUnit:
    """The unit that contains some points, whose elements have a place in ``gathered``, of one dimension."""
    region: Region = group.offsets
    destination = gathered[group.place]
    if len(destination) == 1:  # as a box, because a box of an uncompressed chunk is read without the rest
        region = tuple(slice(int(offset[0]), int(offset[0]) + 1) for offset in group.offsets)
        destination = destination.reshape((1,) * len(region))
    return DecodeUnit(group.chunk, region or None, destination)


def attempt(units: list[DecodeUnit], read: Callable[..., Result], *arguments: Any) -> Result:
    """Call ``read(*arguments)``. If it fails, readers that wait for ``units`` in the cache fail too.

    Raises:
        ZarrError: as ``read``.
    """
    try:
        return read(*arguments)
    except ZarrError as error:
        for unit in units:
            if unit.claim is not None:
                unit.claim.fail(error)
        raise
