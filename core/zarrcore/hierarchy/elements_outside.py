"""Erasing what is outside an array after it became smaller: whole chunks, and parts of those that cross its edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from zarrcore.array import Array
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.chunk_grid import chunk_indices
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.stores.wrapper.interface import writable

_ERASED_AT_ONCE = 1000


def erase_outside(
    store: ReadableStore, prefix: str, before: ArrayMetadata, after: ArrayMetadata, max_chunk_bytes: int
) -> None:
    """Erase the chunks that are entirely outside the new shape, and the outside elements of those that cross its edge.

    Args:
        store: where the chunks are.
        prefix: the prefix of their keys.
        before: the array as it was.
        after: the array as it is now.
        max_chunk_bytes: chunks that decode to more are refused.
    """
    keys = _keys_outside(store, prefix, before, after)
    while batch := list(islice(keys, _ERASED_AT_ONCE)):
        writable(store).erase_values(batch)
    grid_shape = after.chunk_grid.grid_shape(after.shape)
    if 0 in grid_shape:
        return
    last = tuple(count - 1 for count in grid_shape)
    origin, lengths = after.chunk_grid.chunk_origin(last), after.chunk_grid.chunk_shape_at(last)
    ends = [min(a + b, n) for a, b, n in zip(origin, lengths, before.shape, strict=True)]
    array = Array(store, prefix, before, None, max_chunk_bytes, read_only=False)
    for axis, (length, end) in enumerate(zip(after.shape, ends, strict=True)):
        overhang = tuple(slice(length if other == axis else 0, ends[other]) for other in range(len(ends)))
        if length < end:
            array.write(overhang, before.fill_value)


def with_whole_chunks(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array extended to the ends of its last chunks."""
    grid = metadata.chunk_grid
    last = [count - 1 for count in grid.grid_shape(metadata.shape)]
    if -1 in last:
        return metadata
    ends = zip(grid.chunk_origin(tuple(last)), grid.chunk_shape_at(tuple(last)), strict=True)
    return replace(metadata, shape=tuple(origin + length for origin, length in ends))


def _keys_outside(
    store: ReadableStore, prefix: str, before: ArrayMetadata, after: ArrayMetadata
) -> Iterator[str]:
    encoding = after.chunk_key_encoding
    kept = after.chunk_grid.grid_shape(after.shape)
    if isinstance(store, ListableStore):
        for entry in store.list_prefix(prefix):
            index = encoding.decode(entry.key[len(prefix) :], len(kept))
            if index is not None and not all(i < n for i, n in zip(index, kept, strict=True)):
                yield entry.key
        return
    for index in chunk_indices(before.chunk_grid.grid_shape(before.shape)):
        if not all(i < n for i, n in zip(index, kept, strict=True)):
            yield prefix + encoding.encode(index)
