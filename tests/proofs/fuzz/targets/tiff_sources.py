"""Broken TIFF files as sources: an error of zarrscope with one line, or nodes and values."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import tifffile

from tests.proofs.fuzz.sources import check_source
from zarrcore.stores import MemoryStore
from zarrcore.stores.tiff.store import TiffStore
from zarrcore.typing import AnyArray

WORDS = (
    "II*\0",
    "MM\0*",
    "II+\0",
    "ImageJ=1.11a\n",
    "images=2\n",
    "<OME",
    "TiffData",
    "SizeX",
    "FileName",
    "b.tif",
    "GDALMetadata",
    "-99\0",
)
_IMAGE = np.arange(40 * 48, dtype="u1").reshape(40, 48)


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    store = TiffStore(MemoryStore("", {"a.tif": data, "b.tif": _other()}), "a.tif", "a.tif")
    check_source(store)


def _written(data: AnyArray = _IMAGE, **options: Any) -> bytes:
    file = io.BytesIO()
    tifffile.imwrite(file, data, **options)
    return file.getvalue()


@cache
def _other() -> bytes:
    """Another file of a set."""
    return _written(_IMAGE, metadata=None)


def _set(own: str) -> str:
    """OME-XML of a set of two files."""
    return (
        f'<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:{own}"><Image><Pixels DimensionOrder='
        '"XYZCT" Type="uint8" SizeX="48" SizeY="40" SizeZ="1" SizeC="1" SizeT="2"><TiffData IFD="0"/><TiffData FirstT="1">'
        '<UUID FileName="b.tif">urn:uuid:b</UUID></TiffData></Pixels></Image></OME>'
    )


def examples() -> Iterable[bytes]:
    """Files of several layouts and programs."""
    colours = np.stack([_IMAGE] * 3, -1)
    yield _written(metadata=None, rowsperstrip=9)
    yield _written(tile=(16, 16), compression="lzw", predictor=2, byteorder=">")
    yield _written(bigtiff=True, compression="zlib", rowsperstrip=16)
    yield _written(colours, photometric="rgb", compression="jpeg", tile=(32, 32))
    yield _written(_IMAGE.reshape(2, 20, 48), imagej=True, metadata={"axes": "ZYX", "unit": "um"})
    yield _written(
        _IMAGE.reshape(2, 20, 48), ome=True, metadata={"axes": "CYX", "Channel": {"Name": ["a", "b"]}}
    )
    yield _written(_IMAGE > 9, compression="packbits", extratags=[(33550, 12, 3, (1.0, 1.0, 0.0), True)])
    for compression in ("jpegxl", "webp", "jpegxr", "png", "jpeg2000", "lerc"):
        yield _written(colours, photometric="rgb", compression=compression, tile=(32, 32))
    packed = {"compression": "zstd", "compressionargs": {}}
    yield _written(_IMAGE, compression="lerc", compressionargs=packed, tile=(32, 32))
    yield _written(_IMAGE, description=_set("a"), metadata=None)
    elsewhere = '<OME UUID="urn:uuid:b"><BinaryOnly MetadataFile="b.tif"/></OME>'
    yield _written(_IMAGE, description=elsewhere, metadata=None)
