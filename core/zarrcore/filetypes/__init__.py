"""File types: arrays as files that any program reads, one module for each type."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from zarrcore.filetypes.registry import (
    FILE_TYPES,
    SUFFIXES,
    TEXT_SUFFIXES,
    FileType,
    file_type,
    file_type_of,
    suffix_of,
    supported_suffixes,
    virtual_file,
)

if TYPE_CHECKING:
    from zarrcore.filetypes.hdf5 import HDF5File
    from zarrcore.filetypes.interface import HeaderAndBody, VirtualFile
    from zarrcore.filetypes.npy import NpyFile
    from zarrcore.filetypes.nrrd import NrrdFile
    from zarrcore.filetypes.plain_chunks import PlainChunk, PlainChunks, group_document
    from zarrcore.filetypes.plan import Box, BytesPlan, boxes
    from zarrcore.filetypes.png import PngFile
    from zarrcore.filetypes.raw import RawFile
    from zarrcore.filetypes.text import values_as_text
    from zarrcore.filetypes.tiff import GeoTiffFile, OmeTiffFile, TiffFile
    from zarrcore.filetypes.vrt import stack_as_vrt
    from zarrcore.filetypes.whole_file import whole_or_nothing

__all__ = [
    "FILE_TYPES",
    "SUFFIXES",
    "TEXT_SUFFIXES",
    "Box",
    "BytesPlan",
    "FileType",
    "GeoTiffFile",
    "HDF5File",
    "HeaderAndBody",
    "NpyFile",
    "NrrdFile",
    "OmeTiffFile",
    "PlainChunk",
    "PlainChunks",
    "PngFile",
    "RawFile",
    "TiffFile",
    "VirtualFile",
    "boxes",
    "file_type",
    "file_type_of",
    "group_document",
    "stack_as_vrt",
    "suffix_of",
    "supported_suffixes",
    "values_as_text",
    "virtual_file",
    "whole_or_nothing",
]

# The modules of the other names, imported on first use: command lines read the table of types without NumPy.
_MODULES = {
    "hdf5": ("HDF5File",),
    "interface": ("HeaderAndBody", "VirtualFile"),
    "npy": ("NpyFile",),
    "nrrd": ("NrrdFile",),
    "plain_chunks": ("PlainChunk", "PlainChunks", "group_document"),
    "plan": ("Box", "BytesPlan", "boxes"),
    "png": ("PngFile",),
    "raw": ("RawFile",),
    "text": ("values_as_text",),
    "tiff": ("GeoTiffFile", "OmeTiffFile", "TiffFile"),
    "vrt": ("stack_as_vrt",),
    "whole_file": ("whole_or_nothing",),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'zarrcore.filetypes' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
