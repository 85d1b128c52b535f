"""Stores: bytes by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zarrcore.stores.descriptors import read_descriptor as read_descriptor
    from zarrcore.stores.descriptors import read_descriptor_into as read_descriptor_into
    from zarrcore.stores.interface import ByteRange as ByteRange
    from zarrcore.stores.interface import BytesLike as BytesLike
    from zarrcore.stores.interface import ListableStore as ListableStore
    from zarrcore.stores.interface import NodeReferences as NodeReferences
    from zarrcore.stores.interface import ReadableStore as ReadableStore
    from zarrcore.stores.interface import Renaming as Renaming
    from zarrcore.stores.interface import StoreEntry as StoreEntry
    from zarrcore.stores.interface import StoreStat as StoreStat
    from zarrcore.stores.interface import WritableStore as WritableStore
    from zarrcore.stores.kinds import ZIP_SUFFIXES as ZIP_SUFFIXES
    from zarrcore.stores.kinds import FileKind as FileKind
    from zarrcore.stores.kinds import FolderKind as FolderKind
    from zarrcore.stores.local.store import LocalStore as LocalStore
    from zarrcore.stores.memory import MemoryStore as MemoryStore
    from zarrcore.stores.open import open_store as open_store
    from zarrcore.stores.options import STORE_OPTIONS as STORE_OPTIONS
    from zarrcore.stores.options import StoreOption as StoreOption
    from zarrcore.stores.options import StoreOptions as StoreOptions
    from zarrcore.stores.schemes import canonical_scheme as canonical_scheme
    from zarrcore.stores.schemes import split_uri as split_uri
    from zarrcore.stores.wrapper.interface import WrapperStore as WrapperStore
    from zarrcore.stores.wrapper.interface import writable as writable
    from zarrcore.stores.wrapper.prefix import PrefixStore as PrefixStore
    from zarrcore.stores.wrapper.read_only import ReadOnlyStore as ReadOnlyStore
    from zarrcore.stores.wrapper.request_log import RequestLog as RequestLog
    from zarrcore.stores.wrapper.request_log import RequestRecord as RequestRecord
    from zarrcore.stores.wrapper.statistics import StatisticsStore as StatisticsStore
    from zarrcore.stores.zip.store import ZipStore as ZipStore
else:
    from zarrcore.lazy_exports import lazy_exports

    # The command line needs only the options to answer --help.
    __getattr__, __dir__, __all__ = lazy_exports(
        __name__,
        {
            "descriptors": "read_descriptor read_descriptor_into",
            "interface": """
                ByteRange BytesLike ListableStore NodeReferences ReadableStore Renaming StoreEntry StoreStat
                WritableStore
            """,
            "kinds": "FileKind FolderKind ZIP_SUFFIXES",
            "local.store": "LocalStore",
            "memory": "MemoryStore",
            "open": "open_store",
            "options": "STORE_OPTIONS StoreOption StoreOptions",
            "schemes": "canonical_scheme split_uri",
            "wrapper.interface": "WrapperStore writable",
            "wrapper.prefix": "PrefixStore",
            "wrapper.read_only": "ReadOnlyStore",
            "wrapper.request_log": "RequestLog RequestRecord",
            "wrapper.statistics": "StatisticsStore",
            "zip.store": "ZipStore",
        },
    )
