"""Copying one block: read, write, read back, compare. It can be pickled, so that any process can do it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrcore.array import Array
from zarrcore.codecs import is_fill
from zarrcore.codecs.scratch import scratch_buffer
from zarrcore.errors import BrokenBodyError, ZarrError
from zarrcore.filetypes.text import records_as_texts
from zarrcore.operations.cluster import Witness
from zarrcore.operations.copy.blocks import Box, nbytes_of
from zarrcore.operations.copy.layout import is_spelled_out
from zarrcore.operations.copy.part import Ranges, in_source
from zarrcore.operations.copy.transfer import ChunkTransfer
from zarrcore.typing import AnyArray

_COMPARED_NBYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class BlockCopy:
    """Copies blocks of one array."""

    source: Array
    """The source."""
    destination: Array
    """The destination."""
    kept_nbytes: int
    """The largest buffer that each thread may keep."""
    verify: bool = True
    """Whether to read back what was written, which finds chunks that do not decode."""
    ranges: Ranges | None = None
    """The part of the source that is copied, if it is not all of it."""
    compare: bool = True
    """Whether to compare it with the source as well; false if a codec rounds."""
    witnesses: tuple[Witness, ...] = ()
    """What another process must see, so that it reads and writes the same stores."""
    at_once: int = 1
    """How many blocks a thread of another process copies at once."""

    def __call__(self, box: Box) -> int:
        """Copy the elements of ``box``; returns their number of bytes.

        Raises:
            CodecError: a chunk of the source does not decode.
            BrokenBodyError: the written block reads back differently.
            StoreError: a store failed.
        """
        place = box if self.ranges is None else in_source(box, self.ranges)
        values = self.source.read(place or ..., self._buffer(box, self.source.dtype, "copied"))
        if is_spelled_out(self.source.dtype):
            values = records_as_texts(values)
        # Nothing is stored yet, so nothing needs to be erased: this saves a request for each missing chunk.
        if not is_fill(values, self.destination.metadata.fill_value):
            self.destination.write(box or ..., values)
            if self.verify:
                self._verified(box, values)
        return nbytes_of(box, self.source.itemsize)

    def _verified(self, box: Box, values: AnyArray) -> None:
        try:
            self._verify(box, values)
        except ZarrError:
            # A resumed copy counts stored chunks as copied, so chunks of fill values are erased.
            self.destination.write(box or ..., self.destination.fill_value)
            raise

    def _verify(self, box: Box, values: AnyArray) -> None:
        for part in self._parts(box):
            found = self.destination.read(
                part or ..., self._buffer(part, self.destination.dtype, "read back")
            )
            inside = tuple(slice(p.start - b.start, p.stop - b.start) for p, b in zip(part, box, strict=True))
            if self.compare and not _same_bits(found, values[inside] if inside else values):
                raise BrokenBodyError(
                    f"{self._key(part)} in {self.destination.store.url} does not read back as it was written",
                    key=self._key(part),
                    url=self.destination.store.url,
                )

    def _buffer(self, box: Box, dtype: np.dtype[Any], use: str) -> AnyArray | None:
        """Memory of this thread for the elements of a box: getting new memory costs more than decoding into it."""
        nbytes = nbytes_of(box, dtype.itemsize)
        if dtype.kind in "TO" or dtype.hasobject or not 0 < nbytes <= self.kept_nbytes:
            return None
        shape = tuple(part.stop - part.start for part in box)
        return np.ndarray(shape, dtype, scratch_buffer(use, nbytes, self.kept_nbytes))

    def _parts(self, box: Box) -> list[Box]:
        """The box in parts of whole inner chunks along its first dimension: the data read back need not fit in memory twice."""
        if not box:
            return [box]
        first, unit = box[0], self.destination.inner_chunk_shape[0]
        per_unit = nbytes_of(box, max(1, self.source.itemsize)) // max(1, first.stop - first.start) * unit
        step = unit * max(1, _COMPARED_NBYTES // max(1, per_unit))
        starts = range(first.start, first.stop, step)
        return [(slice(start, min(start + step, first.stop)), *box[1:]) for start in starts]

    def _key(self, box: Box) -> str:
        """The first chunk of ``box``."""
        axes = self.destination.metadata.chunk_grid.axes
        return self.destination.chunk_key(
            tuple(axis.find(part.start) for axis, part in zip(axes, box, strict=True))
        )


def _same_bits(one: AnyArray, other: AnyArray) -> bool:
    if one.dtype.kind in "TO":
        return bool((one == other).all())
    if one.nbytes % 8 == 0 and one.flags.c_contiguous and other.flags.c_contiguous:
        # As few comparisons as possible: of single bytes, they take five times as long.
        # Through bytes, since NumPy views elements of 12 bytes, as of a structure, only as something that divides these.
        words, others = (array.reshape(-1).view("u1").view("u8") for array in (one, other))
        return bool(np.array_equal(words, others))
    if one.dtype.itemsize in (1, 2, 4, 8):
        bits = f"u{one.dtype.itemsize}"
        return bool(np.array_equal(one.view(bits), other.view(bits)))
    return bool(np.array_equal(_rows(one), _rows(other)))


def _rows(array: AnyArray) -> AnyArray:
    """Elements as rows of bytes."""
    return (
        np.ascontiguousarray(array)
        .reshape(-1)
        .view("u1")
        .reshape(math.prod(array.shape), array.dtype.itemsize)
    )


Piece = tuple[BlockCopy | ChunkTransfer, Box, int]
"""What copies a block, the block, and the memory it takes."""
