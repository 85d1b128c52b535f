"""Sources of every kind that can be changed, and stores that fail in the middle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

import zarrcore as zc
from zarrbrowser.editing.changes import Change, Outcome
from zarrbrowser.editing.opening import open_for_changes
from zarrbrowser.editing.progress import Progress
from zarrbrowser.editing.watched_store import WatchedStore
from zarrbrowser.session.sources import Source, SourceRequest
from zarrcore.errors import StoreFullError
from zarrcore.hierarchy import open_hierarchy
from zarrcore.stores import BytesLike, MemoryStore, ReadableStore, StoreStat, WrapperStore, WritableStore

VALUES = np.arange(20 * 30, dtype=np.int32).reshape(20, 30)


def write_example(place: str | Path | ReadableStore, format_: str = "v3", **options: object) -> None:
    """``/scan/raw`` (20 × 30, chunks of 10 × 10), ``/scan/empty`` and ``/other``."""
    with zc.create(place, format_, **options) as made:
        raw = made.create_array(
            "/scan/raw", shape=(20, 30), dtype="int32", chunks=(10, 10), attributes={"unit": "mm"}
        )
        raw[...] = VALUES
        made.create_group("/scan/empty")
        made.create_group("/other")


def example(folder: Path, format_: str = "v3") -> Source:
    """The example in a directory, open for changes."""
    write_example(folder / "a.zarr", format_)
    return open_for_changes(SourceRequest(str(folder / "a.zarr")))


def over(store: ReadableStore) -> Source:
    """A hierarchy in a store, open for changes."""
    hierarchy = open_hierarchy(WatchedStore(store), "r+", chunk_cache=zc.ChunkCache(1 << 20))
    return Source(SourceRequest(store.url), hierarchy, hierarchy.node("/"), may_change=True)


def done(change: Change, progress: Progress | None = None) -> Outcome:
    """What comes of a change."""
    return change.run(progress or Progress())


class FullStore(WrapperStore):
    """A store that is full after some keys.

    Attributes:
        room: how many keys can still be set.
        refuses: whether keys cannot be erased.
    """

    def __init__(self, room: int = 1 << 30) -> None:
        super().__init__(MemoryStore())
        self.room, self.refuses_after = room, 1 << 30

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        self.room -= 1
        if self.room < 0:
            raise StoreFullError(f"{key}: no space left", key=key, url=self.url)
        return super().set(key, value, if_absent=if_absent)

    set_attested = WritableStore.set_attested

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        return self.set(key, value)

    def erase_values(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.refuses_after -= 1
            if self.refuses_after < 0:
                raise StoreFullError(f"{key}: the store refuses", key=key, url=self.url)
            super().erase_values([key])

    def erase_prefix(self, prefix: str) -> None:
        self.erase_values([entry.key for entry in self.list_prefix(prefix)])

    def listed(self) -> list[str]:
        """All keys."""
        return sorted(entry.key for entry in self.list_prefix(""))


def stopping_after(number: int) -> Progress:
    """A progress that stops after some keys."""
    progress: Progress

    def is_stopped() -> bool:
        return progress.done >= number

    progress = Progress(is_stopped=is_stopped)
    return progress


Make = Callable[[], Source]
