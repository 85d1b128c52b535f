"""Writing a region of a shard: inner chunks that it does not touch keep their bytes, and are never decoded.

Specification: zarr-specs, "Sharding codec", "Partial writing": the new shard holds its inner chunks in C order, without
gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from zarrcore.codecs.array_to_bytes.sharding_indexed import ShardingIndexedCodec
from zarrcore.codecs.empty import is_fill
from zarrcore.codecs.interface import Buffer
from zarrcore.codecs.pipeline import Pipeline
from zarrcore.errors import CodecError

Crossing = tuple[int, slice, slice]
"""An inner chunk that a range crosses in one dimension: its index, the part of it, and the place of the part in the range."""

Apply = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Computes the results of a function in order, as ``map`` does."""


def updated_shard(
    pipeline: Pipeline,
    encoded: Buffer | None,
    region: tuple[slice, ...],
    values: np.ndarray[Any, Any],
    apply: Apply = map,
) -> Buffer | None:
    """The bytes of a chunk after ``values`` were written to ``region`` of it; None if only the fill value is left.

    Args:
        pipeline: encodes the chunk, which is a shard: its `shard` is not None.
        encoded: the stored chunk, or None if it is missing.
        region: a slice per dimension, of positive step.
        values: of the region's shape, of a type that casts to the chunk's without change of values.
        apply: encodes the inner chunks, perhaps on several threads.

    Raises:
        CodecError: the stored index, or an inner chunk that is written in part, does not decode.
        UnsupportedError: a codec that only decodes.
    """
    shard, spec = pipeline.shard, pipeline.spec
    if shard is None:
        raise CodecError("only a shard can be written in part")
    before = _members(shard, pipeline, encoded)
    inner, grid = shard.inner_pipeline(spec), shard.grid_shape(spec)
    crossed = [
        list(_crossings(range(*part.indices(whole)), length))
        for part, whole, length in zip(region, spec.shape, shard.chunk_shape, strict=True)
    ]
    strides = [prod(grid[axis + 1 :]) for axis in range(len(grid))]

    def position_of(crossing: tuple[Crossing, ...]) -> int:
        return sum(i * stride for (i, _, _), stride in zip(crossing, strides, strict=True))

    def update(crossing: tuple[Crossing, ...]) -> Buffer | None:
        inside = tuple(part for _, part, _ in crossing)
        place: Any = (*(outside for _, _, outside in crossing), ...)
        return _updated(inner, before[position_of(crossing)], inside, values[place])

    # Both are in C order.
    after = zip(map(position_of, product(*crossed)), apply(update, product(*crossed)), strict=True)
    is_empty = True

    def members() -> Iterator[Buffer | None]:
        nonlocal is_empty
        position, member = next(after, (-1, None))
        for current, old in enumerate(before):
            new = old
            if current == position:
                new = member
                position, member = next(after, (-1, None))
            is_empty = is_empty and new is None
            yield new

    joined = shard.join(members(), spec)
    return None if is_empty else joined


def _members(shard: ShardingIndexedCodec, pipeline: Pipeline, encoded: Buffer | None) -> list[Buffer | None]:
    grid_size = int(np.prod(shard.grid_shape(pipeline.spec)))
    if encoded is None:
        return [None] * grid_size
    view = memoryview(encoded)
    start, stop = shard.index_range(pipeline.spec).resolve(len(view))
    index = shard.parse_index(view[start:stop], pipeline.spec)
    places = (shard.member(index, position) for position in range(grid_size))
    return [None if place is None else shard.slice_member(view, place) for place in places]


def _updated(
    inner: Pipeline, member: Buffer | None, inside: tuple[slice, ...], values: np.ndarray[Any, Any]
) -> Buffer | None:
    """An inner chunk after ``values`` were written ``inside`` it."""
    place: Any = (*inside, ...)
    if values.shape == inner.spec.shape:
        chunk = values
    elif inner.shard is not None:
        return updated_shard(inner, member, inside, values)
    elif member is not None:
        chunk = inner.decode(member)
        chunk[place] = values
    else:
        chunk = np.full(inner.spec.shape, inner.spec.fill_value, inner.spec.dtype)
        chunk[place] = values
    return None if is_fill(chunk, inner.spec.fill_value) else inner.encode(chunk)


def _crossings(taken: range, length: int) -> Iterator[Crossing]:
    """The inner chunks of ``length`` that a dimension's range crosses, with the part of each and its place in the range."""
    step = taken.step
    for i in range(taken[0] // length, taken[-1] // length + 1) if taken else ():
        start = i * length
        first = max(0, -((taken.start - start) // step))
        last = min(len(taken), -((taken.start - start - length) // step))
        if first < last:
            yield i, slice(taken[first] - start, taken[last - 1] - start + 1, step), slice(first, last)
