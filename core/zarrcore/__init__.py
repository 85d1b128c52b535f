"""zarrcore: stores, formats, codecs, arrays and virtual files of Zarr hierarchies.

import zarrcore as zc

hierarchy = zc.open("s3://bucket/data.zarr", anonymous=True)
array = hierarchy["foo/bar"]
plane = array[3, :, 0:100]
"""

from zarrcore.array import Array, ChunkCache, parse_selection, plane_ndim
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    ChecksumError,
    CodecError,
    HierarchyNotFoundError,
    InvalidKeyError,
    ListingUnsupportedError,
    MetadataError,
    MissingExtraError,
    NodeNotFoundError,
    ReadCancelledError,
    ReadOnlyError,
    SelectionError,
    StoreError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.filetypes import VirtualFile, virtual_file
from zarrcore.formats import Format
from zarrcore.hierarchy import BrokenNode, Group, Hierarchy
from zarrcore.hierarchy import open_hierarchy as open  # noqa: A004 - what the library is called for
from zarrcore.metadata import ArrayMetadata, GroupMetadata
from zarrcore.stores import open_store

__all__ = [
    "AccessDeniedError",
    "Array",
    "ArrayMetadata",
    "BrokenBodyError",
    "BrokenNode",
    "ChecksumError",
    "ChunkCache",
    "CodecError",
    "Format",
    "Group",
    "GroupMetadata",
    "Hierarchy",
    "HierarchyNotFoundError",
    "InvalidKeyError",
    "ListingUnsupportedError",
    "MetadataError",
    "MissingExtraError",
    "NodeNotFoundError",
    "ReadCancelledError",
    "ReadOnlyError",
    "SelectionError",
    "StoreError",
    "StoreNotFoundError",
    "StoreTimeoutError",
    "UnreachableError",
    "UnsupportedError",
    "VirtualFile",
    "ZarrError",
    "open",
    "open_store",
    "parse_selection",
    "plane_ndim",
    "virtual_file",
]
