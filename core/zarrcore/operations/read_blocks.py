"""The blocks in which an operation reads an array: whole units of decoding, as many as are worth a task."""

from __future__ import annotations

from collections.abc import Sequence

from zarrcore.array import Array
from zarrcore.metadata.chunk_grid import RegularAxis
from zarrcore.operations.copy.blocks import BlockAxis, BlockGrid, block_factors


def read_grid(array: Array, other_unit: Sequence[int], limit: int, most: int) -> BlockGrid:
    """The blocks of an array, each of whole chunks, or of whole inner chunks of its shards.

    Args:
        array: the array that is read.
        other_unit: shape of the units of decoding of another array that is read or written with it.
        limit: a good number of elements for a block.
        most: the most elements of a block, if that avoids decoding twice; a block of one unit may exceed it.
    """
    unit = array.inner_chunk_shape
    is_sharded = unit != array.chunk_shape
    axes = tuple(map(RegularAxis, unit)) if is_sharded else array.metadata.chunk_grid.axes
    factors = block_factors(array.shape, unit, other_unit, limit, most)
    return BlockGrid(tuple(BlockAxis(*axis) for axis in zip(axes, array.shape, factors, strict=True)))
