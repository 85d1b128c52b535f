"""The abstract store interface: bytes by key, in three capabilities.

Accepted specification, "Stores", "Abstract store interface". A store is synchronous and thread-safe. An absent
key is ``None``; a refusal, a timeout, an outage or a body that breaks off is a `StoreError` and never "absent",
because an array must not turn an outage into fill values.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from types import MappingProxyType, TracebackType
from typing import Final, NamedTuple, Self

from zarrcore.errors import BodyTooLargeError, ChangedError, ListingUnsupportedError, ValueTooLargeError
from zarrcore.stores.descriptors import read_descriptor
from zarrcore.stores.keys import check_prefix
from zarrcore.stores.options import DEFAULTS, StoreOptions
from zarrcore.stores.partial_writes import patch_values

_ERASED_AT_ONCE = 1000
_AT_ONCE_MAX = 1 << 30
"""The largest value that is read into memory to be stored; most databases do not take larger ones."""
READ_ANEW = 5

BytesLike = bytes | memoryview
"""The type of values: immutable bytes, or a view of a buffer that is never written again."""


class ByteRange(NamedTuple):
    """Part of a value: ``[start, stop)``; to the end if stop is None; the last bytes if start is negative.

    A stop past the end is cut to the end; a start past the end gives no bytes.

    >>> ByteRange(2, 100).resolve(10), ByteRange(-4).resolve(10), ByteRange(20).resolve(10)
    ((2, 10), (6, 10), (10, 10))
    """

    start: int
    stop: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it is empty for every value."""
        return self.stop is not None and 0 <= self.start >= self.stop

    def resolve(self, size: int) -> tuple[int, int]:
        """Start and stop within a value of ``size`` bytes."""
        if self.start < 0:
            return max(0, size + self.start), size
        start = min(self.start, size)
        return start, size if self.stop is None else max(start, min(self.stop, size))


CERTAIN_AGE_S: Final = 60
"""Seconds since a change after which its time identifies the version: times of HTTP are whole seconds, and clocks differ."""


@dataclass(frozen=True, slots=True)
class StoreStat:
    """The facts about one value that a store knows without fetching it."""

    size: int
    """Bytes, exact."""
    mtime_s: float | None = None
    """Last modification, seconds since the epoch."""
    etag: str | None = None
    """A text that changes whenever the value does."""

    @property
    def version(self) -> str | None:
        """A text that differs between versions of a value; None if the store has none."""
        if self.etag is not None:
            return self.etag
        return None if self.mtime_s is None else f"{self.mtime_s}-{self.size}"

    @property
    def lasting_version(self) -> str | None:
        """The same, by the time of the last change if that is long ago: etags may differ without a change, as those of two
        servers behind one address.
        """
        if self.mtime_s is not None and self.mtime_s < time.time() - CERTAIN_AGE_S:
            return f"{self.mtime_s}-{self.size}"
        return self.version


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """One line of a listing: a key, or a prefix (which ends in ``/``)."""

    key: str
    size: int | None = None
    """Bytes; None for a prefix, or if the listing does not contain the size."""
    mtime_s: float | None = None
    etag: str | None = None
    """As in `StoreStat`, if the listing contains it."""

    @property
    def is_prefix(self) -> bool:
        return self.key.endswith("/")


class Store(ABC):
    """The common part of all stores."""

    url: str
    """The location of the data, canonical and without credentials: safe to show and log."""

    options: StoreOptions = DEFAULTS
    """The options that `open_store` opened it with: stores that its values refer to are opened with them, too."""

    presents: str = ""
    """The name of what is shown as Zarr, such as HDF5; empty if the keys are stored as they are.

    Once its root was read, a file may have a more precise one, such as NetCDF-4.
    """

    named_format: str | None = None
    """The name of the format that its URL names; None leaves it to detection."""

    requests_in_flight: int = os.cpu_count() or 1
    """The best number of concurrent requests for this store; remote stores raise it."""

    is_remote: bool = False
    """Whether a request costs a network round trip."""

    lists_flat: bool = False
    """Whether `ListableStore.list_prefix` takes a request for each thousand keys or more, however deep they are."""

    finds_prefixes_by_listing: bool = False
    """Whether `ListableStore.has_prefix` fetches all that `ListableStore.list_dir` shows."""

    lists_other_sizes: bool = False
    """Whether sizes in its listings may not be those of its values, some of which it stores compressed and decodes."""

    may_be_half_written: bool = False
    """Whether other programs replace values in place, so that a reader may find one truncated for a moment."""

    states_versions: bool = False
    """Whether `get_with_stat` needs only the one request of `get`."""

    remembers: bool = False
    """Whether `stat` is answered from memory for a while, so that calling it costs nothing."""

    @property
    def name_max(self) -> int | None:
        """The maximum bytes of a segment of a key; None if segments have no limit of their own."""
        return None

    @property
    def read_only(self) -> bool:
        """Whether writing raises `ReadOnlyError`; wrappers answer for the store that they wrap."""
        return not isinstance(self, WritableStore)

    def description(self) -> list[tuple[str, str]]:
        """Facts about the source for people, each a label and a text of one or more lines."""
        return []

    def choices(self) -> list[tuple[str, str]]:
        """Other views of the same source, such as its versions: labels for people, and URLs. Empty if there are none.

        Raises:
            StoreError: the store failed.
        """
        return []

    def notes(self) -> list[str]:
        """What a user of this source should know, such as which of several versions is shown."""
        return []

    def warnings(self) -> list[str]:
        """Why what is read may be incomplete, such as a writer that did not close the file."""
        return []

    def references(self, path: str) -> NodeReferences:
        """Which texts of the node at a path are references: none where the format has no such type.

        Raises:
            StoreError: the store failed.
        """
        del path
        return NodeReferences()

    def object_identity(self, path: str) -> Hashable:
        """Identifies the array that a path leads to, where links may let several paths lead to one; None elsewhere.

        Raises:
            StoreError: the store failed.
        """
        del path
        return None

    def skipped_keys(self) -> list[str]:
        """Keys that listings left out so far, because they are not paths, such as ``a//b``; at most some thousands."""
        return []

    @property
    def identity(self) -> Hashable:
        """Identifies the location and its content: for the keys of caches, never shown.

        Stores with the same identity return the same values. Unlike ``url`` it includes endpoints, queries and
        credentials, hashed. A store without its own implementation gives each object a unique identity, as here.
        """
        token: object = self.__dict__.setdefault("_token", object())  # atomic: one for all threads
        return token

    def refresh(self) -> None:  # noqa: B027 - most stores cache nothing
        """Drop all cached knowledge: the next answers are as fresh as those of a new store."""

    def close(self) -> None:  # noqa: B027 - most stores keep nothing open
        """Close files and connections. Closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"


class NodeReferences(NamedTuple):
    """Which texts of a node are references to other nodes.

    Keys are names of fields from the outermost to the innermost, ``()`` for elements without fields; those of attributes begin
    with the name of the attribute. Values say whether the selection of a region follows the path.
    """

    elements: Mapping[tuple[str, ...], bool] = MappingProxyType({})
    attributes: Mapping[tuple[str, ...], bool] = MappingProxyType({})


class ReadableStore(Store):
    """A store whose values can be read."""

    @abstractmethod
    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        """The value of ``key``, or the part of it in ``byte_range``; None if the key is absent.

        Args:
            key: the key.
            byte_range: the part to read; None for all of it.
            max_nbytes: refuse to return more than this. A store that knows the size in advance, as all stores of
                zarrcore do, then fetches nothing.

        Raises:
            InvalidKeyError: the key is not valid in this store.
            BodyTooLargeError: there are more than ``max_nbytes`` bytes.
            StoreError: the store failed.
        """

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        """The result of `get`, and the result of `stat` for exactly the version that was read.

        Raises:
            ChangedError: the value changes faster than it can be read.
            BodyTooLargeError: there are more than ``max_nbytes`` bytes.
            StoreError: as `get`.
        """
        if type(self).stat is ReadableStore.stat:  # `stat` here reads the value too, and has no version
            value = self.get(key)
            if value is None:
                return None
            start, stop = (byte_range or ByteRange(0)).resolve(len(value))
            if max_nbytes is not None and stop - start > max_nbytes:
                raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
            return value[start:stop], StoreStat(len(value))
        facts = self.stat(key)
        for _ in range(READ_ANEW):
            if facts is None:
                return None
            value = self.get(key, byte_range, max_nbytes=max_nbytes)
            before, facts = facts, self.stat(key)
            if value is not None and facts == before:
                return value, facts
        raise ChangedError(f"{key} in {self.url} changes faster than it can be read", key=key, url=self.url)

    def origin(self, key: str) -> tuple[ReadableStore, str]:
        """The store that has the value of ``key``, and its key there: wrappers that change no values name the wrapped store."""
        return self, key

    fills_buffers: bool = False
    """Whether `get_into` needs less memory than `get`; otherwise it is `get` and a copy."""

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        """Read a value, or part of it, into ``buffer``. Return the number of bytes, or None if the key is absent.

        Raises:
            BodyTooLargeError: the value does not fit into ``buffer``.
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
        """Several values or parts of values, in the order of the request; None for absent keys."""
        return [self.get(key, byte_range) for key, byte_range in key_ranges]

    def stat(self, key: str) -> StoreStat | None:
        """Size, modification time and etag of ``key``; None if it is absent."""
        value = self.get(key)
        return None if value is None else StoreStat(len(value))


class ListableStore(Store):
    """A store that can list its keys. Listings are lazy: a prefix may contain millions of keys.

    A store implements ``list_prefix``, or ``list`` if it can only list all its keys; the other methods build on that.
    """

    def list(self) -> Iterator[StoreEntry]:
        """All keys."""
        return self.list_prefix("")

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        """All keys that begin with ``prefix``, which is empty or ends in ``/``."""
        if type(self).list is ListableStore.list:
            raise ListingUnsupportedError(f"{self.url} cannot list its keys", url=self.url)
        check_prefix(prefix, self.url)
        return (entry for entry in self.list() if entry.key.startswith(prefix))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        """Keys and prefixes directly under ``prefix``: those without a further ``/`` except a final one.

        Each is listed once, with its full key; the order is up to the store. The listing of an absent prefix is empty.
        """
        seen: set[str] = set()  # only of prefixes: keys are listed once anyway, and there may be millions
        for entry in self.list_prefix(prefix):
            name, slash, _ = entry.key[len(prefix) :].partition("/")
            if not slash:
                yield entry
            elif name not in seen:
                seen.add(name)
                yield StoreEntry(prefix + name + "/")

    def has_prefix(self, prefix: str) -> bool:
        """Whether there is a key under ``prefix``, which ends in ``/``."""
        return next(iter(self.list_dir(prefix)), None) is not None


class Renaming(Enum):
    """The outcome of renaming or linking a value; true if it was done."""

    DONE = True
    """The value has the new key."""
    KEY_TAKEN = False
    """The new key already has a value, which ``if_absent`` protects."""
    NOT_POSSIBLE = None
    """There is no value, or the store cannot rename: set the value under the new key and erase it under the old one."""

    def __bool__(self) -> bool:
        return self is Renaming.DONE


class WritableStore(Store):
    """A store whose values can be written and erased.

    Every ``set`` is atomic: a reader sees the old or the new value, never a part of it. If a writer dies
    meanwhile, the old value stays intact.
    """

    @abstractmethod
    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        """Store ``value`` under ``key``.

        Args:
            key: the key.
            value: contiguous bytes, which must not change during the call.
            if_absent: keep an existing value; if several writers use this at once, one succeeds.

        Returns:
            Whether the value was stored: False only if ``if_absent`` found a value.

        Raises:
            InvalidKeyError: the key is not valid in this store.
            ReadOnlyError: this store is read-only.
            StoreFullError: there is no space for the value.
            StoreError: the store refused or failed.
        """

    def set_attested(self, key: str, value: BytesLike) -> bool:
        """Store ``value`` under ``key``, as `set` does.

        Returns:
            Whether the store has stated a checksum of what it received, and it is that of ``value``: otherwise only reading it
            back shows that it is stored as it was sent.

        Raises:
            As `set`.
        """
        self.set(key, value)
        return False

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        """Store ``value`` in place of the one with these facts. False, and nothing is stored, if the key has changed since.

        Of several writers that replace one value at once, one succeeds in memory, on S3 and Azure. This default compares the
        facts first, so that another writer may come between.

        Raises:
            As `set`.
        """
        if not isinstance(self, ReadableStore) or self.stat(key) != stat:
            return False
        return self.set(key, value)

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        """Store all bytes of an open file under ``key``, as `set` does.

        This default reads them into memory first. Directories and buckets take values of any size, part by part.

        Args:
            key: the key.
            descriptor: a regular file, open for reading, which must not change during the call; its position may change.
            if_absent: as for `set`.

        Raises:
            As `set`; ValueTooLargeError: the file has more bytes than this store takes at once.
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
            if_absent: keep an existing value of the new key.

        Raises:
            As `set`.
        """
        self.check_writable()
        return Renaming.NOT_POSSIBLE

    def rename_prefix(self, prefix: str, new: str) -> Renaming:
        """Give all keys that begin with ``prefix`` the prefix ``new`` instead, atomically; both end in ``/``.

        Returns:
            `Renaming.KEY_TAKEN` if there are keys under ``new``; `Renaming.NOT_POSSIBLE` if the store cannot do that at once.

        Raises:
            As `set`.
        """
        self.check_writable()
        return Renaming.NOT_POSSIBLE

    def link(self, key: str, new: str) -> Renaming:
        """Give a value a second key, which must be absent, without copying its bytes. Returns and raises as `rename`."""
        self.check_writable()
        return Renaming.NOT_POSSIBLE

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        """Store under ``new`` the value that ``key`` has in ``source``, without its bytes passing through this program.

        Returns:
            False if that is not possible, or ``key`` is absent: then get the value and set it.

        Raises:
            As `set`.
        """
        self.check_writable()
        return False

    def check_writable(self) -> None:
        """Check that this store can be written.

        Raises:
            ReadOnlyError: it cannot; the error says why.
        """
        self.erase_values(())

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        """Replace the bytes of values from given positions on. A gap after the old end is filled with zeros.

        This default reads, patches and stores each value once, so readers see all its new parts or none. Threads of
        this process do not lose each other's parts; processes that patch the same value at the same time may.

        Raises:
            StoreError: a negative position, or the store failed.
        """
        patch_values(self, key_start_values)

    @abstractmethod
    def erase(self, key: str) -> None:
        """Erase ``key``. An absent key is not an error."""

    def erase_values(self, keys: Iterable[str]) -> None:
        """Erase several keys. Absent keys are not an error."""
        for key in keys:
            self.erase(key)

    def erase_prefix(self, prefix: str) -> None:
        """Erase all keys that begin with ``prefix``, which is empty or ends in ``/``.

        Raises:
            ListingUnsupportedError: the store cannot list these keys.
        """
        if not isinstance(self, ListableStore):
            raise ListingUnsupportedError(f"{self.url} cannot list its keys", url=self.url)
        keys = (entry.key for entry in self.list_prefix(prefix))
        while batch := [*islice(keys, _ERASED_AT_ONCE)]:
            self.erase_values(batch)
