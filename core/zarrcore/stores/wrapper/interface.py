"""The base of stores that wrap another store, and the checks of a store's abilities."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from zarrcore.errors import ListingUnsupportedError, ReadOnlyError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    NodeReferences,
    ReadableStore,
    Renaming,
    StoreEntry,
    StoreStat,
    WritableStore,
)


class WrapperStore(ReadableStore, ListableStore, WritableStore):
    """A store that passes everything on to ``store``, and lists and writes if that does. Closing it closes the store.

    A wrapper overrides the methods that it changes; all other calls reach the store.

    Args:
        store: the wrapped store.
    """

    def __init__(self, store: ReadableStore) -> None:
        self.store = store
        self.url = store.url
        self.options = store.options
        self.named_format = store.named_format
        self.requests_in_flight = store.requests_in_flight
        self.is_remote = store.is_remote
        self.lists_flat = store.lists_flat
        self.finds_prefixes_by_listing = store.finds_prefixes_by_listing
        self.may_be_half_written = store.may_be_half_written
        self.states_versions = store.states_versions
        self.remembers = store.remembers
        self.fills_buffers = store.fills_buffers

    @property
    def identity(self) -> Hashable:
        return self.store.identity

    @property
    def presents(self) -> str:  # type: ignore[override]  # it becomes more precise once the file is read
        return self.store.presents

    @property
    def lists_other_sizes(self) -> bool:  # type: ignore[override]  # it changes as values are read
        return self.store.lists_other_sizes

    @property
    def name_max(self) -> int | None:
        return self.store.name_max

    @property
    def read_only(self) -> bool:
        return self.store.read_only

    def description(self) -> list[tuple[str, str]]:
        return self.store.description()

    def choices(self) -> list[tuple[str, str]]:
        return self.store.choices()

    def notes(self) -> list[str]:
        return self.store.notes()

    def warnings(self) -> list[str]:
        return self.store.warnings()

    def references(self, path: str) -> NodeReferences:
        return self.store.references(path)

    def object_identity(self, path: str) -> Hashable:
        return self.store.object_identity(path)

    def skipped_keys(self) -> list[str]:
        return self.store.skipped_keys()

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

    def origin(self, key: str) -> tuple[ReadableStore, str]:
        """This store itself, because a wrapper may change values; those that do not override this."""
        return self, key

    def stat(self, key: str) -> StoreStat | None:
        return self.store.stat(key)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        return listable(self.store).list_prefix(prefix)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        return listable(self.store).list_dir(prefix)

    def has_prefix(self, prefix: str) -> bool:
        return listable(self.store).has_prefix(prefix)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        return writable(self.store).set(key, value, if_absent=if_absent)

    def set_attested(self, key: str, value: BytesLike) -> bool:
        return writable(self.store).set_attested(key, value)

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        return writable(self.store).replace(key, value, stat)

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        return writable(self.store).set_file(key, descriptor, if_absent=if_absent)

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        # A store of another package may return True, False or None, the values of the enumeration.
        return Renaming(writable(self.store).rename(key, new, if_absent=if_absent))

    def rename_prefix(self, prefix: str, new: str) -> Renaming:
        return Renaming(writable(self.store).rename_prefix(prefix, new))

    def link(self, key: str, new: str) -> Renaming:
        return Renaming(writable(self.store).link(key, new))

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        return writable(self.store).clone(source, key, new)

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        writable(self.store).set_partial_values(key_start_values)

    def erase(self, key: str) -> None:
        writable(self.store).erase(key)

    def erase_values(self, keys: Iterable[str]) -> None:
        writable(self.store).erase_values(keys)

    def erase_prefix(self, prefix: str) -> None:
        writable(self.store).erase_prefix(prefix)


def listable(store: ReadableStore) -> ListableStore:
    """The store as one that can list its keys.

    Raises:
        ListingUnsupportedError: it cannot.
    """
    if not isinstance(store, ListableStore):
        raise ListingUnsupportedError(f"{store.url} cannot list its keys", url=store.url)
    return store


def writable(store: ReadableStore) -> WritableStore:
    """The store as one that can be written.

    Raises:
        ReadOnlyError: it cannot.
    """
    if not isinstance(store, WritableStore):
        why = (
            f"zarrscope only reads {store.presents}"
            if store.presents
            else "stores of this kind are read-only"
        )
        raise ReadOnlyError(f"{store.url} cannot be written: {why}")
    if store.read_only:
        store.check_writable()
        raise ReadOnlyError(f"{store.url} cannot be written")
    return store
