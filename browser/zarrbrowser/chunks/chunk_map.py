"""A coarse map of the stored chunks of an array, updated while a store lists them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.nodes.read_cost import Cancelled

MOST_ACROSS = 512
"""The maximum number of cells along one side; in a larger grid each cell represents several chunks."""
_TELL_S = 0.15


@dataclass(frozen=True, slots=True)
class Cells:
    """The layout of chunks as cells.

    A grid with two long axes keeps its shape; any other is wrapped: its chunks follow each other in C order, line by line.
    """

    grid_shape: tuple[int, ...]
    shape: tuple[int, int]
    """Rows and columns of cells."""
    per_cell: tuple[int, int]
    """Chunks per cell, down and to the right; in a wrapped grid the first is 1."""
    plane: tuple[int, int] | None
    """The axes that run down and to the right; None if the grid is wrapped."""

    @classmethod
    def of(cls, grid_shape: tuple[int, ...]) -> Cells:
        """The layout for a grid."""
        long = [axis for axis, length in enumerate(grid_shape) if length > 1]
        if len(long) == 2 and 0 not in grid_shape:
            rows, columns = grid_shape[long[0]], grid_shape[long[1]]
            per_cell = (math.ceil(rows / MOST_ACROSS), math.ceil(columns / MOST_ACROSS))
            shape = (math.ceil(rows / per_cell[0]), math.ceil(columns / per_cell[1]))
            return cls(grid_shape, shape, per_cell, (long[0], long[1]))
        total = math.prod(grid_shape)
        together = max(1, math.ceil(total / MOST_ACROSS**2))
        cells = math.ceil(total / together)
        width = cells if cells <= 32 else min(MOST_ACROSS, math.ceil(math.sqrt(cells * 1.6)))
        return cls(grid_shape, (math.ceil(cells / width) if width else 0, width), (1, together), None)

    def cell(self, index: tuple[int, ...]) -> tuple[int, int]:
        """The cell of a chunk."""
        if self.plane is not None:
            down, right = self.plane
            return index[down] // self.per_cell[0], index[right] // self.per_cell[1]
        flat = 0
        for position, length in zip(index, self.grid_shape, strict=True):
            flat = flat * length + position
        return divmod(flat // self.per_cell[1], self.shape[1])

    def capacity(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The number of chunks in each cell; 0 after the last chunk."""
        if self.plane is not None:
            lengths = [
                np.minimum(each, self.grid_shape[axis] - np.arange(cells) * each)
                for axis, cells, each in zip(self.plane, self.shape, self.per_cell, strict=True)
            ]
            return np.multiply.outer(*lengths)
        total, each = math.prod(self.grid_shape), self.per_cell[1]
        left = total - np.arange(math.prod(self.shape)) * each
        return np.clip(left, 0, each).reshape(self.shape)

    def describe(self, row: int, column: int) -> str:
        """The chunks of a cell as text: ``chunk (3, 4)``, or the first and the last; empty after the last chunk."""
        if self.plane is not None:
            first, last = [0] * len(self.grid_shape), [0] * len(self.grid_shape)
            for axis, position, each in zip(self.plane, (row, column), self.per_cell, strict=True):
                first[axis] = position * each
                last[axis] = min(first[axis] + each, self.grid_shape[axis]) - 1
        else:
            flat, total = (row * self.shape[1] + column) * self.per_cell[1], math.prod(self.grid_shape)
            if flat >= total:
                return ""
            last_flat = min(flat + self.per_cell[1], total) - 1
            first = [int(part) for part in np.unravel_index(flat, self.grid_shape)] if self.grid_shape else []
            last = [int(part) for part in np.unravel_index(last_flat, self.grid_shape)] if first else []
        if first == last:
            return f"chunk ({', '.join(map(str, first))})"
        return f"chunks ({', '.join(map(str, first))}) to ({', '.join(map(str, last))})"


@dataclass(frozen=True, slots=True)
class ChunkMap:
    """What is known of an array's chunks so far."""

    cells: Cells
    counts: np.ndarray[Any, np.dtype[np.int64]]
    """Stored chunks per cell."""
    present: int
    stored_nbytes: int
    info: Any = None
    """`zarrcore`'s `StorageInfo`, once all chunks have been counted."""

    def fractions(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The stored fraction of each cell's chunks, 0 to 1; NaN for a cell without chunks."""
        capacity = self.cells.capacity()
        result = np.full(self.counts.shape, np.nan)
        np.divide(self.counts, capacity, out=result, where=capacity > 0)
        return result


def count_chunks(
    array: ArrayLike, cancelled: Callable[[], bool], tell: Callable[[ChunkMap], object]
) -> ChunkMap:
    """Count the stored chunks of an array, and report the state so far at intervals.

    Raises:
        Cancelled: ``cancelled`` became true.
        ZarrError: the store cannot list its keys, or failed.
    """
    cells = Cells.of(tuple(array.chunk_grid_shape))
    counts = np.zeros(cells.shape, np.int64)
    present, nbytes, told_s = 0, 0, time.monotonic()

    def seen(index: tuple[int, ...], size: int) -> None:
        nonlocal present, nbytes, told_s
        counts[cells.cell(index)] += 1
        present, nbytes = present + 1, nbytes + size
        if time.monotonic() - told_s > _TELL_S:
            if cancelled():
                raise Cancelled
            tell(ChunkMap(cells, counts.copy(), present, nbytes))
            told_s = time.monotonic()

    info = array.storage_info(seen)
    return ChunkMap(cells, counts, info.present, info.stored_nbytes, info)
