"""Stores: bytes by key."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

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
from zarrcore.stores.kinds import FILE_SUFFIXES
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
    "FILE_SUFFIXES",
    "STORE_OPTIONS",
    "ZIP_SUFFIXES",
    "ByteRange",
    "BytesLike",
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


def __getattr__(name: str) -> Any:
    if name in {"add_store_arguments", "store_options"}:  # former names of this package
        warnings.warn(
            f"zarrcore.stores.{name} has moved to zarrcore.cli.store_arguments",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(importlib.import_module("zarrcore.cli.store_arguments"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
