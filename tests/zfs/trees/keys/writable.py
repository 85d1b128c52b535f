"""A tree of keys that can be changed, without a kernel."""

from __future__ import annotations

from tests.zfs.trees.entries import fresh
from zarrcore.stores import ReadableStore
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.writer import KeyWriter
from zarrfs.trees.writing.spool import SpoolMemory


def writer_of(store: ReadableStore) -> KeyWriter:
    """A writer that nothing watches."""
    return KeyWriter(WatchedStore(store, lambda _: None), SpoolMemory(1 << 20))


def writable(store: ReadableStore) -> KeysTree:
    """A tree that shows the changes of its writer."""
    return KeysTree(store, fresh(), writer=writer_of(store))
