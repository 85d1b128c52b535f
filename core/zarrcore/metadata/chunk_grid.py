"""Chunk grids: which elements are in which chunk.

Accepted specification, "Chunk grids", "Regular grids"; zarr-extensions, "Rectilinear chunk grid". A grid is one axis per
dimension, and an axis says where each chunk begins and how long it is. Runs of equal edges are never expanded: a
document of a few bytes can describe 10¹² of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.json_document import JsonObject, describe
from zarrcore.metadata.named_configuration import NamedConfiguration, integers

_CONFIGURATION = "chunk_grid.configuration"
_LONGEST = np.iinfo(np.intp).max
"""Elements in a dimension of an array at most; a chunk may be longer."""


@dataclass(frozen=True, slots=True)
class RegularAxis:
    """One dimension, in chunks of one length; as many as needed."""

    length: int
    """Elements, at least 1."""

    @property
    def lengths(self) -> frozenset[int]:
        """The lengths that chunks have."""
        return frozenset((self.length,))

    @property
    def extent(self) -> None:
        """Elements in all chunks: unlimited."""
        return

    def count(self, extent: int) -> int:
        """Chunks that hold the first ``extent`` elements."""
        return -(-extent // self.length)

    def place(self, index: int) -> tuple[int, int]:
        """First element and length of the chunk at ``index``."""
        return index * self.length, self.length

    def find(self, position: int) -> int:
        """The chunk that holds the element at ``position``."""
        return position // self.length

    def locate(self, positions: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The chunks that hold the elements at ``positions``, and the positions in them."""
        length = min(self.length, _LONGEST)
        chunks = positions // length
        return chunks, positions - chunks * length

    def document(self) -> int:
        """Its form in ``chunk_shapes``."""
        return self.length


@dataclass(frozen=True, slots=True)
class RectilinearAxis:
    """One dimension, in chunks whose lengths are listed.

    >>> axis = RectilinearAxis(((1, 3), (3, 1)))
    >>> [axis.place(index) for index in range(axis.count(6))], axis.find(3)
    ([(0, 1), (1, 1), (2, 1), (3, 3)], 3)
    """

    runs: tuple[tuple[int, int], ...]
    """Length of a chunk, and how many of that length follow one another; neighbours differ in length."""
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _indices: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = accumulate((length * times for length, times in self.runs), initial=0)
        object.__setattr__(self, "_starts", tuple(starts))
        object.__setattr__(self, "_indices", tuple(accumulate((times for _, times in self.runs), initial=0)))

    @property
    def lengths(self) -> frozenset[int]:
        """The lengths that chunks have."""
        return frozenset(length for length, _ in self.runs)

    @property
    def extent(self) -> int:
        """Elements in all chunks."""
        return self._starts[-1]

    def count(self, extent: int) -> int:
        """Chunks that hold the first ``extent`` elements; ``extent`` is at most that of the axis."""
        return self.find(extent - 1) + 1 if extent else 0

    def place(self, index: int) -> tuple[int, int]:
        """First element and length of the chunk at ``index``."""
        run = bisect_right(self._indices, index) - 1
        length = self.runs[run][0]
        return self._starts[run] + (index - self._indices[run]) * length, length

    def find(self, position: int) -> int:
        """The chunk that holds the element at ``position``."""
        run = bisect_right(self._starts, position) - 1
        return self._indices[run] + (position - self._starts[run]) // self.runs[run][0]

    def locate(self, positions: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The chunks that hold the elements at ``positions``, and the positions in them."""
        count = bisect_left(self._starts, _LONGEST)  # an axis may be longer than any array
        starts, indices = np.array(self._starts[:count]), np.array(self._indices[:count])
        lengths = np.array([min(length, _LONGEST) for length, _ in self.runs[:count]])
        run = np.searchsorted(starts, positions, "right") - 1
        chunks = (positions - starts[run]) // lengths[run]
        return indices[run] + chunks, positions - starts[run] - chunks * lengths[run]

    def document(self) -> list[int | list[int]]:
        """Its form in ``chunk_shapes``."""
        return [length if times == 1 else [length, times] for length, times in self.runs]


ChunkAxis = RegularAxis | RectilinearAxis


def chunk_indices(grid_shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The indices of all chunks, in C order, one at a time. `itertools.product` would first make a tuple of each axis.

    >>> list(chunk_indices((2, 2)))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    if not grid_shape:
        yield ()
    elif 0 not in grid_shape:
        for first in range(grid_shape[0]):
            for others in chunk_indices(grid_shape[1:]):
                yield (first, *others)


@dataclass(frozen=True, slots=True)
class RegularChunkGrid:
    """All chunks have one shape; those at the upper edges overhang the array."""

    chunk_shape: tuple[int, ...]
    """Elements per dimension, each at least 1."""

    @property
    def axes(self) -> tuple[ChunkAxis, ...]:
        """Where chunks begin, by dimension."""
        return tuple(RegularAxis(length) for length in self.chunk_shape)

    def grid_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Chunks per dimension of an array of ``shape``.

        >>> RegularChunkGrid((5, 20, 400)).grid_shape((10, 200, 3000))
        (2, 10, 8)
        """
        return tuple(-(-length // chunk) for length, chunk in zip(shape, self.chunk_shape, strict=True))

    def chunk_shape_at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the chunk at ``index``, including the part that overhangs the array."""
        return self.chunk_shape

    def chunk_origin(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index in the array of the first element of the chunk at ``index``."""
        return tuple(i * length for i, length in zip(index, self.chunk_shape, strict=True))

    def check(self, shape: tuple[int, ...], member: str = "chunk_shape") -> None:
        """Whether an array of ``shape`` may have this grid.

        Raises:
            MetadataError: another number of dimensions.
        """
        _check_dimensions(len(self.chunk_shape), shape, member)

    def document(self) -> JsonObject:
        """Its form in a metadata document."""
        return {"name": "regular", "configuration": {"chunk_shape": list(self.chunk_shape)}}


@dataclass(frozen=True, slots=True)
class RectilinearChunkGrid:
    """The lengths of chunks are listed, dimension by dimension.

    >>> grid = RectilinearChunkGrid((RectilinearAxis(((16, 1), (10, 1))), RectilinearAxis(((24, 1), (14, 1)))))
    >>> grid.grid_shape((26, 38)), grid.chunk_origin((1, 0)), grid.chunk_shape_at((1, 0))
    ((2, 2), (16, 0), (10, 24))
    """

    axes: tuple[ChunkAxis, ...]
    """Where chunks begin, by dimension."""

    @property
    def chunk_shape(self) -> tuple[int, ...]:
        """The largest length of a chunk per dimension. No chunk exceeds it; a chunk of this shape need not exist."""
        return tuple(max(axis.lengths, default=1) for axis in self.axes)

    def grid_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Chunks per dimension of an array of ``shape``, without those entirely outside."""
        return tuple(axis.count(length) for axis, length in zip(self.axes, shape, strict=True))

    def chunk_shape_at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the chunk at ``index``, including the part that overhangs the array."""
        return tuple(axis.place(i)[1] for axis, i in zip(self.axes, index, strict=True))

    def chunk_origin(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index in the array of the first element of the chunk at ``index``."""
        return tuple(axis.place(i)[0] for axis, i in zip(self.axes, index, strict=True))

    def check(self, shape: tuple[int, ...], member: str = "chunk_shapes") -> None:
        """Whether an array of ``shape`` may have this grid.

        Raises:
            MetadataError: another number of dimensions, or edges that do not reach the end of a dimension.
        """
        _check_dimensions(len(self.axes), shape, member)
        for dimension, (axis, length) in enumerate(zip(self.axes, shape, strict=True)):
            if axis.extent is not None and axis.extent < length:
                raise MetadataError(
                    f"expected edges that sum to {length:,} elements, found {axis.extent:,}",
                    member=f"{member}[{dimension}]",
                )

    def document(self) -> JsonObject:
        """Its form in a metadata document."""
        edges = [axis.document() for axis in self.axes]
        return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": edges}}


ChunkGrid = RegularChunkGrid | RectilinearChunkGrid


def parse_chunk_grid(named: NamedConfiguration, shape: tuple[int, ...]) -> ChunkGrid:
    """The grid that a version 3 document names.

    Raises:
        MetadataError: chunk lengths that do not fit ``shape``.
        UnsupportedError: an unknown grid, or an unknown kind of it.
    """
    if named.name == "rectilinear":
        return _rectilinear_chunk_grid(named.configuration, shape)
    if named.name != "regular":
        raise UnsupportedError("chunk grid", named.name)
    member = f"{_CONFIGURATION}.chunk_shape"
    return regular_chunk_grid(
        integers(named.configuration.get("chunk_shape"), member, minimum=0), shape, member
    )


def regular_chunk_grid(chunk_shape: tuple[int, ...], shape: tuple[int, ...], member: str) -> RegularChunkGrid:
    """A regular grid, checked against the array's shape.

    Raises:
        MetadataError: another number of dimensions, or a chunk length of 0 in an array that is not empty.
    """
    _check_dimensions(len(chunk_shape), shape, member)
    for chunk, length in zip(chunk_shape, shape, strict=True):
        if chunk == 0 and length > 0:
            raise MetadataError("a chunk length of 0 for a dimension that is not empty", member=member)
    # An empty dimension may have empty chunks. With length 1 instead, arithmetic needs no special case.
    return RegularChunkGrid(tuple(max(1, chunk) for chunk in chunk_shape))


def rectilinear_axis(edges: Iterable[int]) -> RectilinearAxis:
    """An axis of chunks of these lengths.

    >>> rectilinear_axis([1, 1, 1, 3]).runs
    ((1, 3), (3, 1))
    """
    return _axis_of_runs((length, 1) for length in edges)


def _axis_of_runs(runs: Iterable[tuple[int, int]]) -> RectilinearAxis:
    return RectilinearAxis(
        tuple(
            (length, sum(times for _, times in group)) for length, group in groupby(runs, lambda run: run[0])
        )
    )


def _rectilinear_chunk_grid(configuration: Any, shape: tuple[int, ...]) -> RectilinearChunkGrid:
    if configuration.get("kind") != "inline":
        raise UnsupportedError("rectilinear chunk grid of kind", describe(configuration.get("kind")))
    member = f"{_CONFIGURATION}.chunk_shapes"
    edges = configuration.get("chunk_shapes")
    if not isinstance(edges, list):
        raise MetadataError(f"expected an array of edge lengths, found {describe(edges)}", member=member)
    grid = RectilinearChunkGrid(tuple(_parse_axis(item, f"{member}[{i}]") for i, item in enumerate(edges)))
    grid.check(shape, member)
    return grid


def _parse_axis(value: Any, member: str) -> ChunkAxis:
    if not isinstance(value, list):
        return RegularAxis(*integers([value], member, minimum=1))
    runs = []
    for position, item in enumerate(value):
        run = item if isinstance(item, list) else [item, 1]
        if len(run) != 2:
            raise MetadataError(
                f"expected a length and a count, found {len(run)} elements",
                member=f"{member}[{position}]",
            )
        length, times = integers(run, f"{member}[{position}]", minimum=1)
        runs.append((length, times))
    return _axis_of_runs(runs)


def _check_dimensions(found: int, shape: tuple[int, ...], member: str) -> None:
    if found != len(shape):
        raise MetadataError(
            f"expected {len(shape)} lengths, one per dimension of shape, found {found}", member=member
        )
