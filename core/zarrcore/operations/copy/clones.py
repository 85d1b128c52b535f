"""Verifying chunks that an object store has copied itself.

A bucket's listing has an ETag for each value. If all sizes and ETags of an array are the same in both places, so are the values.
But equal values that were sent in parts or encrypted have other ETags. Then both are read and compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from zarrcore.errors import BrokenBodyError
from zarrcore.operations.copy.plan import ArrayPlan
from zarrcore.operations.copy.stored import ChunkDigest, chunk_digest, listed_chunks
from zarrcore.operations.parallel import in_parallel
from zarrcore.stores.interface import ByteRange, ReadableStore, StoreEntry
from zarrcore.stores.object.bucket import BucketStore
from zarrcore.stores.wrapper.interface import writable

_PART_NBYTES: Final = 4 << 20

Place = tuple[ReadableStore, str]
"""A store, and the prefix of an array's chunk keys in it."""


def verify_clones(
    array: ArrayPlan, source: Place, destination: Place, digest: ChunkDigest | None, memory_nbytes: int
) -> None:
    """Compare the chunks of an array with their source, if a bucket copied them itself.

    Args:
        array: the array.
        source: where its chunks were copied from.
        destination: where they were copied to.
        digest: the digest of the chunks of the source, if it is known.
        memory_nbytes: memory that may be used.

    Raises:
        BrokenBodyError: a chunk differs; it was erased, because a resumed copy counts stored chunks as copied.
        StoreError: a store failed.
    """
    (store, prefix), (new_store, new_prefix) = source, destination
    if not (isinstance(new_store, BucketStore) and new_store.may_clone(store)):
        return
    if digest is not None and digest.text() == chunk_digest(new_store, new_prefix, array.destination).text():
        return

    def compare(chunk: tuple[tuple[int, ...], StoreEntry]) -> None:
        index, entry = chunk
        key = new_prefix + array.destination.chunk_key_encoding.encode(index)
        facts = new_store.stat(key)
        if facts is not None and facts.size == _size(store, entry):
            if facts.etag is not None and facts.etag == entry.etag:
                return
            if _are_same(store, entry.key, new_store, key, facts.size):
                return
        writable(new_store).erase(key)
        raise BrokenBodyError(
            f"{key} in {new_store.url} differs from {entry.key} in {store.url}, or that changed meanwhile",
            key=key,
            url=new_store.url,
        )

    threads = max(1, min(new_store.requests_in_flight, memory_nbytes // (2 * _PART_NBYTES)))
    for _ in in_parallel(compare, listed_chunks(store, prefix, array.source), threads):
        pass


def _size(store: ReadableStore, entry: StoreEntry) -> int | None:
    if not store.lists_other_sizes:
        return entry.size
    facts = store.stat(entry.key)
    return None if facts is None else facts.size


def _are_same(one: ReadableStore, key: str, other: ReadableStore, new: str, size: int) -> bool:
    return all(one.get(key, part) == other.get(new, part) for part in _parts(size))


def _parts(size: int) -> Iterator[ByteRange]:
    return (ByteRange(start, min(start + _PART_NBYTES, size)) for start in range(0, size, _PART_NBYTES))
