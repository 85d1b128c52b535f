"""File types: arrays as files that any program reads, one module for each type."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zarrcore.filetypes.hdf5 import HDF5File as HDF5File
    from zarrcore.filetypes.interface import HeaderAndBody as HeaderAndBody
    from zarrcore.filetypes.interface import VirtualFile as VirtualFile
    from zarrcore.filetypes.npy import NpyFile as NpyFile
    from zarrcore.filetypes.nrrd import NrrdFile as NrrdFile
    from zarrcore.filetypes.plain_chunks import PlainChunk as PlainChunk
    from zarrcore.filetypes.plain_chunks import PlainChunks as PlainChunks
    from zarrcore.filetypes.plain_chunks import group_document as group_document
    from zarrcore.filetypes.plan import Box as Box
    from zarrcore.filetypes.plan import BytesPlan as BytesPlan
    from zarrcore.filetypes.plan import boxes as boxes
    from zarrcore.filetypes.png import PngFile as PngFile
    from zarrcore.filetypes.raw import RawFile as RawFile
    from zarrcore.filetypes.registry import FILE_TYPES as FILE_TYPES
    from zarrcore.filetypes.registry import SUFFIXES as SUFFIXES
    from zarrcore.filetypes.registry import TEXT_SUFFIXES as TEXT_SUFFIXES
    from zarrcore.filetypes.registry import FileType as FileType
    from zarrcore.filetypes.registry import file_type as file_type
    from zarrcore.filetypes.registry import file_type_of as file_type_of
    from zarrcore.filetypes.registry import suffix_of as suffix_of
    from zarrcore.filetypes.registry import supported_suffixes as supported_suffixes
    from zarrcore.filetypes.registry import virtual_file as virtual_file
    from zarrcore.filetypes.text import values_as_text as values_as_text
    from zarrcore.filetypes.tiff import GeoTiffFile as GeoTiffFile
    from zarrcore.filetypes.tiff import OmeTiffFile as OmeTiffFile
    from zarrcore.filetypes.tiff import TiffFile as TiffFile
    from zarrcore.filetypes.vrt import stack_as_vrt as stack_as_vrt
    from zarrcore.filetypes.whole_file import whole_or_nothing as whole_or_nothing
else:
    from zarrcore.lazy_exports import lazy_exports

    # Command lines read the table of types without NumPy.
    __getattr__, __dir__, __all__ = lazy_exports(
        __name__,
        {
            "hdf5": "HDF5File",
            "interface": "HeaderAndBody VirtualFile",
            "npy": "NpyFile",
            "nrrd": "NrrdFile",
            "plain_chunks": "PlainChunk PlainChunks group_document",
            "plan": "Box BytesPlan boxes",
            "png": "PngFile",
            "raw": "RawFile",
            "registry": """
                FILE_TYPES FileType SUFFIXES TEXT_SUFFIXES file_type file_type_of suffix_of
                supported_suffixes virtual_file
            """,
            "text": "values_as_text",
            "tiff": "GeoTiffFile OmeTiffFile TiffFile",
            "vrt": "stack_as_vrt",
            "whole_file": "whole_or_nothing",
        },
    )
