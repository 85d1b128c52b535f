"""The chunks in a view: their places in the plane, and which are stored.

Accepted specification, "Chunk grids", "Storage": a chunk whose key is absent is missing and reads as the fill value. If chunks
are shards, the store is asked for shards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from zarrbrowser.image.tiles.frames import View
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.nodes.read_cost import Cancelled
from zarrcore.threads import ThreadPool

MOST_ASKED = 4096
"""The store is not asked about more chunks than this: they would be too small to distinguish."""
LEAST_PIXELS = 6.0
"""No lines are drawn for chunks narrower than this."""
_AT_ONCE = 32

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChunkGrid:
    """The chunks of one plane that are in view."""

    raster: Raster
    rows: range
    """The rows of chunks, in the array's grid."""
    columns: range
    """The columns of chunks, in the array's grid."""

    def index(self, row: int, column: int) -> Index:
        """The indices of a chunk in the array's grid."""
        lengths = self.raster.level.array.chunk_shape
        places = [place // max(1, length) for place, length in zip(self.raster.index, lengths, strict=True)]
        places[self.raster.rows], places[self.raster.columns] = row, column
        return tuple(places)

    def edge(self, side: int, number: int) -> float:
        """Where a chunk begins, in elements of the base level; ``side`` is 0 for rows, 1 for columns."""
        axis, level = self.raster.axes[side], self.raster.level
        element = min(number * max(1, level.array.chunk_shape[axis]), level.array.shape[axis])
        return level.base(axis, element - 0.5)

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Row and column of each chunk."""
        return [(row, column) for row in self.rows for column in self.columns]


def chunks_in(raster: Raster, view: View) -> ChunkGrid | None:
    """The chunks of a plane that are in view; None if they are too small or too many to be seen."""
    ranges = []
    for side, (low, high) in enumerate((view.rows, view.columns)):
        axis, level = raster.axes[side], raster.level
        length = max(1, level.array.chunk_shape[axis])
        pixels = length * level.factors[axis] / max(view.density(side), 1e-9)
        if pixels < LEAST_PIXELS:
            return None
        elements = [(edge - level.offsets[axis]) / level.factors[axis] + 0.5 for edge in (low, high)]
        last = math.ceil(level.array.shape[axis] / length)
        start = min(max(math.floor(elements[0] / length), 0), last)
        ranges.append(range(start, min(max(math.ceil(elements[1] / length), start), last)))
    rows, columns = ranges
    return ChunkGrid(raster, rows, columns) if len(rows) * len(columns) <= MOST_ASKED else None


def stored(
    array: Any, indices: Sequence[Index], cancelled: Callable[[], bool] = lambda: False
) -> dict[Index, bool]:
    """Which chunks have a key in the store.

    Raises:
        Cancelled: ``cancelled`` became true.
        StoreError: the store failed.
    """

    def is_stored(index: Index) -> bool:
        if cancelled():
            raise Cancelled
        return array.store.stat(array.chunk_key(index)) is not None

    with ThreadPool(_AT_ONCE) as pool:
        return dict(zip(indices, pool.map(is_stored, indices), strict=True))
