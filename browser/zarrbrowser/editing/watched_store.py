"""A store that counts what a change writes and erases, and stops between two keys if the user wants that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from zarrbrowser.editing.progress import Progress
from zarrcore.errors import ListingUnsupportedError
from zarrcore.stores import BytesLike, ReadableStore, Renaming, StoreStat, WrapperStore

_ERASED_AT_ONCE = 1000


class WatchedStore(WrapperStore):
    """Passes everything on to ``store``. Closing it closes the store.

    Outside of `watching` it counts nothing and never stops. A change that must not end halfway stops only where zarrcore can
    undo what it did: while keys are copied, not while the originals are erased.
    """

    def __init__(self, store: ReadableStore) -> None:
        super().__init__(store)
        self._copying: Progress | None = None
        self._erasing: Progress | None = None

    @contextmanager
    def watching(self, *, copying: Progress | None = None, erasing: Progress | None = None) -> Iterator[None]:
        """Count keys in a ``with`` block, one change at a time.

        Args:
            copying: counts keys that are set or cloned, and can stop before each.
            erasing: counts keys that are erased by their prefix, and can stop between two batches.
        """
        self._copying, self._erasing = copying, erasing
        try:
            yield
        finally:
            self._copying = self._erasing = None

    def origin(self, key: str) -> tuple[ReadableStore, str]:
        return self.store.origin(key)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        with self._one_more():
            return super().set(key, value, if_absent=if_absent)

    def set_attested(self, key: str, value: BytesLike) -> bool:
        with self._one_more():
            return super().set_attested(key, value)

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        with self._one_more():
            return super().replace(key, value, stat)

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        copying = self._copying
        if copying is not None:
            copying.check()
        is_done = super().clone(source, key, new)
        if copying is not None and is_done:
            copying.add()
        return is_done

    def erase(self, key: str) -> None:
        with self._one_more():
            super().erase(key)

    def rename_prefix(self, prefix: str, new: str) -> Renaming:
        renamed = super().rename_prefix(prefix, new)
        if renamed:
            self._copying = None  # done: what follows completes it
        return renamed

    def erase_values(self, keys: Iterable[str]) -> None:
        self._copying = None  # the copies are complete: a stop from here on would leave half of the originals
        super().erase_values(keys)

    def erase_prefix(self, prefix: str) -> None:
        erasing = self._erasing
        if erasing is not None:
            for batch in self._batches(prefix):
                erasing.check()
                super().erase_values(batch)
                erasing.add(len(batch))
        super().erase_prefix(prefix)  # also directories without keys

    def _batches(self, prefix: str) -> Iterable[list[str]]:
        try:
            keys = (entry.key for entry in self.list_prefix(prefix))
            while batch := [*islice(keys, _ERASED_AT_ONCE)]:
                yield batch
        except ListingUnsupportedError:
            return  # the store may still be able to erase a prefix

    @contextmanager
    def _one_more(self) -> Iterator[None]:
        copying = self._copying
        if copying is not None:
            copying.check()
        yield
        if copying is not None:
            copying.add()
