"""A store that reports each change made through it, so that no cache keeps the old answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from zarrcore.stores import BytesLike, ReadableStore, Renaming, StoreStat, WrapperStore


class WatchedStore(WrapperStore):
    """A store that reports each write, even if it fails: after a failure, the stored value is unknown.

    Args:
        store: the store.
        changed: called with each key after it may have changed, from any thread.

    Attributes:
        changed: as above.
    """

    def __init__(self, store: ReadableStore, changed: Callable[[str], None]) -> None:
        super().__init__(store)
        self.changed = changed

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        try:
            return super().set(key, value, if_absent=if_absent)
        finally:
            self.changed(key)

    def set_attested(self, key: str, value: BytesLike) -> bool:
        try:
            return super().set_attested(key, value)
        finally:
            self.changed(key)

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        try:
            return super().replace(key, value, stat)
        finally:
            self.changed(key)

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        try:
            return super().set_file(key, descriptor, if_absent=if_absent)
        finally:
            self.changed(key)

    def rename(self, key: str, new: str, *, if_absent: bool = False) -> Renaming:
        try:
            return super().rename(key, new, if_absent=if_absent)
        finally:
            self.changed(key)
            self.changed(new)

    def link(self, key: str, new: str) -> Renaming:
        try:
            return super().link(key, new)
        finally:
            self.changed(new)

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        try:
            return super().clone(source, key, new)
        finally:
            self.changed(new)

    def set_partial_values(self, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
        parts = [*key_start_values]
        try:
            super().set_partial_values(parts)
        finally:
            for key, _, _ in parts:
                self.changed(key)

    def erase(self, key: str) -> None:
        try:
            super().erase(key)
        finally:
            self.changed(key)

    def erase_values(self, keys: Iterable[str]) -> None:
        asked = [*keys]
        try:
            super().erase_values(asked)
        finally:
            for key in asked:
                self.changed(key)

    def erase_prefix(self, prefix: str) -> None:
        try:
            super().erase_prefix(prefix)
        finally:
            self.changed(prefix)
