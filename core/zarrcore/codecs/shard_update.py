"""Writing a region of a shard: inner chunks that it does not touch keep their bytes, and are never decoded.

Specification: zarr-specs, "Sharding codec", "Partial writing": the new shard holds its inner chunks in C order, without
gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.codecs.array_to_bytes.sharding_indexed import ShardingIndexedCodec
from zarrcore.codecs.empty import is_fill
from zarrcore.codecs.interface import Buffer
from zarrcore.codecs.pipeline import Pipeline
from zarrcore.codecs.region import Part, Region, are_points, as_part, outer_region, sorted_groups
from zarrcore.errors import CodecError
from zarrcore.typing import AnyArray

Crossing = tuple[int, Part, slice]
"""An inner chunk that a region crosses in one dimension: its index, the part of it, and the place of the part in the region."""

Crossed = tuple[int, Region, Any]
"""An inner chunk that a region crosses: its position in C order, the part of it, and the index of its values."""

Apply = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Computes the results of a function in order, as ``map`` does."""


def updated_shard(
    pipeline: Pipeline,
    encoded: Buffer | None,
    region: Region,
    values: AnyArray,
    apply: Apply = map,
) -> Buffer | None:
    """The bytes of a chunk after ``values`` were written to ``region`` of it; None if only the fill value is left.

    Args:
        pipeline: encodes the chunk, which is a shard: its `shard` is not None.
        encoded: the stored chunk, or None if it is missing.
        region: the part to write.
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
    inner = shard.inner_pipeline(spec)
    shapes = spec.shape, shard.chunk_shape
    crossed = list(_points(region, *shapes) if are_points(region) else _box(region, *shapes))  # in C order

    def update(crossed: Crossed) -> Buffer | None:
        position, inside, place = crossed
        return _updated(inner, before[position], inside, values[place])

    after = zip((position for position, _, _ in crossed), apply(update, crossed), strict=True)
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


def _updated(inner: Pipeline, member: Buffer | None, inside: Region, values: AnyArray) -> Buffer | None:
    """An inner chunk after ``values`` were written ``inside`` it."""
    place: Any = (*inside, ...)
    if values.shape == inner.spec.shape and not are_points(inside):  # points may be in any order
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


def _box(region: Region, shape: tuple[int, ...], inner_shape: tuple[int, ...]) -> Iterator[Crossed]:
    """The inner chunks that a box or an open mesh crosses."""
    axes = [
        list(_crossings(part, whole, length))
        for part, whole, length in zip(region, shape, inner_shape, strict=True)
    ]
    strides = _strides(shape, inner_shape)
    for crossed in product(*axes):
        position = sum(i * stride for (i, _, _), stride in zip(crossed, strides, strict=True))
        yield (
            position,
            outer_region([part for _, part, _ in crossed]),
            (*(place for _, _, place in crossed), ...),
        )


def _points(
    points: tuple[NDArray[np.intp], ...], shape: tuple[int, ...], inner_shape: tuple[int, ...]
) -> Iterator[Crossed]:
    """The inner chunks with points."""
    strides = _strides(shape, inner_shape)
    numbers = np.zeros(points[0].shape, np.intp)
    for axis, length, stride in zip(points, inner_shape, strides, strict=True):
        numbers += axis // length * stride
    order, bounds = sorted_groups(numbers, keeps_order=True)
    for begin, end in pairwise(bounds.tolist()):
        chosen = order[begin:end]
        inside = tuple(axis[chosen] % length for axis, length in zip(points, inner_shape, strict=True))
        yield int(numbers[chosen[0]]), inside, chosen


def _strides(shape: tuple[int, ...], inner_shape: tuple[int, ...]) -> list[int]:
    """Between inner chunks that are neighbours in a dimension, the distance of their positions."""
    grid = [whole // length for whole, length in zip(shape, inner_shape, strict=True)]
    return [prod(grid[axis + 1 :]) for axis in range(len(grid))]


def _crossings(part: Part, whole: int, length: int) -> Iterator[Crossing]:
    """The inner chunks of ``length`` that a part of a dimension crosses."""
    if not isinstance(part, slice):
        indices = part.reshape(-1)
        chunks = indices // length
        begins = [0, *(np.flatnonzero(np.diff(chunks)) + 1).tolist()]
        for begin, end in pairwise([*begins, len(indices)]):
            yield int(chunks[begin]), as_part(indices[begin:end] % length), slice(begin, end)
        return
    taken = range(*part.indices(whole))
    step = taken.step
    for i in range(taken[0] // length, taken[-1] // length + 1) if taken else ():
        start = i * length
        first = max(0, -((taken.start - start) // step))
        last = min(len(taken), -((taken.start - start - length) // step))
        if first < last:
            yield i, slice(taken[first] - start, taken[last - 1] - start + 1, step), slice(first, last)
