"""zarrcore: stores, formats, codecs, arrays and virtual files of Zarr hierarchies.

import zarrcore as zc

array = zc.open_array("s3://bucket/data.zarr", "foo/bar", anonymous=True)
plane = array[3, :, 0:100]

copy = zc.create("copy.zarr").create_array("bar", shape=plane.shape, dtype=plane.dtype)
copy[...] = plane
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zarrcore.array import Array as Array
    from zarrcore.array import ChunkCache as ChunkCache
    from zarrcore.array import limit_threads as limit_threads
    from zarrcore.array import parse_selection as parse_selection
    from zarrcore.array import plane_ndim as plane_ndim
    from zarrcore.errors import AccessDeniedError as AccessDeniedError
    from zarrcore.errors import BodyTooLargeError as BodyTooLargeError
    from zarrcore.errors import BrokenBodyError as BrokenBodyError
    from zarrcore.errors import BrokenReferenceError as BrokenReferenceError
    from zarrcore.errors import ChangedError as ChangedError
    from zarrcore.errors import ChecksumError as ChecksumError
    from zarrcore.errors import ChunkNotFoundError as ChunkNotFoundError
    from zarrcore.errors import ClusterError as ClusterError
    from zarrcore.errors import CodecError as CodecError
    from zarrcore.errors import ElementError as ElementError
    from zarrcore.errors import HierarchyNotFoundError as HierarchyNotFoundError
    from zarrcore.errors import InternalError as InternalError
    from zarrcore.errors import InvalidKeyError as InvalidKeyError
    from zarrcore.errors import KeyTooLongError as KeyTooLongError
    from zarrcore.errors import ListingUnsupportedError as ListingUnsupportedError
    from zarrcore.errors import MetadataError as MetadataError
    from zarrcore.errors import MissingExtraError as MissingExtraError
    from zarrcore.errors import NodeExistsError as NodeExistsError
    from zarrcore.errors import NodeKindError as NodeKindError
    from zarrcore.errors import NodeNotFoundError as NodeNotFoundError
    from zarrcore.errors import PlacedError as PlacedError
    from zarrcore.errors import ReadCancelledError as ReadCancelledError
    from zarrcore.errors import ReadOnlyError as ReadOnlyError
    from zarrcore.errors import SelectionError as SelectionError
    from zarrcore.errors import StoreError as StoreError
    from zarrcore.errors import StoreFullError as StoreFullError
    from zarrcore.errors import StoreNotFoundError as StoreNotFoundError
    from zarrcore.errors import StoreTimeoutError as StoreTimeoutError
    from zarrcore.errors import UnreachableError as UnreachableError
    from zarrcore.errors import UnreadableNodeError as UnreadableNodeError
    from zarrcore.errors import UnsupportedError as UnsupportedError
    from zarrcore.errors import ValueTooLargeError as ValueTooLargeError
    from zarrcore.errors import WrongFormatError as WrongFormatError
    from zarrcore.errors import ZarrError as ZarrError
    from zarrcore.filetypes import VirtualFile as VirtualFile
    from zarrcore.filetypes import virtual_file as virtual_file
    from zarrcore.formats import Format as Format
    from zarrcore.hierarchy import ArrayNode as ArrayNode
    from zarrcore.hierarchy import BrokenNode as BrokenNode
    from zarrcore.hierarchy import Collection as Collection
    from zarrcore.hierarchy import Group as Group
    from zarrcore.hierarchy import Hierarchy as Hierarchy
    from zarrcore.hierarchy import create_hierarchy
    from zarrcore.hierarchy import open_hierarchy as open_hierarchy
    from zarrcore.hierarchy.open_node import open_array as open_array
    from zarrcore.hierarchy.open_node import open_group as open_group
    from zarrcore.hierarchy.open_node import open_node
    from zarrcore.metadata import ArrayMetadata as ArrayMetadata
    from zarrcore.metadata import GroupMetadata as GroupMetadata
    from zarrcore.operations.functions import advise as advise
    from zarrcore.operations.functions import check as check
    from zarrcore.operations.functions import checksum as checksum
    from zarrcore.operations.functions import convert as convert
    from zarrcore.operations.functions import copy as copy
    from zarrcore.operations.functions import diff as diff
    from zarrcore.operations.functions import du as du
    from zarrcore.operations.functions import find as find
    from zarrcore.operations.functions import pyramid as pyramid
    from zarrcore.stores import open_store as open_store
    from zarrcore.version import __version__ as __version__

    create = create_hierarchy
    open = open_node  # noqa: A001 - what the library is called for
else:
    from zarrcore.lazy_exports import lazy_exports

    # The command line answers --help without NumPy, and the mount forks before any library has started a thread.
    __getattr__, __dir__, __all__ = lazy_exports(
        __name__,
        {
            "array": "Array ChunkCache limit_threads parse_selection plane_ndim",
            "errors": """
                AccessDeniedError BodyTooLargeError BrokenBodyError BrokenReferenceError ChangedError
                ChecksumError ChunkNotFoundError ClusterError CodecError ElementError HierarchyNotFoundError InternalError
                InvalidKeyError KeyTooLongError ListingUnsupportedError MetadataError MissingExtraError
                NodeExistsError NodeKindError NodeNotFoundError PlacedError ReadCancelledError ReadOnlyError
                SelectionError StoreError StoreFullError StoreNotFoundError StoreTimeoutError UnreachableError
                UnreadableNodeError UnsupportedError ValueTooLargeError WrongFormatError ZarrError
            """,
            "filetypes": "VirtualFile virtual_file",
            "formats": "Format",
            "hierarchy": """
                ArrayNode BrokenNode Collection Group Hierarchy create=create_hierarchy open_hierarchy
            """,
            "hierarchy.open_node": "open=open_node open_array open_group",
            "metadata": "ArrayMetadata GroupMetadata",
            "operations.functions": "advise check checksum convert copy diff du find pyramid",
            "stores": "open_store",
            "version": "__version__",
        },
    )
