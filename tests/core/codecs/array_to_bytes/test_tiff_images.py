"""Images in segments: the size in their headers, and compression around LERC."""

from __future__ import annotations

import zlib
from typing import Any

import imagecodecs
import numpy as np
import pytest
import tifffile

from zarrcore.codecs.array_to_bytes.tiff_images import HEADERS, unpacked_lerc
from zarrcore.codecs.array_to_bytes.tiff_segment import TiffSegmentCodec
from zarrcore.codecs.interface import ArraySpec
from zarrcore.errors import CodecError
from zarrcore.typing import AnyArray

ENCODERS: dict[str, tuple[int, ...]] = {
    "jpeg8": (6, 7, 33007, 34892),
    "ljpeg": (7,),
    "jpeg2k": (33003, 33004, 33005, 34712),
    "jpegxr": (22610, 34934),
    "jpegxl": (50002, 52546),
    "webp": (34927, 50001),
    "lerc": (34887,),
    "png": (34933,),
}
SPEC = ArraySpec((16, 16), np.dtype("u1"), np.uint8(0))


def codec(compression: int) -> TiffSegmentCodec:
    """For a tile of 16 × 16 elements."""
    tags = {"256": [16], "258": [8], "259": [compression], "277": [1], "284": [1], "322": [16], "323": [16]}
    return TiffSegmentCodec.from_configuration({"byteorder": "little", "tags": tags})


def encoded(name: str, image: AnyArray) -> bytes:
    """An image, in colours if the format has no others."""
    return bytes(getattr(imagecodecs, f"{name}_encode")(np.dstack([image] * 3) if name == "webp" else image))


@pytest.mark.parametrize(("name", "compression"), [(n, c) for n, codes in ENCODERS.items() for c in codes])
def test_an_image_that_is_too_large_is_refused_before_it_is_decoded(name: str, compression: int) -> None:
    with pytest.raises(CodecError, match=r"an image of 900 × 800 pixels in \d channels cannot be a segment"):
        codec(compression).decode(encoded(name, np.zeros((800, 900), "u1")), SPEC)
    with pytest.raises(
        CodecError,
        match="an old-style JPEG.*gdal_translate" if compression == 6 else "its header is not that of one",
    ):
        codec(compression).decode(b"nothing that has a header" * 9, SPEC)


def test_each_compression_of_tifffile_is_an_image_with_a_header_or_ends_at_the_size_of_the_segment() -> None:
    images = {int(code) for code in tifffile.TIFF.IMAGE_COMPRESSIONS}
    electron_events = {65000, 65001, 65002}  # not listed by releases of tifffile before 2025
    assert images - set(HEADERS) - electron_events == {48124}  # Jetraw, which imagecodecs has not


def test_bands_of_an_image_count() -> None:
    bands = bytes(imagecodecs.lerc_encode(np.zeros((90, 64, 64), "u1"), planar=True))
    with pytest.raises(CodecError, match="in 90 channels cannot be a segment"):
        codec(34887).decode(bands, SPEC)


@pytest.mark.parametrize("name", ["lzw", "deflate", "packbits", "lzma", "zstd"])
def test_other_decoders_stop_at_the_size_of_the_segment(name: str) -> None:
    code = {"lzw": 5, "deflate": 8, "packbits": 32773, "lzma": 34925, "zstd": 50000}[name]
    value = bytes(getattr(imagecodecs, f"{name}_encode")(bytes(1 << 16)))
    np.testing.assert_array_equal(codec(code).decode(value, SPEC), 0)


@pytest.mark.parametrize("pack", [zlib.compress, imagecodecs.zstd_encode, bytes])
def test_lerc_is_unpacked_and_not_beyond_the_size_of_the_segment(pack: Any) -> None:
    data = bytes(imagecodecs.lerc_encode(np.arange(256, dtype="u1").reshape(16, 16)))
    assert unpacked_lerc(bytes(pack(data)), 256) == data
    assert codec(34887).decode(bytes(pack(data)), SPEC)[15, 15] == 255
    if pack is not bytes:
        with pytest.raises(CodecError, match=r"more than|at most"):
            codec(34887).decode(bytes(pack(data + bytes(1 << 20))), SPEC)
        with pytest.raises(CodecError):
            codec(34887).decode(bytes(pack(data))[:6] + b"\xff\xff\xff", SPEC)
        with pytest.raises(CodecError):  # all data are there, but not the end of their checksum
            codec(34887).decode(bytes(pack(data))[:-1], SPEC)
