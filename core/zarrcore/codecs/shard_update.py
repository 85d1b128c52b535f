"""Writing a region of a shard: inner chunks that it does not touch keep their bytes, and are never decoded.

Specification: zarr-specs, "Sharding codec", "Partial writing": the new shard holds its inner chunks in C order, without
gaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from zarrcore.codecs.array_to_bytes.sharding_indexed import ShardingIndexedCodec
from zarrcore.codecs.empty import is_fill
from zarrcore.codecs.interface import Buffer
from zarrcore.codecs.pipeline import Pipeline
from zarrcore.errors import CodecError


def updated_shard(
    pipeline: Pipeline, encoded: Buffer | None, region: tuple[slice, ...], values: np.ndarray[Any, Any]
) -> Buffer | None:
    """The bytes of a chunk after ``values`` were written to ``region`` of it; None if only the fill value is left.

    Args:
        pipeline: encodes the chunk, which is a shard: its `shard` is not None.
        encoded: the stored chunk, or None if it is missing.
        region: a slice per dimension, of positive step.
        values: of the region's shape, of a type that casts to the chunk's without change of values.

    Raises:
        CodecError: the stored index, or an inner chunk that is written in part, does not decode.
        UnsupportedError: a codec that only decodes.
    """
    shard, spec = pipeline.shard, pipeline.spec
    if shard is None:
        raise CodecError("only a shard can be written in part")
    members = _members(shard, pipeline, encoded)
    inner, grid = shard.inner_pipeline(spec), shard.grid_shape(spec)
    crossings = (
        list(_crossings(range(*part.indices(whole)), length))
        for part, whole, length in zip(region, spec.shape, shard.chunk_shape, strict=True)
    )
    for crossing in product(*crossings):
        position = int(np.ravel_multi_index([i for i, _, _ in crossing], grid)) if crossing else 0
        inside = tuple(part for _, part, _ in crossing)
        place: Any = (*(outside for _, _, outside in crossing), ...)
        members[position] = _updated(inner, members[position], inside, values[place])
    return shard.join(members, spec) if any(member is not None for member in members) else None


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


def _crossings(taken: range, length: int) -> Iterator[tuple[int, slice, slice]]:
    """The inner chunks of ``length`` that a dimension's range crosses, with the part of each and its place in the range."""
    step = taken.step
    for i in range(taken[0] // length, taken[-1] // length + 1) if taken else ():
        start = i * length
        first = max(0, -((taken.start - start) // step))
        last = min(len(taken), -((taken.start - start - length) // step))
        if first < last:
            yield i, slice(taken[first] - start, taken[last - 1] - start + 1, step), slice(first, last)
