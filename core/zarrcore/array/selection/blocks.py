"""Selections of whole chunks by their indices in the chunk grid."""

from __future__ import annotations

from zarrcore.array.selection.axes import AxisRange
from zarrcore.array.selection.basic import BasicSelection, normalize
from zarrcore.array.selection.outer import Outer
from zarrcore.errors import SelectionError
from zarrcore.metadata import ChunkAxis, ChunkGrid


def normalize_blocks(selection: BasicSelection, grid: ChunkGrid, shape: tuple[int, ...]) -> Outer:
    """The elements of chunks of an array of ``shape``. An integer selects a chunk, and keeps the dimension.

    Raises:
        SelectionError: an index outside the grid, a step other than 1, or not a basic selection.

    >>> from zarrcore.metadata import RegularChunkGrid
    >>> normalize_blocks((1, slice(2)), RegularChunkGrid((4, 3)), (6, 9)).shape
    (2, 6)
    """
    chunks = normalize(selection, grid.grid_shape(shape))
    axes = zip(chunks, grid.axes, shape, strict=True)
    return Outer(tuple(_elements(*axis, dimension) for dimension, axis in enumerate(axes)))


def _elements(taken: AxisRange, chunks: ChunkAxis, length: int, dimension: int) -> AxisRange:
    if taken.step != 1 or taken.flipped:
        raise SelectionError(f"dimension {dimension}: blocks can be selected by slices of step 1 only")
    if taken.count == 0:
        return AxisRange(0, 1, 0)
    first, _ = chunks.place(taken.start)
    last, extent = chunks.place(taken.last)
    return AxisRange(first, 1, min(last + extent, length) - first)
