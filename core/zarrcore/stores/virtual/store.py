"""The base of stores that show something else as the keys of a hierarchy: documents made here, chunks read where they are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from zarrcore.errors import BodyTooLargeError, BrokenReferenceError, ChangedError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.keys import check_key


class Part(NamedTuple):
    """Consecutive bytes of a value of another store."""

    store: ReadableStore
    key: str
    start: int
    nbytes: int | None
    """Their number; None for all from ``start`` on."""
    zeros: int = 0
    """The number of zeros after them, which are not stored."""


class VirtualStore(ReadableStore, ListableStore):
    """A store whose values are made when they are read, or are parts of values of other stores. It cannot be written.

    A subclass finds values by key, and lists keys. Documents are those of the accepted Zarr v3, so that chunks and codecs
    keep what they are.

    Args:
        source: the store of the file that is shown; closed with this store.
        key: the file's key there; empty if all of ``source`` is shown.
        url: the URL to show.
    """

    def __init__(self, source: ReadableStore, key: str, url: str) -> None:
        self.source = source
        self.key = key
        self.url = url
        self.is_remote = source.is_remote
        self.requests_in_flight = source.requests_in_flight
        self.fills_buffers = source.fills_buffers
        self.options = source.options

    @abstractmethod
    def find(self, key: str) -> BytesLike | Part | None:
        """The value of ``key``, or where its bytes are; None if the key is absent.

        Raises:
            StoreError: the source failed, or is not what it should be.
        """

    def values_below(self, prefix: str) -> Iterator[tuple[str, BytesLike | Part]]:
        """All keys that begin with ``prefix``, with their values or where the bytes are.

        A store that knows a key's place when it lists the key overrides this: one that has an index of many chunks.

        Raises:
            StoreError: as `find`.
        """
        for entry in self.list_prefix(prefix):
            found = self.find(entry.key)
            if found is not None:
                yield entry.key, found

    @abstractmethod
    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        """As `ListableStore.list_dir`."""

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in self.list_dir(prefix):
            if entry.is_prefix:
                yield from self.list_prefix(entry.key)
            else:
                yield entry

    @property
    def identity(self) -> Hashable:
        return type(self).__name__, self.source.identity, self.key

    def description(self) -> list[tuple[str, str]]:
        return [("source", f"{self.presents}, shown as Zarr")]

    def refresh(self) -> None:
        self.source.refresh()

    def close(self) -> None:
        self.source.close()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        check_key(key, self.url)
        try:
            return self._get(key, byte_range, max_nbytes)
        except ChangedError:
            self._notice_change()
            raise

    def _notice_change(self) -> None:
        """A read found that the file was replaced."""

    def _get(self, key: str, byte_range: ByteRange | None, max_nbytes: int | None) -> BytesLike | None:
        found = self.find(key)
        if found is None:
            return None
        if not isinstance(found, Part):
            start, stop = (0, len(found)) if byte_range is None else byte_range.resolve(len(found))
            self._check_size(key, stop - start, max_nbytes)
            return found if stop - start == len(found) else found[start:stop]
        if found.start == 0 and found.nbytes is None and not found.zeros:  # without a request for its size
            whole = found.store.get(found.key, byte_range, max_nbytes=max_nbytes)
            if whole is None:
                raise self._broken(key, found, None)
            return whole
        wanted, zeros = self._wanted(key, found, byte_range)
        nbytes = (wanted.stop or 0) - wanted.start
        self._check_size(key, nbytes + zeros, max_nbytes)
        if nbytes == 0:
            return bytes(zeros)
        value = found.store.get(found.key, wanted, max_nbytes=nbytes)
        if value is None or len(value) != nbytes:
            raise self._shorter(key, found, wanted, None if value is None else len(value))
        return bytes(value).ljust(nbytes + zeros, b"\0") if zeros else value

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        check_key(key, self.url)
        found = self.find(key) if self.fills_buffers else None
        if not isinstance(found, Part):
            return super().get_into(key, buffer, byte_range)
        wanted, zeros = self._wanted(key, found, byte_range)
        nbytes = (wanted.stop or 0) - wanted.start
        self._check_size(key, nbytes + zeros, len(buffer))
        read = found.store.get_into(found.key, buffer[:nbytes], wanted) if nbytes else 0
        if read != nbytes:
            raise self._shorter(key, found, wanted, read)
        buffer[nbytes : nbytes + zeros] = bytes(zeros)
        return nbytes + zeros

    def stat(self, key: str) -> StoreStat | None:
        check_key(key, self.url)
        found = self.find(key)
        if found is None:
            return None
        return StoreStat(self._nbytes(key, found) if isinstance(found, Part) else len(found))

    def _wanted(self, key: str, part: Part, byte_range: ByteRange | None) -> tuple[ByteRange, int]:
        """The range of the target's value that holds the wanted bytes, and the number of wanted zeros after it."""
        nbytes = self._nbytes(key, part)
        start, stop = (0, nbytes) if byte_range is None else byte_range.resolve(nbytes)
        stored = nbytes - part.zeros
        first, last = min(start, stored), min(stop, stored)
        return ByteRange(part.start + first, part.start + last), stop - start - (last - first)

    def _nbytes(self, key: str, part: Part) -> int:
        if part.nbytes is not None:
            return part.nbytes + part.zeros
        facts = part.store.stat(part.key)
        if facts is None or facts.size < part.start:
            raise self._broken(key, part, None if facts is None else f"{facts.size:,}")
        return facts.size - part.start + part.zeros

    def _check_size(self, key: str, nbytes: int, limit: int | None) -> None:
        if limit is not None and nbytes > limit:
            raise BodyTooLargeError(nbytes, limit, key=key, url=self.url)

    def _shorter(self, key: str, part: Part, wanted: ByteRange, read: int | None) -> BrokenReferenceError:
        """The error if only ``read`` bytes of the range exist; with None, the target does not exist."""
        if not read:  # the target may end anywhere before the range
            return self._broken(key, part, None if read is None else f"{wanted.start:,} or earlier")
        return self._broken(key, part, f"{wanted.start + read:,}")

    def _broken(self, key: str, part: Part, end: str | None) -> BrokenReferenceError:
        stop = "" if part.nbytes is None else f" to {part.start + part.nbytes:,}"
        fault = "does not exist" if end is None else f"ends at byte {end}"
        sentence = f"{key} of {self.url} is at the bytes {part.start:,}{stop} of {part.key} in {part.store.url}, which {fault}"
        return BrokenReferenceError(sentence, key=key, url=self.url)
