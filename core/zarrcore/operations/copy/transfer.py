"""Copying stored chunks as they are: for arrays whose copy has the same chunks, codecs and data type.

Nothing is decoded, so a chunk that does not decode is copied like any other; only a checksum that a remote store sends is
compared. Values pass through memory only if neither the file system can share their blocks nor the service can copy them itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from zarrcore.array import Array
from zarrcore.array.native.files import local_store
from zarrcore.codecs import BytesToBytesCodec
from zarrcore.codecs.registry import codec_class
from zarrcore.codecs.scratch import MAX_SCRATCH_NBYTES, scratch_buffer
from zarrcore.errors import BodyTooLargeError, BrokenBodyError, ChunkNotFoundError, CodecError, StoreError
from zarrcore.native import NO_FOLDER, OK, copy_files, engine
from zarrcore.operations.cluster import Witness
from zarrcore.operations.copy.blocks import Box, nbytes_of
from zarrcore.stores.descriptors import read_descriptor
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore
from zarrcore.stores.local.atomic_files import can_name_later
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.wrapper.interface import writable

_COMPARED_NBYTES: Final = 8 << 20
_AT_ONCE: Final = 256
"""Chunks of one call of the engine."""


@dataclass(frozen=True, slots=True)
class ChunkTransfer:
    """Copies stored chunks of one array."""

    source: Array
    """The source."""
    source_prefix: str
    """The prefix of its chunk keys."""
    destination: Array
    """The destination."""
    prefix: str
    """The prefix of its chunk keys."""
    limit_nbytes: int
    """The most bytes that a stored chunk can have."""
    memory_nbytes: int
    """The most bytes of a chunk that may be in memory."""
    kept_nbytes: int
    """The largest buffer that each thread may keep."""
    verify: bool = True
    """Whether to read back what was written, and compare, unless the store attests it."""
    witnesses: tuple[Witness, ...] = ()
    """What another process must see, so that it reads and writes the same stores."""
    at_once: int = 1
    """How many blocks a thread of another process copies at once."""

    def __call__(self, box: Box) -> int:
        """Copy the chunks that begin in ``box``; returns the number of bytes of its elements.

        Raises:
            CodecError: a stored chunk is larger than any valid one, or arrives with another checksum than it states.
            BrokenBodyError: the source sent another number of bytes than it stores, or the written chunk reads back differently.
            StoreError: a store failed, or a chunk needs more memory than allowed.
        """
        checksum = self._checksum()
        axes = self.source.metadata.chunk_grid.axes
        ranges = (
            range(axis.find(part.start), axis.find(part.stop - 1) + 1)
            for axis, part in zip(axes, box, strict=True)
        )
        encode = self.source.metadata.chunk_key_encoding.encode
        encode_new = self.destination.metadata.chunk_key_encoding.encode
        keys = (
            (self.source_prefix + encode(index), self.prefix + encode_new(index))
            for index in product(*ranges)
        )
        while some := [*islice(keys, _AT_ONCE)]:
            for key, new in self._left_by_engine(some):
                self._copy(key, new, checksum)
        return nbytes_of(box, self.source.itemsize)

    def _left_by_engine(self, keys: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Copy some keys by the engine; returns those that it did not copy, for whatever reason."""
        found = engine() if len(keys) > 1 else None
        here = local_store(self.source.store, "")
        there = local_store(self.destination.store, "")
        if found is None or here is None or there is None:
            return keys
        (source, prefix), (destination, new_prefix) = here, there
        if destination.durable or destination.may_clone(source):
            return keys
        if not can_name_later(destination.open_root().descriptor):
            return keys
        names, new_names = [prefix + key for key, _ in keys], [new_prefix + new for _, new in keys]

        def copied(positions: Sequence[int]) -> NDArray[np.int32]:
            return copy_files(
                found,
                (source.open_root(), source.follow_links, [names[at] for at in positions]),
                (destination.open_root(), destination.follow_links, [new_names[at] for at in positions]),
                max_nbytes=min(self._limit_nbytes, self.kept_nbytes),
                verify=self.verify,
            )

        statuses = destination.write_by_engine(new_names, copied, NO_FOLDER)
        return [key for key, status in zip(keys, statuses.tolist(), strict=True) if status != OK]

    def _checksum(self) -> BytesToBytesCodec | None:
        """The codec that adds a checksum to stored chunks, if there is one."""
        last = self.source.metadata.codecs[-1]
        kind = codec_class(last.name)
        if issubclass(kind, BytesToBytesCodec) and kind.is_checksum:
            return kind.from_configuration(last.configuration)
        return None

    def _copy(self, key: str, new: str, checksum: BytesToBytesCodec | None) -> None:
        source, destination = self.source.store, writable(self.destination.store)
        # A clone in a bucket is compared later, with one listing for many; other clones are the value itself.
        if destination.clone(source, key, new):
            return
        try:
            value = self._stored(source, key, checksum)
        except BodyTooLargeError as error:
            self._copy_large(key, new, error.size)
            return
        if value is None:
            if self.source.missing == "error":
                raise ChunkNotFoundError(key, source.url)
            self.source.confirm()
            return
        if not self.verify:
            destination.set(new, value)
        elif not destination.set_attested(new, value):
            found = self._value(self.destination.store, new, "read back")
            if found is None or not _same(found, value):
                raise self._differs(new)

    def _stored(
        self, source: ReadableStore, key: str, checksum: BytesToBytesCodec | None
    ) -> BytesLike | None:
        """The value of the source. Decoding would detect one that changed on the way; here only its size and a checksum can."""
        if not self.verify or source.fills_buffers:
            return self._value(source, key, "encoded")
        found = source.get_with_stat(key, max_nbytes=self._limit_nbytes)
        if found is None:
            return None
        value, facts = found
        if len(value) != facts.size:
            raise BrokenBodyError(
                f"{key} in {source.url}: {len(value):,} of {facts.size:,} bytes arrived",
                key=key,
                url=source.url,
            )
        if checksum is not None:
            try:
                checksum.decode(value, self.limit_nbytes)
            except CodecError as error:
                raise error.at(key, source.url) from error
        return value

    @property
    def _limit_nbytes(self) -> int:
        return min(self.limit_nbytes, self.memory_nbytes)

    def _value(self, store: ReadableStore, key: str, use: str) -> BytesLike | None:
        limit = self._limit_nbytes
        if not store.fills_buffers or limit > min(MAX_SCRATCH_NBYTES, self.kept_nbytes):
            return store.get(key, max_nbytes=limit)
        buffer = scratch_buffer(use, limit)
        nbytes = store.get_into(key, buffer)
        return None if nbytes is None else buffer[:nbytes]

    def _copy_large(self, key: str, new: str, size: int) -> None:
        """Copy a value that does not fit into the allowed memory, part by part."""
        if size > self.limit_nbytes:
            raise CodecError(
                f"{size:,} bytes are stored, but at most {self.limit_nbytes:,} make sense", key=key
            )
        source, inner_key = self.source.store.origin(key)
        descriptor = source.open_key(inner_key) if isinstance(source, LocalStore) else None
        if descriptor is None:
            raise StoreError(
                f"copying {key} takes {2 * size >> 20:,} MiB of memory: allow more", key=key, url=source.url
            )
        try:
            writable(self.destination.store).set_file(new, descriptor)
            if self.verify and not self._same_as_file(new, descriptor):
                raise self._differs(new)
        finally:
            os.close(descriptor)

    def _same_as_file(self, key: str, descriptor: int) -> bool:
        size = os.fstat(descriptor).st_size
        facts = self.destination.store.stat(key)
        if facts is None or facts.size != size:
            return False
        step = min(_COMPARED_NBYTES, max(1, self.memory_nbytes))
        for start in range(0, size, step):
            stop = min(start + step, size)
            found = self.destination.store.get(key, ByteRange(start, stop))
            if found is None or not _same(found, read_descriptor(descriptor, stop - start, start)):
                return False
        return True

    def _differs(self, key: str) -> BrokenBodyError:
        """The error for a chunk that reads back differently; erases it, because a resumed copy counts stored chunks as copied."""
        store = writable(self.destination.store)
        store.erase(key)
        return BrokenBodyError(
            f"{key} in {store.url} does not read back as it was written", key=key, url=store.url
        )


def _same(one: BytesLike, other: BytesLike) -> bool:
    """Whether bytes are equal. NumPy compares words, a memoryview compares byte by byte."""
    if len(one) != len(other):
        return False
    whole = len(one) & ~7
    words, others = (np.frombuffer(value, np.uint64, whole >> 3) for value in (one, other))
    return np.array_equal(words, others) and bytes(one[whole:]) == bytes(other[whole:])
