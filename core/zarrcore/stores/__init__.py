"""Stores: bytes by key."""

from __future__ import annotations

from zarrcore.stores.descriptors import read_descriptor, read_descriptor_into
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    Renaming,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.kinds import FileKind, FolderKind
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.open import open_store
from zarrcore.stores.options import STORE_OPTIONS, StoreOption, StoreOptions
from zarrcore.stores.schemes import canonical_scheme
from zarrcore.stores.wrapper.interface import WrapperStore, writable
from zarrcore.stores.wrapper.prefix import PrefixStore
from zarrcore.stores.wrapper.read_only import ReadOnlyStore
from zarrcore.stores.wrapper.statistics import StatisticsStore
from zarrcore.stores.zip.store import ZIP_SUFFIXES, ZipStore

__all__ = [
    "STORE_OPTIONS",
    "ZIP_SUFFIXES",
    "ByteRange",
    "BytesLike",
    "FileKind",
    "FolderKind",
    "ListableStore",
    "LocalStore",
    "MemoryStore",
    "PrefixStore",
    "ReadOnlyStore",
    "ReadableStore",
    "Renaming",
    "StatisticsStore",
    "StoreEntry",
    "StoreOption",
    "StoreOptions",
    "StoreStat",
    "WrapperStore",
    "WritableStore",
    "ZipStore",
    "canonical_scheme",
    "open_store",
    "read_descriptor",
    "read_descriptor_into",
    "writable",
]
