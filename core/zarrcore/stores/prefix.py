"""A prefix of a store as a store of its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key, check_prefix, join_url
from zarrcore.stores.read_only import listable, writable


class PrefixStore(ReadableStore, ListableStore, WritableStore):
    """What lies under a prefix of ``store``, which stays open for its other users when this one is closed.

    It lists and writes where ``store`` does.

    Args:
        store: where the values are.
        prefix: the prefix, ending in ``/``.

    >>> from zarrcore.stores.memory import MemoryStore
    >>> store = PrefixStore(MemoryStore(values={"a/b": b"1", "c": b"2"}), "a/")
    >>> [entry.key for entry in store.list()], store.get("b")
    (['b'], b'1')
    """

    def __init__(self, store: ReadableStore, prefix: str) -> None:
        check_key(prefix.removesuffix("/"), store.url)
        check_prefix(prefix, store.url)
        self.store = store
        self.prefix = prefix
        self.url = join_url(store.url, prefix.rstrip("/"))
        self.requests_in_flight = store.requests_in_flight
        self.is_remote = store.is_remote
        self.remembers = store.remembers
        self.fills_buffers = store.fills_buffers

    @property
    def identity(self) -> Hashable:
        return self.store.identity, self.prefix

    @property
    def read_only(self) -> bool:
        return self.store.read_only

    def refresh(self) -> None:
        self.store.refresh()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        check_key(key, self.url)
        if max_nbytes is None:
            return self.store.get(self.prefix + key, byte_range)
        return self.store.get(self.prefix + key, byte_range, max_nbytes=max_nbytes)

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        return self.store.get_with_stat(self._inner(key), byte_range, max_nbytes=max_nbytes)

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        return self.store.get_into(self._inner(key), buffer, byte_range)

    def get_partial_values(
        self, key_ranges: Iterable[tuple[str, ByteRange | None]]
    ) -> list[BytesLike | None]:
        return self.store.get_partial_values(
            [(self._inner(key), byte_range) for key, byte_range in key_ranges]
        )

    def stat(self, key: str) -> StoreStat | None:
        return self.store.stat(self._inner(key))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in listable(self.store).list_prefix(self._inner_prefix(prefix)):
            yield StoreEntry(entry.key[len(self.prefix) :], entry.size, entry.mtime_s)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in listable(self.store).list_dir(self._inner_prefix(prefix)):
            yield StoreEntry(entry.key[len(self.prefix) :], entry.size, entry.mtime_s)

    def has_prefix(self, prefix: str) -> bool:
        return listable(self.store).has_prefix(self._inner_prefix(prefix))

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        return writable(self.store).set(self._inner(key), value, if_absent=if_absent)

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        parts = [(self._inner(key), start, value) for key, start, value in key_start_values]
        writable(self.store).set_partial_values(parts)

    def erase(self, key: str) -> None:
        writable(self.store).erase(self._inner(key))

    def erase_values(self, keys: Iterable[str]) -> None:
        writable(self.store).erase_values(self._inner(key) for key in keys)

    def erase_prefix(self, prefix: str) -> None:
        writable(self.store).erase_prefix(self._inner_prefix(prefix))

    def _inner(self, key: str) -> str:
        check_key(key, self.url)
        return self.prefix + key

    def _inner_prefix(self, prefix: str) -> str:
        check_prefix(prefix, self.url)
        return self.prefix + prefix
