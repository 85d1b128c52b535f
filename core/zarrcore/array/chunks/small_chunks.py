"""Writing many small chunks at once, when the overhead of a call matters.

With several threads, a call that releases the GIL may have to wait for it afterwards, which takes longer than encoding a few
KiB. So a thread encodes a batch of chunks in one call, and copies neighbours along the last dimension together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zarrcore.array.pools import CORES
from zarrcore.array.selection.axes import Crossing
from zarrcore.typing import AnyArray

_BATCH_NBYTES = 1 << 20


def batch_size(chunk_nbytes: int, count: int) -> int:
    """How many of ``count`` local chunks a thread should read or write at a time."""
    return max(1, min(_BATCH_NBYTES // max(1, chunk_nbytes), count // (4 * CORES), 128))


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """Chunks that follow one another along the last dimension."""

    above: tuple[Crossing, ...]
    """The part to take of each chunk in the other dimensions."""
    parts: list[Crossing]
    """The part to take of each chunk in the last dimension."""

    def indices(self) -> Iterator[tuple[int, ...]]:
        """The indices of its chunks."""
        above = tuple(part[0] for part in self.above)
        return ((*above, part[0]) for part in self.parts)


def whole_rows(parts: list[tuple[Crossing, ...]]) -> tuple[list[ChunkRow], list[tuple[Crossing, ...]]]:
    """The chunks that are taken whole, as rows, and the parts of the others. ``parts`` are in C order."""
    rows: list[ChunkRow] = []
    others: list[tuple[Crossing, ...]] = []
    for part in parts:
        above, last = part[:-1], part[-1]
        if not all(crossing[3] for crossing in part):
            others.append(part)
        elif rows and rows[-1].above == above and rows[-1].parts[-1][2].stop == last[2].start:
            rows[-1].parts.append(last)
        else:
            rows.append(ChunkRow(above, [last]))
    return rows, others


def stack_rows(rows: list[ChunkRow], values: AnyArray, stacked: AnyArray) -> None:
    """Copy the values of chunks that are taken whole into an array of as many chunks."""
    done = 0
    for row in rows:
        count = len(row.parts)
        np.copyto(stacked[done : done + count], _stacked(row.above, row.parts, values), casting="equiv")
        done += count


def _stacked(above: tuple[Crossing, ...], parts: list[Crossing], values: AnyArray) -> AnyArray:
    """A view of the elements of neighbours that are taken whole along the last dimension: the first one is the chunk."""
    row = values[(*(part[2] for part in above), slice(parts[0][2].start, parts[-1][2].stop))]
    # Splitting one dimension in two never copies.
    split = row.reshape(*row.shape[:-1], len(parts), row.shape[-1] // len(parts))
    return np.moveaxis(split, -2, 0)
