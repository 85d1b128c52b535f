"""A read of one region: plan it once, check if it is ready, then read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from zarrcore.array.chunks.cache import Chunk, ChunkCache
from zarrcore.array.chunks.decode_units import regions_of
from zarrcore.array.reader import ChunkReader
from zarrcore.array.selection.axes import Axis, AxisRange
from zarrcore.metadata import RegularChunkGrid
from zarrcore.typing import AnyArray


class ReadPlan:
    """A read of one region.

    The plan holds the chunks that `is_ready` finds, so reading them decodes nothing even if the cache drops them
    in between.

    Args:
        reader: reads the chunks that are not ready.
        axes: the region: the selected indices per dimension, all of them ascending.
        cache: keeps decoded chunks; with None, they are decoded again.
    """

    __slots__ = ("_axes", "_cache", "_chunks", "_crossed", "_reader")

    def __init__(self, reader: ChunkReader, axes: Sequence[Axis], cache: ChunkCache | None) -> None:
        self._reader = reader
        self._axes = axes
        self._crossed = reader.grid.crossings(axes)
        self._cache = cache
        self._chunks: list[Chunk] | None = None

    def is_ready(self) -> bool:
        """Whether `read_into` costs no I/O and no decoding."""
        if self._chunks is None and self._cache is not None:
            self._chunks = self._cache.ready(self._reader.cache_keys(self._crossed))
        return self._chunks is not None

    def prefetch(self) -> None:
        """Decode the chunks that the chunk cache does not have. Without a cache, do nothing.

        Raises:
            As `Array.read`.
        """
        if self._cache is not None and not self.is_ready():
            self._reader.read(self._crossed, None, self._cache)

    def read_into(
        self,
        out: AnyArray,
        *,
        cancelled: Callable[[], bool] | None = None,
        in_sequence: bool = False,
    ) -> None:
        """Read the region into ``out``, which has one dimension per axis.

        Args:
            out: of the array's dtype, with any strides.
            cancelled: called between chunks; reading stops when it returns True.
            in_sequence: whether the caller reads sequentially, so that chunks read whole are not needed again. If the
                cache does not have them, they are decoded directly into ``out``, which is twice as fast.

        Raises:
            As `Array.read`.
        """
        if self.is_ready():
            self._copy_into(out)
        else:
            keep = not (in_sequence and self._takes_whole_chunks())
            self._reader.read(self._crossed, out, self._cache, cancelled, keep)

    def _copy_into(self, out: AnyArray) -> None:
        places = product(*([part[2] for part in parts] for parts in self._crossed))
        for chunk, region, place in zip(self._chunks or (), regions_of(self._crossed), places, strict=True):
            out[place] = chunk[region]

    def _takes_whole_chunks(self) -> bool:
        metadata = self._reader.metadata
        return isinstance(metadata.chunk_grid, RegularChunkGrid) and all(
            isinstance(axis, AxisRange)
            and axis.step == 1
            and axis.start % length == 0
            and (axis.start + axis.count == extent or axis.count % length == 0)
            for axis, length, extent in zip(self._axes, self._reader.unit_shape, metadata.shape, strict=True)
        )
