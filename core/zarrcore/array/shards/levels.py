"""The nesting levels of an array's shards, outermost first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarrcore.codecs import Pipeline
from zarrcore.codecs.array_to_bytes.sharding_indexed import ShardingIndexedCodec
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import ChunkGrid, RegularChunkGrid
from zarrcore.typing import AnyArray


@dataclass(frozen=True, slots=True)
class Level:
    """One level of nesting: shards of one shape, and the grid of their inner chunks."""

    pipeline: Pipeline
    shard: ShardingIndexedCodec
    grid_shape: tuple[int, ...]
    inner: Pipeline

    def positions(self, elements: AnyArray) -> AnyArray:
        """The index positions of inner chunks, each given by one of its elements, counted from the shard's first element."""
        if not self.grid_shape:
            return np.zeros(len(elements), np.intp)
        within = (elements // self.shard.chunk_shape).T
        return np.ravel_multi_index(tuple(within), self.grid_shape)  # type: ignore[no-any-return]


def shard_levels(pipeline: Pipeline, chunk_grid: ChunkGrid) -> list[Level]:
    """The nesting levels if chunks are shards, outermost first; otherwise empty.

    Args:
        pipeline: decodes a chunk.
        chunk_grid: the array's chunks.

    Raises:
        MetadataError: the inner chunks do not divide the shards.
    """
    levels: list[Level] = []
    while pipeline.shard is not None:
        levels.append(level_of(pipeline))
        pipeline = levels[-1].inner
    if levels and not isinstance(chunk_grid, RegularChunkGrid):
        _check_edges(chunk_grid, levels[0].shard.chunk_shape)
    return levels


def _check_edges(chunk_grid: ChunkGrid, inner_shape: tuple[int, ...]) -> None:
    for dimension, (axis, inner) in enumerate(zip(chunk_grid.axes, inner_shape, strict=True)):
        for length in axis.lengths:
            if length % inner:
                raise MetadataError(
                    f"inner chunks of {inner} elements do not divide shards of {length} in dimension {dimension}",
                    member="chunk_grid",
                )


def level_of(pipeline: Pipeline) -> Level:
    """The level of the shards that a pipeline decodes."""
    shard = pipeline.shard
    if shard is None:  # pragma: no cover - callers have checked
        raise CodecError("no shard")
    shard.index_range(pipeline.spec)  # so that opening the array reports index codecs that make no sense
    return Level(pipeline, shard, shard.grid_shape(pipeline.spec), shard.inner_pipeline(pipeline.spec))
