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
from types import TracebackType
from typing import NamedTuple, Self

from zarrcore.errors import InvalidKeyError
from zarrcore.stores.checks import is_encodable

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

    @property
    def identity(self) -> Hashable:
        """What tells the place and what it answers from every other: for the keys of caches, never to be shown.

        Stores of one identity give the same values. Unlike ``url`` it knows of endpoints, queries and
        credentials, hashed. Where a store cannot tell, as here, each object counts as a place of its own.
        """
        token: object = self.__dict__.setdefault("_token", object())  # atomic, so threads agree on one
        return token

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
    def get(self, key: str, byte_range: ByteRange | None = None) -> BytesLike | None:
        """The value of ``key``, or the part of it in ``byte_range``; None where the key is absent.

        Raises:
            InvalidKeyError: this store cannot hold such a key.
            StoreError: the store did not answer as it should.
        """

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
    """A store that can tell which keys it holds. Listings stream: a prefix may hold millions of keys."""

    def list(self) -> Iterator[StoreEntry]:
        """All keys."""
        return self.list_prefix("")

    @abstractmethod
    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        """All keys that begin with ``prefix``, which is empty or ends in ``/``."""

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        """Keys and prefixes directly under ``prefix``: those with no further ``/`` but a closing one.

        Each is told once, with its full key; the order is the store's own. An absent prefix lists nothing.
        """
        seen: set[str] = set()
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


class WritableStore(Store):
    """A store whose values can be written and erased. Every ``set`` is atomic."""

    @abstractmethod
    def set(self, key: str, value: BytesLike) -> None:
        """Store ``value`` under ``key``: a reader sees the old or the new value, never a part of it."""

    @abstractmethod
    def erase(self, key: str) -> None:
        """Erase ``key``; an absent key is no error."""

    def erase_values(self, keys: Iterable[str]) -> None:
        """Erase several keys."""
        for key in keys:
            self.erase(key)

    @abstractmethod
    def erase_prefix(self, prefix: str) -> None:
        """Erase all keys that begin with ``prefix``, which is empty or ends in ``/``."""


def check_key(key: str, url: str) -> None:
    """Refuse what is no key at all, for every kind of store.

    Raises:
        InvalidKeyError: ``key`` is empty or ends in ``/``.
    """
    if not key or key.endswith("/"):
        raise InvalidKeyError(f"{key!r} is no key: it is empty or ends in '/'", key=key, url=url)


def check_path_like_key(key: str, url: str) -> None:
    """Refuse keys that a store whose keys are file paths or object names cannot hold, or must not follow.

    Raises:
        InvalidKeyError: an empty segment, ``.``, ``..``, NUL or half a surrogate pair.
    """
    # The common key passes with three scans in C; only a suspicious one is split.
    if (
        not (key and key.isascii())
        or "\0" in key
        or key[0] == "/"
        or key[-1] == "/"
        or "//" in key
        or "." in key
    ):
        for segment in key.split("/"):
            if segment in {"", ".", ".."} or not is_encodable(segment):
                raise InvalidKeyError(
                    f"key {key!r} has the segment {segment!r}, which is no file or object name",
                    key=key,
                    url=url,
                )
