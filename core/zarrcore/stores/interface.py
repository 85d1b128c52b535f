"""The abstract store interface: bytes by key, in three capabilities.

Accepted specification, "Stores", "Abstract store interface". A store is synchronous and thread-safe. An absent
key is ``None``; a refusal, a timeout, an outage or a body that breaks off is a `StoreError` and never "absent",
since an array must not turn an outage into fill values.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from types import TracebackType
from typing import NamedTuple, Self

from zarrcore.errors import ChangedError, ListingUnsupportedError, ValueTooLargeError
from zarrcore.stores.descriptors import read_descriptor
from zarrcore.stores.keys import check_prefix
from zarrcore.stores.partial_writes import patch_values

_ERASED_AT_ONCE = 1000
_AT_ONCE_MAX = 1 << 30
"""Bytes of a value that are read into memory to be set; most databases hold no larger ones."""
READ_ANEW = 5

BytesLike = bytes | memoryview
"""What a store hands out: immutable bytes, or a view of a buffer that nobody writes to any more."""


class ByteRange(NamedTuple):
    """Part of a value: ``[start, stop)``; without stop to the end; with a negative start the last bytes.

    A stop past the end gives what is there, a start past the end gives no bytes.

    >>> ByteRange(2, 100).resolve(10), ByteRange(-4).resolve(10), ByteRange(20).resolve(10)
    ((2, 10), (6, 10), (10, 10))
    """

    start: int
    stop: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it has no bytes of any value."""
        return self.stop is not None and 0 <= self.start >= self.stop

    def resolve(self, size: int) -> tuple[int, int]:
        """Start and stop within a value of ``size`` bytes."""
        if self.start < 0:
            return max(0, size + self.start), size
        start = min(self.start, size)
        return start, size if self.stop is None else max(start, min(self.stop, size))


@dataclass(frozen=True, slots=True)
class StoreStat:
    """What a store knows of one value without fetching it."""

    size: int
    """Bytes, exact."""
    mtime_s: float | None = None
    """Last modification, seconds since the epoch."""
    etag: str | None = None
    """A text that changes whenever the value does."""

    @property
    def version(self) -> str | None:
        """A text that differs between versions of a value; None where the store tells none."""
        if self.etag is not None:
            return self.etag
        return None if self.mtime_s is None else f"{self.mtime_s}-{self.size}"


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """One line of a listing: a key, or a prefix (which ends in ``/``)."""

    key: str
    size: int | None = None
    """Bytes, or None for a prefix and where the listing does not tell."""
    mtime_s: float | None = None

    @property
    def is_prefix(self) -> bool:
        return self.key.endswith("/")


class Store(ABC):
    """What all stores have in common."""

    url: str
    """Where the data is, canonical and without credentials: it may be shown and logged."""

    requests_in_flight: int = os.cpu_count() or 1
    """How many requests at once serve this store best; remote stores raise it."""

    is_remote: bool = False
    """Whether a request costs a network round trip."""

    remembers: bool = False
    """Whether `stat` is answered from memory for a while, so that asking costs nothing."""

    @property
    def name_max(self) -> int | None:
        """The most bytes that a segment of a key may have; None where only whole keys have a limit, or none."""
        return None

    @property
    def read_only(self) -> bool:
        """Whether writing raises `ReadOnlyError`; wrappers answer for what they wrap."""
        return not isinstance(self, WritableStore)

    @property
    def identity(self) -> Hashable:
        """What tells the place and what it answers from every other: for the keys of caches, never to be shown.

        Stores of one identity give the same values. Unlike ``url`` it knows of endpoints, queries and
        credentials, hashed. Where a store cannot tell, as here, each object counts as a place of its own.
        """
        token: object = self.__dict__.setdefault("_token", object())  # atomic, so threads agree on one
        return token

    def refresh(self) -> None:  # noqa: B027 - most stores remember nothing
        """Forget what was learnt so far: the next answers are as new as if nothing had been asked before."""

    def close(self) -> None:  # noqa: B027 - most stores hold nothing
        """Give back files and connections; closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"


class ReadableStore(Store):
    """A store whose values can be read."""

    @abstractmethod
    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        """The value of ``key``, or the part of it in ``byte_range``; None where the key is absent.

        Args:
            key: the key.
            byte_range: which part is wanted; all of it without.
            max_nbytes: refuse to hand out more than this. Where the store knows the size beforehand, as all of
                ours do, nothing is fetched then.

        Raises:
            InvalidKeyError: this store cannot hold such a key.
            BodyTooLargeError: there is more than ``max_nbytes``.
            StoreError: the store did not answer as it should.
        """

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        """What `get` gives, together with what `stat` tells of the very version that it was taken from.

        Raises:
            ChangedError: the value changes faster than it can be read.
            BodyTooLargeError: there is more than ``max_nbytes``.
            StoreError: as `get`.
        """
        if type(self).stat is ReadableStore.stat:  # which gets the value, too, and tells no version
            value = self.get(key, byte_range, max_nbytes=max_nbytes)
            return None if value is None else (value, StoreStat(len(value)))
        facts = self.stat(key)
        for _ in range(READ_ANEW):
            if facts is None:
                return None
            value = self.get(key, byte_range, max_nbytes=max_nbytes)
            before, facts = facts, self.stat(key)
            if value is not None and facts == before:
                return value, facts
        raise ChangedError(f"{key} in {self.url} changes faster than it can be read", key=key, url=self.url)

    fills_buffers: bool = False
    """Whether `get_into` spares memory that `get` takes; else it is `get` and a copy."""

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        """Read a value, or part of it, into ``buffer``; how many bytes that was, or None where the key is absent.

        Raises:
            BodyTooLargeError: there is more than ``buffer`` holds.
            StoreError: as `get`.
        """
        value = self.get(key, byte_range, max_nbytes=len(buffer))
        if value is None:
            return None
        buffer[: len(value)] = value
        return len(value)

    def get_partial_values(
        self, key_ranges: Iterable[tuple[str, ByteRange | None]]
    ) -> list[BytesLike | None]:
        """Several possibly partial values, in the order asked for; None for absent keys."""
        return [self.get(key, byte_range) for key, byte_range in key_ranges]

    def stat(self, key: str) -> StoreStat | None:
        """Size, modification time and etag of ``key``; None where it is absent."""
        value = self.get(key)
        return None if value is None else StoreStat(len(value))


class ListableStore(Store):
    """A store that can tell which keys it holds. Listings stream: a prefix may hold millions of keys.

    A store provides ``list_prefix`` or, where it can only tell all its keys, ``list``; the rest follows from that.
    """

    def list(self) -> Iterator[StoreEntry]:
        """All keys."""
        return self.list_prefix("")

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        """All keys that begin with ``prefix``, which is empty or ends in ``/``."""
        if type(self).list is ListableStore.list:
            raise ListingUnsupportedError(f"{self.url} cannot tell which keys it holds", url=self.url)
        check_prefix(prefix, self.url)
        return (entry for entry in self.list() if entry.key.startswith(prefix))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        """Keys and prefixes directly under ``prefix``: those with no further ``/`` but a closing one.

        Each is told once, with its full key; the order is the store's own. An absent prefix lists nothing.
        """
        seen: set[str] = set()  # of prefixes alone: keys come once by themselves, and may be millions
        for entry in self.list_prefix(prefix):
            name, slash, _ = entry.key[len(prefix) :].partition("/")
            if not slash:
                yield entry
            elif name not in seen:
                seen.add(name)
                yield StoreEntry(prefix + name + "/")

    def has_prefix(self, prefix: str) -> bool:
        """Whether anything stands under ``prefix``, which ends in ``/``."""
        return next(iter(self.list_dir(prefix)), None) is not None


class Renaming(Enum):
    """What came of renaming or linking a value; true where it was done."""

    DONE = True
    """The value has the new key."""
    KEY_TAKEN = False
    """The new key has a value already, which was to be left alone."""
    NOT_POSSIBLE = None
    """There is no value, or the store cannot rename: set the value under the new key and erase it under the old one."""

    def __bool__(self) -> bool:
        return self is Renaming.DONE


class WritableStore(Store):
    """A store whose values can be written and erased.

    Every ``set`` is atomic: a reader sees the old or the new value, never a part of it, and a writer that dies on
    the way leaves the old one whole.
    """

    @abstractmethod
    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        """Store ``value`` under ``key``.

        Args:
            key: the key.
            value: contiguous bytes, which are not changed meanwhile.
            if_absent: leave a value alone that is there already; of several such writers one succeeds.

        Returns:
            Whether it was stored: False only where ``if_absent`` found a value.

        Raises:
            InvalidKeyError: this store cannot hold such a key.
            ReadOnlyError: this store cannot be written at all.
            StoreFullError: there is no room for it.
            StoreError: the store refused, or did not answer as it should.
        """

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        """Store all bytes of an open file under ``key``, as `set` does.

        Here they are read into memory first. Directories and buckets take values of any size, part by part.

        Args:
            key: the key.
            descriptor: a regular file, open for reading, which is not changed meanwhile; its position may be another afterwards.
            if_absent: as for `set`.

        Raises:
            As `set`; ValueTooLargeError: it has more bytes than this store takes at once.
        """
        size = os.fstat(descriptor).st_size
        if size > _AT_ONCE_MAX:
            raise ValueTooLargeError(
                f"{key} in {self.url}: {size} bytes are more than this store takes at once ({_AT_ONCE_MAX})",
                key=key,
                url=self.url,
            )
        return self.set(key, read_descriptor(descriptor, size), if_absent=if_absent)

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        """Rename a value atomically; its modification time is kept.

        Args:
            key: its key.
            new: its new key, whose value is replaced.
            if_absent: leave a value alone that is there already.

        Raises:
            As `set`.
        """
        self.check_writable()
        return Renaming.NOT_POSSIBLE

    def link(self, key: str, new: str) -> Renaming:
        """Give a value a second key, which must be free, without copying its bytes; returns and raises as `rename` does."""
        self.check_writable()
        return Renaming.NOT_POSSIBLE

    def check_writable(self) -> None:
        """Do nothing, where this store can be written.

        Raises:
            ReadOnlyError: it refuses, and why.
        """
        self.erase_values(())

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        """Replace the bytes of values from given positions on; what lies between an end and a position is zeros.

        Here each value is read, patched and set once, so readers see all its parts or none. Threads of this
        process do not lose each other's parts; other processes that patch the same value at the same time may.

        Raises:
            StoreError: a position before the beginning, or a fault of the store.
        """
        patch_values(self, key_start_values)

    @abstractmethod
    def erase(self, key: str) -> None:
        """Erase ``key``; an absent key is no error."""

    def erase_values(self, keys: Iterable[str]) -> None:
        """Erase several keys; absent ones are no error."""
        for key in keys:
            self.erase(key)

    def erase_prefix(self, prefix: str) -> None:
        """Erase all keys that begin with ``prefix``, which is empty or ends in ``/``.

        Raises:
            ListingUnsupportedError: the store cannot tell which keys these are.
        """
        if not isinstance(self, ListableStore):
            raise ListingUnsupportedError(f"{self.url} cannot tell which keys it holds", url=self.url)
        keys = (entry.key for entry in self.list_prefix(prefix))
        while batch := [*islice(keys, _ERASED_AT_ONCE)]:
            self.erase_values(batch)
