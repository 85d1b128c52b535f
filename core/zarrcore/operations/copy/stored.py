"""The stored chunks of an array, from one listing, so that missing chunks are neither read nor written."""

from __future__ import annotations

from collections.abc import Iterator

from zarrcore.array import Array
from zarrcore.errors import ListingUnsupportedError
from zarrcore.metadata import ArrayMetadata
from zarrcore.operations.copy.blocks import BlockAxis, BlockGrid, Box, NumberSet
from zarrcore.stores.interface import ListableStore, ReadableStore, StoreEntry


def stored_blocks(source: Array, prefix: str, documents: set[str], blocks: BlockGrid) -> NumberSet | None:
    """The blocks in which a chunk of ``source`` is stored; None if a listing does not show it.

    This is so if there are keys that are neither chunks nor ``documents``: some writers name chunks differently, which
    reading detects.

    Raises:
        StoreError: the store failed.
    """
    grid, shape = source.metadata.chunk_grid, source.shape
    counts = source.chunk_grid_shape
    numbers = NumberSet(blocks.count)
    try:
        for entry in _listed(source.store, prefix):
            index = source.metadata.chunk_key_encoding.decode(entry.key[len(prefix) :], source.ndim)
            if index is None:
                if entry.key not in documents:
                    return None
            elif all(i < n for i, n in zip(index, counts, strict=True)):
                for number in blocks.crossed(
                    _box(grid.chunk_origin(index), grid.chunk_shape_at(index), shape)
                ):
                    numbers.add(number)
    except ListingUnsupportedError:
        return None
    return numbers


def stored_chunks(store: ReadableStore, prefix: str, metadata: ArrayMetadata) -> NumberSet:
    """The numbers, in C order, of the stored chunks; empty if the store cannot list.

    Raises:
        StoreError: the store failed.
    """
    axes = zip(metadata.chunk_grid.axes, metadata.shape, strict=True)
    grid = BlockGrid(tuple(BlockAxis(*axis) for axis in axes))
    counts, numbers = grid.shape, NumberSet(grid.count)
    try:
        for entry in _listed(store, prefix):
            index = metadata.chunk_key_encoding.decode(entry.key[len(prefix) :], len(counts))
            if index is not None and all(i < n for i, n in zip(index, counts, strict=True)):
                number = 0
                for along, count in zip(index, counts, strict=True):
                    number = number * count + along
                numbers.add(number)
    except ListingUnsupportedError:
        return NumberSet(grid.count)
    return numbers


def _listed(store: ReadableStore, prefix: str) -> Iterator[StoreEntry]:
    if not isinstance(store, ListableStore):
        raise ListingUnsupportedError(f"{store.url} cannot be listed", url=store.url)
    return store.list_prefix(prefix)


def _box(origin: tuple[int, ...], lengths: tuple[int, ...], shape: tuple[int, ...]) -> Box:
    return tuple(
        slice(start, min(start + length, end))
        for start, length, end in zip(origin, lengths, shape, strict=True)
    )
