"""File types: arrays as files that any program reads, one file per type."""

from __future__ import annotations

from collections.abc import Callable, Collection

from zarrcore.array import Array, Selection
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import ArrayFile, VirtualFile
from zarrcore.filetypes.npy import NpyFile
from zarrcore.filetypes.nrrd import NrrdFile
from zarrcore.filetypes.plain_chunks import PlainChunk, PlainChunks, group_document
from zarrcore.filetypes.plan import BytesPlan
from zarrcore.filetypes.png import PngFile
from zarrcore.filetypes.raw import RawFile
from zarrcore.filetypes.text import TEXT_SUFFIXES, values_as_text
from zarrcore.filetypes.tiff import OmeTiffFile, TiffFile, array_as_ome_tiff
from zarrcore.filetypes.whole_file import whole_or_nothing

_ARRAY_FILES: tuple[type[ArrayFile], ...] = (RawFile, NpyFile, PngFile, TiffFile, NrrdFile)
_FILE_TYPES: dict[str, Callable[[Array, Selection], VirtualFile]] = {
    **{kind.suffix: kind for kind in _ARRAY_FILES},
    OmeTiffFile.suffix: array_as_ome_tiff,
}

SUFFIXES = tuple(_FILE_TYPES)
"""All file types, by the ending of their names."""


def virtual_file(array: Array, selection: Selection = ..., suffix: str = "npy") -> VirtualFile:
    """``array[selection]`` as a file of the type that ``suffix`` names.

    Raises:
        UnsupportedError: no such file type, or one that cannot hold this selection.
        SelectionError: the array has no such selection.
    """
    try:
        kind = _FILE_TYPES[suffix]
    except KeyError as error:
        raise UnsupportedError("file type", suffix, f"is unknown; known are {', '.join(SUFFIXES)}") from error
    return kind(array, selection)


def suffix_of(name: str, known: Collection[str] = SUFFIXES) -> str:
    """Which of the endings a file's name has, the longest; empty where it has none.

    >>> suffix_of("data.ome.tiff"), suffix_of("[...].tiff"), suffix_of("data.txt")
    ('ome.tiff', 'tiff', '')
    """
    return max((suffix for suffix in known if name.endswith(f".{suffix}")), key=len, default="")


def supported_suffixes(array: Array, selection: Selection = ...) -> tuple[str, ...]:
    """The file types that can hold ``array[selection]``.

    Raises:
        SelectionError: the array has no such selection.
    """
    supported = []
    for suffix in SUFFIXES:
        try:
            virtual_file(array, selection, suffix)
        except UnsupportedError:
            continue
        supported.append(suffix)
    return tuple(supported)


__all__ = [
    "SUFFIXES",
    "TEXT_SUFFIXES",
    "BytesPlan",
    "NpyFile",
    "NrrdFile",
    "OmeTiffFile",
    "PlainChunk",
    "PlainChunks",
    "PngFile",
    "RawFile",
    "TiffFile",
    "VirtualFile",
    "group_document",
    "suffix_of",
    "supported_suffixes",
    "values_as_text",
    "virtual_file",
    "whole_or_nothing",
]
