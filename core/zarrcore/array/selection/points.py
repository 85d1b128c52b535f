"""Point selections as in NumPy: one array of integers per dimension, broadcast against each other, or a mask.

Points have no order, so they are sorted by the chunk, or the unit of decoding, that contains them. Then each chunk is
read or written once, and its points are one slice of the sorted elements. All of this takes memory per point, not per chunk
of the array.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zarrcore.codecs.region import sorted_groups
from zarrcore.errors import SelectionError
from zarrcore.metadata import ChunkAxis
from zarrcore.typing import AnyArray

PointSelection = ArrayLike | tuple[ArrayLike, ...]
"""The index in ``array.vindex[…]``."""


@dataclass(frozen=True, slots=True)
class Points:
    """Selected elements."""

    positions: tuple[NDArray[np.intp], ...]
    """Their indices per dimension, none of them negative, which broadcast to ``shape``."""
    shape: tuple[int, ...]
    """The shape of the result."""

    @property
    def count(self) -> int:
        """How many points there are."""
        return math.prod(self.shape)

    def flat(self, values: NDArray[np.intp]) -> NDArray[np.intp]:
        """One value per point, in C order, of values that broadcast to ``shape``."""
        return np.broadcast_to(values, self.shape).reshape(-1)


def normalize_points(selection: PointSelection, shape: tuple[int, ...]) -> Points:
    """The selected points of an array of ``shape``.

    Raises:
        SelectionError: an index out of range, not one index per dimension, indices that are not integers or do not
            broadcast, or a mask of another shape.

    >>> normalize_points(([0, -1], 2), (4, 5))
    Points(positions=(array([0, 3]), array(2)), shape=(2,))
    """
    items = selection if isinstance(selection, tuple) else (selection,)
    arrays = [index_array(item, axis) for axis, item in enumerate(items)]
    if len(arrays) == 1 and arrays[0].dtype == bool:
        return _masked(arrays[0], shape)
    if len(arrays) != len(shape):
        raise SelectionError(f"expected {len(shape)} indices, one per dimension, found {len(arrays)}")
    positions = tuple(map(positions_in, arrays, shape, range(len(shape))))
    try:
        return Points(positions, np.broadcast_shapes(*(array.shape for array in positions)))
    except ValueError as error:
        raise SelectionError(f"the indices do not broadcast: {error}") from error


def index_array(item: Any, axis: int) -> AnyArray:
    """Indices of dimension ``axis``, or a mask, as an array.

    Raises:
        SelectionError: they are neither integers nor booleans.
    """
    try:
        array = np.asarray(item)
    except ValueError as error:  # lists of different lengths
        raise SelectionError(f"dimension {axis}: {error}") from error
    if array.size == 0 and not isinstance(item, np.ndarray):
        array = array.astype(np.intp)  # as in NumPy, an empty list is one of integers
    # Large integers of Python become objects, and `positions_in` says that they are out of range.
    if array.dtype.kind not in "iub" and not isinstance(item, int):
        found = type(item).__name__ if array.dtype == object else array.dtype
        raise SelectionError(f"dimension {axis}: expected an integer or an array of integers, found {found}")
    return array


def _masked(mask: NDArray[np.bool_], shape: tuple[int, ...]) -> Points:
    if mask.shape != shape:
        raise SelectionError(f"expected a mask of shape {shape}, found one of {mask.shape}")
    return Points(np.nonzero(mask) if shape else (), (int(np.count_nonzero(mask)),))


def positions_in(indices: AnyArray, length: int, axis: int) -> NDArray[np.intp]:
    """Indices of a dimension of ``length``, none of them negative, as an array of their own.

    Raises:
        SelectionError: an index out of range, or a mask.
    """
    if indices.dtype == bool:
        raise SelectionError(f"dimension {axis}: a mask must be the only index")
    # As integers of Python, because NumPy cannot compare the largest unsigned ones with a negative one.
    for index in (int(indices.min()), int(indices.max())) if indices.size else ():
        if not -length <= index < length:
            raise SelectionError(f"dimension {axis}: indices must be in [0, {length}), found {index}")
    positions = indices.astype(np.intp)
    positions[positions < 0] += length
    return positions


@dataclass(frozen=True, slots=True)
class PointsOfChunk:
    """The points in one chunk."""

    chunk: tuple[int, ...]
    """Its index."""
    offsets: tuple[NDArray[np.intp], ...]
    """Their indices in the chunk, by dimension."""
    place: slice
    """Their place among the sorted points."""


@dataclass(frozen=True, slots=True, eq=False)
class SortedPoints:
    """At least one point, sorted by chunk, in C order of the chunks."""

    order: NDArray[np.intp]
    """The order that sorts the points, as positions in C order."""
    bounds: NDArray[np.intp]
    """Where the sorted points of each chunk begin, and where the last ones end."""
    chunks: NDArray[np.intp]
    """Indices of the chunks, a row for each."""
    offsets: tuple[NDArray[np.intp], ...]
    """The indices of the sorted points in their chunks, by dimension."""

    def __iter__(self) -> Iterator[PointsOfChunk]:
        """The points of each chunk."""
        return map(self.of_chunk, range(len(self.chunks)))

    def of_chunk(self, number: int) -> PointsOfChunk:
        """The points of the chunk with a number."""
        begin, end = self.bounds[number : number + 2].tolist()
        offsets = tuple(offset[begin:end] for offset in self.offsets)
        return PointsOfChunk(tuple(self.chunks[number].tolist()), offsets, slice(begin, end))


def points_by_chunk(
    points: Points, axes: Sequence[ChunkAxis], shape: tuple[int, ...], *, keeps_order: bool = False
) -> SortedPoints:
    """The points of an array of ``shape``, sorted by chunk.

    Args:
        points: at least one.
        axes: the chunks, or units of decoding, by dimension.
        shape: the array's.
        keeps_order: whether points of a chunk keep their order.
    """
    located = [axis.locate(positions) for axis, positions in zip(axes, points.positions, strict=True)]
    counts = (axis.count(length) for axis, length in zip(axes, shape, strict=True))
    numbered = ((chunks, n) for (chunks, _), n in zip(located, counts, strict=True))
    order, bounds = sorted_groups(_numbers(numbered, points), keeps_order=keeps_order)
    firsts = [points.flat(chunks)[order[bounds[:-1]]] for chunks, _ in located]
    chunks = np.array(firsts, np.intp).reshape(len(firsts), len(bounds) - 1).T
    return SortedPoints(order, bounds, chunks, tuple(points.flat(within)[order] for _, within in located))


def _numbers(chunks: Iterable[tuple[NDArray[np.intp], int]], points: Points) -> NDArray[np.intp]:
    """The number of the chunk that contains each point, in C order.

    Args:
        chunks: per dimension, the indices of the chunks, and how many chunks there are. In all dimensions, there are fewer
            than 2⁶³.
        points: the points.
    """
    number = np.zeros((), np.intp)
    for indices, count in chunks:
        number = number * count + indices
    return points.flat(number)
