"""Read-only stores: how they refuse writes, and a wrapper that makes a store read-only."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from zarrcore.errors import ReadOnlyError
from zarrcore.stores.interface import BytesLike, ReadableStore, Renaming, StoreStat, WritableStore
from zarrcore.stores.wrapper.interface import WrapperStore


class RefusingStore(WritableStore):
    """The writing methods of a read-only store: they always refuse, even if nothing would change."""

    @property
    def read_only(self) -> bool:
        return True

    @abstractmethod
    def _refusal(self) -> str:
        """Why the store cannot be written and what to do; follows the store's URL and a colon."""

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        raise self._refused(key)

    def set_attested(self, key: str, value: BytesLike) -> bool:
        raise self._refused(key)

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        raise self._refused(key)

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        raise self._refused(key)

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        raise self._refused(key)

    def rename_prefix(self, prefix: str, new: str) -> Renaming:
        raise self._refused(prefix)

    def link(self, key: str, new: str) -> Renaming:
        raise self._refused(new)

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        raise self._refused(new)

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


class ReadOnlyStore(RefusingStore, WrapperStore):
    """A read-only view of a store. Closing it closes the store.

    Args:
        store: the store to read from.
        reason: why it cannot be written and what to do, for the error.

    >>> from zarrcore.stores.memory import MemoryStore
    >>> store = ReadOnlyStore(MemoryStore("guarded", {"a": b"1"}))
    >>> store.get("a"), store.read_only
    (b'1', True)
    >>> store.set("a", b"2")
    Traceback (most recent call last):
    zarrcore.errors.ReadOnlyError: a in memory://guarded cannot be written: it was opened read-only
    """

    def __init__(self, store: ReadableStore, reason: str = "it was opened read-only") -> None:
        super().__init__(store)
        self.reason = reason

    def origin(self, key: str) -> tuple[ReadableStore, str]:
        return self.store.origin(key)

    def _refusal(self) -> str:
        return self.reason
