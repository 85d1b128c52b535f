"""zarrcore: stores, formats, codecs, arrays and virtual files of Zarr hierarchies.

import zarrcore as zc

hierarchy = zc.open("s3://bucket/data.zarr", anonymous=True)
array = hierarchy["foo/bar"]
plane = array[3, :, 0:100]

copy = zc.create("copy.zarr").create_array("bar", shape=plane.shape, data_type=plane.dtype)
copy[...] = plane
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zarrcore.array import Array, ChunkCache, parse_selection, plane_ndim
    from zarrcore.errors import (
        AccessDeniedError,
        BodyTooLargeError,
        BrokenBodyError,
        BrokenReferenceError,
        ChangedError,
        ChecksumError,
        ClusterError,
        CodecError,
        ElementError,
        HierarchyNotFoundError,
        InternalError,
        InvalidKeyError,
        KeyTooLongError,
        ListingUnsupportedError,
        MetadataError,
        MissingExtraError,
        NodeExistsError,
        NodeNotFoundError,
        ReadCancelledError,
        ReadOnlyError,
        SelectionError,
        StoreError,
        StoreFullError,
        StoreNotFoundError,
        StoreTimeoutError,
        UnreachableError,
        UnsupportedError,
        ValueTooLargeError,
        ZarrError,
    )
    from zarrcore.filetypes import VirtualFile, virtual_file
    from zarrcore.formats import Format
    from zarrcore.hierarchy import BrokenNode, Collection, Group, Hierarchy
    from zarrcore.hierarchy import create_hierarchy as create
    from zarrcore.hierarchy import open_hierarchy as open  # noqa: A004 - what the library is called for
    from zarrcore.metadata import ArrayMetadata, GroupMetadata
    from zarrcore.stores import open_store

__all__ = [
    "AccessDeniedError",
    "Array",
    "ArrayMetadata",
    "BodyTooLargeError",
    "BrokenBodyError",
    "BrokenNode",
    "BrokenReferenceError",
    "ChangedError",
    "ChecksumError",
    "ChunkCache",
    "ClusterError",
    "CodecError",
    "Collection",
    "ElementError",
    "Format",
    "Group",
    "GroupMetadata",
    "Hierarchy",
    "HierarchyNotFoundError",
    "InternalError",
    "InvalidKeyError",
    "KeyTooLongError",
    "ListingUnsupportedError",
    "MetadataError",
    "MissingExtraError",
    "NodeExistsError",
    "NodeNotFoundError",
    "ReadCancelledError",
    "ReadOnlyError",
    "SelectionError",
    "StoreError",
    "StoreFullError",
    "StoreNotFoundError",
    "StoreTimeoutError",
    "UnreachableError",
    "UnreadableNodeError",
    "UnsupportedError",
    "ValueTooLargeError",
    "VirtualFile",
    "WrongFormatError",
    "ZarrError",
    "create",
    "open",
    "open_store",
    "parse_selection",
    "plane_ndim",
    "virtual_file",
]

# The module of each name. Modules are imported when first used: the command line answers --help without NumPy, and the mount
# forks before any library has started a thread.
_MODULES = {
    "zarrcore.array": ("Array", "ChunkCache", "parse_selection", "plane_ndim"),
    "zarrcore.filetypes": ("VirtualFile", "virtual_file"),
    "zarrcore.formats": ("Format",),
    "zarrcore.hierarchy": ("BrokenNode", "Collection", "Group", "Hierarchy"),
    "zarrcore.metadata": ("ArrayMetadata", "GroupMetadata"),
    "zarrcore.stores": ("open_store",),
}
_PLACES = {name: (module, name) for module, names in _MODULES.items() for name in names}
_PLACES["create"] = ("zarrcore.hierarchy", "create_hierarchy")
_PLACES["open"] = ("zarrcore.hierarchy", "open_hierarchy")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'zarrcore' has no attribute {name!r}")
    module, attribute = _PLACES.get(name, ("zarrcore.errors", name))
    value = globals()[name] = getattr(importlib.import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return __all__
