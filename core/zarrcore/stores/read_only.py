"""Stores that can only be read: how they refuse to be written, and a store made read-only on purpose."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator

from zarrcore.errors import ListingUnsupportedError, ReadOnlyError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)


class RefusingStore(WritableStore):
    """The writable half of a store that refuses all of it, whether or not anything would change."""

    @property
    def read_only(self) -> bool:
        return True

    @abstractmethod
    def _refusal(self) -> str:
        """Why it cannot be written and what to do; follows the store's URL and a colon."""

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        raise self._refused(key)

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        raise self._refused()

    def erase(self, key: str) -> None:
        raise self._refused(key)

    def erase_values(self, keys: Iterable[str]) -> None:
        raise self._refused()

    def erase_prefix(self, prefix: str) -> None:
        raise self._refused(prefix)

    def _refused(self, key: str = "") -> ReadOnlyError:
        where = f"{key} in {self.url}" if key else self.url
        return ReadOnlyError(f"{where} cannot be written: {self._refusal()}")


class ReadOnlyStore(ReadableStore, ListableStore, RefusingStore):
    """A store that is read as before and cannot be written. Closing it closes the store.

    Args:
        store: what to read from.
        reason: why it cannot be written and what to do, for the error.

    >>> from zarrcore.stores.memory import MemoryStore
    >>> store = ReadOnlyStore(MemoryStore("guarded", {"a": b"1"}))
    >>> store.get("a"), store.read_only
    (b'1', True)
    >>> store.set("a", b"2")
    Traceback (most recent call last):
    zarrcore.errors.ReadOnlyError: a in memory://guarded cannot be written: it was opened for reading only
    """

    def __init__(self, store: ReadableStore, reason: str = "it was opened for reading only") -> None:
        self.store = store
        self.reason = reason
        self.url = store.url
        self.requests_in_flight = store.requests_in_flight
        self.is_remote = store.is_remote
        self.remembers = store.remembers
        self.fills_buffers = store.fills_buffers

    @property
    def identity(self) -> Hashable:
        return self.store.identity

    def refresh(self) -> None:
        self.store.refresh()

    def close(self) -> None:
        self.store.close()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if max_nbytes is None:
            return self.store.get(key, byte_range)
        return self.store.get(key, byte_range, max_nbytes=max_nbytes)

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        return self.store.get_with_stat(key, byte_range, max_nbytes=max_nbytes)

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        return self.store.get_into(key, buffer, byte_range)

    def get_partial_values(
        self, key_ranges: Iterable[tuple[str, ByteRange | None]]
    ) -> list[BytesLike | None]:
        return self.store.get_partial_values(key_ranges)

    def stat(self, key: str) -> StoreStat | None:
        return self.store.stat(key)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return listable(self.store).list_prefix(prefix)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        return listable(self.store).list_dir(prefix)

    def has_prefix(self, prefix: str) -> bool:
        return listable(self.store).has_prefix(prefix)

    def _refusal(self) -> str:
        return self.reason


def listable(store: ReadableStore) -> ListableStore:
    """The store, which can tell its keys.

    Raises:
        ListingUnsupportedError: it cannot.
    """
    if not isinstance(store, ListableStore):
        raise ListingUnsupportedError(f"{store.url} cannot tell which keys it holds", url=store.url)
    return store


def writable(store: ReadableStore) -> WritableStore:
    """The store, which can be written.

    Raises:
        ReadOnlyError: it cannot.
    """
    if not isinstance(store, WritableStore):
        raise ReadOnlyError(f"{store.url} cannot be written: stores of this kind can only be read")
    if store.read_only:
        store.erase_values(())  # a store that refuses says why
        raise ReadOnlyError(f"{store.url} cannot be written")
    return store
