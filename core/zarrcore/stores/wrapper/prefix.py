"""A prefix of a store as a store of its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    NodeReferences,
    ReadableStore,
    Renaming,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.keys import check_key, check_prefix, join_url
from zarrcore.stores.wrapper.interface import WrapperStore


class PrefixStore(WrapperStore):
    """The part of ``store`` under a prefix. Closing it leaves ``store`` open for its other users, unless it is the owner.

    It lists and writes if ``store`` does.

    Args:
        store: where the values are.
        prefix: the prefix, ending in ``/``.
        is_owner: whether closing it closes ``store``.

    >>> from zarrcore.stores.memory import MemoryStore
    >>> store = PrefixStore(MemoryStore(values={"a/b": b"1", "c": b"2"}), "a/")
    >>> [entry.key for entry in store.list()], store.get("b")
    (['b'], b'1')
    """

    def __init__(self, store: ReadableStore, prefix: str, *, is_owner: bool = False) -> None:
        check_key(prefix.removesuffix("/"), store.url)
        check_prefix(prefix, store.url)
        super().__init__(store)
        self.prefix = prefix
        self._is_owner = is_owner
        self.url = join_url(store.url, prefix.rstrip("/"))

    @property
    def identity(self) -> Hashable:
        return self.store.identity, self.prefix

    def references(self, path: str) -> NodeReferences:
        """None: a reference is a path from the root of the whole file, and may lead out of the prefix."""
        return NodeReferences()

    def object_identity(self, path: str) -> Hashable:
        return super().object_identity(f"/{self._inner(path[1:])}")

    def close(self) -> None:
        """Close the store if this is its owner."""
        if self._is_owner:
            self.store.close()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return super().get(self._inner(key), byte_range, max_nbytes=max_nbytes)

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        return super().get_with_stat(self._inner(key), byte_range, max_nbytes=max_nbytes)

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        return super().get_into(self._inner(key), buffer, byte_range)

    def get_partial_values(
        self, key_ranges: Iterable[tuple[str, ByteRange | None]]
    ) -> list[BytesLike | None]:
        return super().get_partial_values([(self._inner(key), byte_range) for key, byte_range in key_ranges])

    def origin(self, key: str) -> tuple[ReadableStore, str]:
        return self.store.origin(self.prefix + key)

    def stat(self, key: str) -> StoreStat | None:
        return super().stat(self._inner(key))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in super().list_prefix(self._inner_prefix(prefix)):
            yield StoreEntry(entry.key[len(self.prefix) :], entry.size, entry.mtime_s, entry.etag)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in super().list_dir(self._inner_prefix(prefix)):
            yield StoreEntry(entry.key[len(self.prefix) :], entry.size, entry.mtime_s, entry.etag)

    def has_prefix(self, prefix: str) -> bool:
        return super().has_prefix(self._inner_prefix(prefix))

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        return super().set(self._inner(key), value, if_absent=if_absent)

    def set_attested(self, key: str, value: BytesLike) -> bool:
        return super().set_attested(self._inner(key), value)

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        return super().replace(self._inner(key), value, stat)

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        return super().set_file(self._inner(key), descriptor, if_absent=if_absent)

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        return super().rename(self._inner(key), self._inner(new), if_absent=if_absent)

    def rename_prefix(self, prefix: str, new: str) -> Renaming:
        return super().rename_prefix(self._inner_prefix(prefix), self._inner_prefix(new))

    def link(self, key: str, new: str) -> Renaming:
        return super().link(self._inner(key), self._inner(new))

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        return super().clone(source, key, self._inner(new))

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        parts = [(self._inner(key), start, value) for key, start, value in key_start_values]
        super().set_partial_values(parts)

    def skipped_keys(self) -> list[str]:
        start = len(self.prefix)
        return [key[start:] for key in super().skipped_keys() if key.startswith(self.prefix)]

    def erase(self, key: str) -> None:
        super().erase(self._inner(key))

    def erase_values(self, keys: Iterable[str]) -> None:
        super().erase_values(self._inner(key) for key in keys)

    def erase_prefix(self, prefix: str) -> None:
        super().erase_prefix(self._inner_prefix(prefix))

    def _inner(self, key: str) -> str:
        check_key(key, self.url)
        return self.prefix + key

    def _inner_prefix(self, prefix: str) -> str:
        check_prefix(prefix, self.url)
        return self.prefix + prefix
