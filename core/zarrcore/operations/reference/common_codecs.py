"""Codecs by which other programs decode chunks that have codecs of zarrcore only: those of HDF5 and TIFF files.

numcodecs and zarr-python have some of them. The package imagecodecs registers the others.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata, NamedConfiguration
from zarrcore.operations.copy.layout import codec_names

_LITTLE: Final = NamedConfiguration("bytes", {"endian": "little"})


class CommonCodecs(NamedTuple):
    """What decodes a chunk."""

    codecs: tuple[NamedConfiguration, ...]
    """The codecs without `last`, after which elements are stored as they are."""
    last: NamedConfiguration | None = None
    """A codec that zarrcore does not write, which makes these elements of the stored bytes."""


def hdf5_codecs(metadata: ArrayMetadata, to: Format) -> CommonCodecs:
    """The common codecs of an array in an HDF5 file, or of one that has common codecs anyway.

    Raises:
        UnsupportedError: a filter has none.
    """
    first, *filters = metadata.codecs or (_LITTLE,)
    if first.name == "hdf5.elements" and _are_packed(metadata):
        first = _LITTLE
    codecs = [first, *map(_renamed, filters)]
    last = None
    if codecs[-1].name == "hdf5.blosc2" and codecs[-1].configuration.get("is_array") and to is Format.V2:
        # In Zarr v3, the codec also states the type of elements, which the filter does not know.
        del codecs[-1]
        last = NamedConfiguration("imagecodecs_b2nd")
    if to is Format.V3 and len(codecs) > 1 and codecs[1].name == "numcodecs.imagecodecs_bitshuffle":
        told = {"blocksize": codecs[1].configuration["blocksize"]}
        if metadata.data_type.dtype.itemsize == 1:
            codecs[:2] = [NamedConfiguration("imagecodecs_bitshuffle", told)]
    if metadata.codecs and any(codec.name.startswith("hdf5.") for codec in codecs):
        raise UnsupportedError(
            "format",
            to.title,
            f"cannot describe its chunks, which use the codecs {', '.join(codec_names(metadata.codecs))}",
        )
    return CommonCodecs(tuple(codecs), last)


def _are_packed(metadata: ArrayMetadata) -> bool:
    """Whether structures of HDF5 are stored as NumPy has them: little-endian, and with texts that are filled with zeros."""
    dtype = metadata.data_type.dtype
    stored = metadata.codecs[0].configuration["stored"]
    if dtype.fields is None or not isinstance(stored, dict) or stored.get("nbytes") != dtype.itemsize:
        return False
    wanted = []
    for name, (field_dtype, start, *_) in dtype.fields.items():
        text = {"text": field_dtype.itemsize, "padding": 1}
        wanted.append([name, start, text if field_dtype.kind == "S" else field_dtype.newbyteorder("<").str])
    return bool(stored.get("fields") == wanted)


def _renamed(codec: NamedConfiguration) -> NamedConfiguration:
    """The codec, with the name that numcodecs or imagecodecs has for it."""
    told = dict(codec.configuration)
    match codec.name:
        case "hdf5.szip":
            mask = told.pop("mask")
            return NamedConfiguration("imagecodecs_szip", {"options_mask": mask, **told, "header": True})
        case "hdf5.lzf":
            return NamedConfiguration("imagecodecs_lzf", {"header": False})
        case "hdf5.lz4":
            return NamedConfiguration("imagecodecs_lz4h5")
        # zarr-python gives NumPy arrays of bytes to imagecodecs, which then ignores the size of elements.
        case "hdf5.bitshuffle" if told["compression"] == "none" and told["elementsize"] == 1:
            block = told["blocksize"]
            return NamedConfiguration("numcodecs.imagecodecs_bitshuffle", {"itemsize": 1, "blocksize": block})
    return codec
