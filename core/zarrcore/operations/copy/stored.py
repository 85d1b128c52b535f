"""The stored chunks of an array, from one listing: the missing ones are neither read nor written, and a digest shows changes."""

from __future__ import annotations

import hashlib
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
    found = StoredChunks(metadata)
    try:
        for index, _ in listed_chunks(store, prefix, metadata):
            found.add(index)
    except ListingUnsupportedError:
        return NumberSet(found.grid.count)
    return found.numbers


class StoredChunks:
    """Chunks of an array that a listing has shown.

    Args:
        metadata: of the array.
    """

    def __init__(self, metadata: ArrayMetadata) -> None:
        axes = zip(metadata.chunk_grid.axes, metadata.shape, strict=True)
        self.grid = BlockGrid(tuple(BlockAxis(*axis) for axis in axes))
        self.numbers = NumberSet(self.grid.count)

    def add(self, index: tuple[int, ...]) -> None:
        """Note the chunk at a grid index."""
        number = 0
        for along, count in zip(index, self.grid.shape, strict=True):
            number = number * count + along
        self.numbers.add(number)

    def blocks(self, blocks: BlockGrid) -> NumberSet:
        """The blocks of the array in which one of them is."""
        if blocks == self.grid:
            return self.numbers
        found = NumberSet(blocks.count)
        for number in self.numbers:
            for block in blocks.crossed(self.grid.box(number)):
                found.add(block)
        return found


class ChunkDigest:
    """A digest of the facts that a listing has about chunks, in any order: a sum, so that no chunk needs to be remembered.

    >>> one, other = ChunkDigest(), ChunkDigest()
    >>> for index in [(0,), (1,)]:
    ...     one.add(index, StoreEntry("c", 5, etag="x"))
    >>> for index in [(1,), (0,)]:
    ...     other.add(index, StoreEntry("c", 5, etag="x"))
    >>> one.text() == other.text()
    True
    """

    __slots__ = ("_count", "_sum")

    def __init__(self) -> None:
        self._count = self._sum = 0

    def add(self, index: tuple[int, ...], entry: StoreEntry) -> None:
        """Count the chunk at a grid index."""
        facts = f"{index} {entry.size} {entry.mtime_s if entry.etag is None else entry.etag}"
        self._count += 1
        self._sum += int.from_bytes(hashlib.blake2b(facts.encode(), digest_size=16).digest())

    def join(self, other: ChunkDigest) -> None:
        """Count the chunks of another digest."""
        self._count += other._count
        self._sum += other._sum

    def text(self) -> str:
        """The digest; equal for the same chunks."""
        return f"{self._count}-{self._sum % (1 << 128):032x}"


def chunk_digest(store: ReadableStore, prefix: str, metadata: ArrayMetadata) -> ChunkDigest:
    """The digest of the stored chunks of an array.

    Raises:
        ListingUnsupportedError: the store cannot list.
        StoreError: the store failed.
    """
    digest = ChunkDigest()
    for index, entry in listed_chunks(store, prefix, metadata):
        digest.add(index, entry)
    return digest


def listed_chunks(
    store: ReadableStore, prefix: str, metadata: ArrayMetadata
) -> Iterator[tuple[tuple[int, ...], StoreEntry]]:
    """Grid index and entry of each stored chunk of the grid, in the order of the listing.

    Raises:
        ListingUnsupportedError: the store cannot list.
        StoreError: the store failed.
    """
    counts = metadata.chunk_grid.grid_shape(metadata.shape)
    for entry in _listed(store, prefix):
        index = metadata.chunk_key_encoding.decode(entry.key[len(prefix) :], len(counts))
        if index is not None and all(i < n for i, n in zip(index, counts, strict=True)):
            yield index, entry


def stored_keys(store: ReadableStore, prefix: str, metadata: ArrayMetadata) -> Iterator[str]:
    """The keys of the stored chunks; none if the store cannot list.

    Raises:
        StoreError: the store failed.
    """
    try:
        for entry in _listed(store, prefix):
            if metadata.chunk_key_encoding.decode(entry.key[len(prefix) :], len(metadata.shape)) is not None:
                yield entry.key
    except ListingUnsupportedError:
        return


def _listed(store: ReadableStore, prefix: str) -> Iterator[StoreEntry]:
    if not isinstance(store, ListableStore):
        raise ListingUnsupportedError(f"{store.url} cannot be listed", url=store.url)
    return store.list_prefix(prefix)


def _box(origin: tuple[int, ...], lengths: tuple[int, ...], shape: tuple[int, ...]) -> Box:
    return tuple(
        slice(start, min(start + length, end))
        for start, length, end in zip(origin, lengths, shape, strict=True)
    )
