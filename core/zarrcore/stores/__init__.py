"""Stores: bytes by key."""

from __future__ import annotations

from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.open import open_store
from zarrcore.stores.options import StoreOptions, add_store_arguments, store_options
from zarrcore.stores.wrapper.interface import WrapperStore, writable
from zarrcore.stores.wrapper.prefix import PrefixStore
from zarrcore.stores.wrapper.read_only import ReadOnlyStore
from zarrcore.stores.wrapper.statistics import StatisticsStore
from zarrcore.stores.zip.store import ZipStore

__all__ = [
    "ByteRange",
    "BytesLike",
    "ListableStore",
    "LocalStore",
    "MemoryStore",
    "PrefixStore",
    "ReadOnlyStore",
    "ReadableStore",
    "StatisticsStore",
    "StoreEntry",
    "StoreOptions",
    "StoreStat",
    "WrapperStore",
    "WritableStore",
    "ZipStore",
    "add_store_arguments",
    "open_store",
    "store_options",
    "writable",
]
