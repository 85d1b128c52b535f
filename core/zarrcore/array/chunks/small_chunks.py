"""Reading and writing many small chunks at once, when the overhead of a call matters.

With several threads, a call that releases the GIL may have to wait for it afterwards, which takes longer than reading or
decoding a few KiB. So a thread reads a batch of chunks one after another while the others decode theirs. It decodes or
encodes the batch in one call and copies neighbours along the last dimension together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, product
from operator import itemgetter
from typing import Any

import numpy as np

from zarrcore.array.chunks.decode_units import Crossings
from zarrcore.array.pools import CORES
from zarrcore.array.selection.axes import Crossing
from zarrcore.codecs.region import outer_region
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

    def crossed(self) -> Crossings:
        """The row as the units that a selection crosses."""
        return [*([part] for part in self.above), self.parts]


def row_batches(crossed: Crossings, size: int) -> Iterator[list[ChunkRow]]:
    """Rows of ``size`` chunks in total, in C order. There must be at least one dimension."""
    rows: list[ChunkRow] = []
    room = size
    last = crossed[-1]
    for above in product(*crossed[:-1]):
        done = 0
        while done < len(last):
            row = ChunkRow(above, [*last[done : done + room]])
            rows.append(row)
            done += len(row.parts)
            room -= len(row.parts)
            if room == 0:
                yield rows
                rows, room = [], size
    if rows:
        yield rows


def place_row(row: ChunkRow, decoded: AnyArray, out: AnyArray) -> None:
    """Copy the wanted parts of a row's decoded chunks, which are stacked, to their place."""
    inside: Any = (slice(None), *outer_region([part[1] for part in row.above]))
    outside: Any = tuple(part[2] for part in row.above)
    taken = decoded[inside]
    done = 0
    for is_whole, group in groupby(row.parts, itemgetter(3)):
        parts = list(group)
        chunks = taken[done : done + len(parts)]
        done += len(parts)
        if is_whole:
            np.copyto(_stacked(row.above, parts, out), chunks)
        else:
            for part, chunk in zip(parts, chunks, strict=True):
                np.copyto(out[(*outside, part[2])], chunk[..., part[1]])


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
