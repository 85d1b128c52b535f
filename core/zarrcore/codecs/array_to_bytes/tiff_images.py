"""Segments that are images with a header of their own: it must state roughly the size of the segment, or they are not decoded.

Decoders of all other compressions stop at the size of the segment.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Final

from zarrcore.codecs.bytes_to_bytes.zstd import ZstdCodec
from zarrcore.codecs.image_headers.header import ImageHeader
from zarrcore.codecs.image_headers.jpeg import jpeg_header
from zarrcore.codecs.image_headers.jpeg2000 import jpeg2000_header
from zarrcore.codecs.image_headers.jpegxl import jpegxl_header
from zarrcore.codecs.image_headers.jpegxr import jpegxr_header
from zarrcore.codecs.image_headers.lerc import lerc_header
from zarrcore.codecs.image_headers.png import png_header
from zarrcore.codecs.image_headers.webp import webp_header

HEADERS: Final[Mapping[int, tuple[str, Callable[[bytes], ImageHeader | None]]]] = {
    **dict.fromkeys((6, 7, 33007, 34892), ("JPEG", jpeg_header)),
    **dict.fromkeys((33003, 33004, 33005, 34712), ("JPEG 2000", jpeg2000_header)),
    **dict.fromkeys((22610, 34934), ("JPEG XR", jpegxr_header)),
    **dict.fromkeys((50002, 52546), ("JPEG XL", jpegxl_header)),
    **dict.fromkeys((34927, 50001), ("WebP", webp_header)),
    34887: ("LERC", lerc_header),
    34933: ("PNG", png_header),
}
"""The names of compressions, and what reads their headers, by the number of the compression."""

_OLD_JPEG: Final = 6
_JPEG: Final = (_OLD_JPEG, 7)
_MOST_FILLED: Final = 2
_BLOCK: Final = 64
_LEAST_CHANNELS: Final = 4
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZLIB: Final = b"\x78"
_LERC_HEAD_NBYTES: Final = 1 << 16


def check_size(data: bytes, compression: int, size: tuple[int, int, int, int]) -> None:
    """Check that the image in a segment is about as large as the segment.

    Args:
        data: the segment as it is stored, after the header of a JPEG that the page has.
        compression: the number of the compression.
        size: depth, length, width and samples of the segment.

    Raises:
        ValueError: it is larger, or has no header that states its size.
    """
    if compression not in HEADERS:
        return
    name, header = HEADERS[compression]
    found = header(data)
    if found is None and compression == _OLD_JPEG:
        raise ValueError(
            "the segment is an old-style JPEG (compression 6) whose tables are elsewhere in the file, which is not read:"
            " convert the file by a program that uses libtiff, for example with gdal_translate IN.tif OUT.tif"
        )
    if found is None:
        raise ValueError(f"the segment is broken: its header is not that of one {name} image")
    depth, length, width, samples = size
    if (
        compression in _JPEG and found.channels != samples
    ):  # libtiff refuses it, too; the decoder would convert it
        raise ValueError(f"a JPEG of {found.channels} components cannot be a segment of {samples} samples")
    # Encoders may fill tiles up to whole blocks, and may add channels.
    most = _MOST_FILLED * depth * (length + _BLOCK) * (width + _BLOCK) * max(samples, _LEAST_CHANNELS)
    if found.sample_count > most:
        raise ValueError(
            f"an image of {found.width:,} × {found.height:,} pixels in {found.channels:,} channels cannot be a segment of {size}"
        )


def unpacked_lerc(data: bytes, nbytes: int) -> bytes:
    """A segment of LERC, without the compression that may be around it: deflate or zstd.

    Args:
        data: the segment as it is stored.
        nbytes: of the decoded segment.

    Raises:
        CodecError: its frame of zstd is broken or too long.
        ValueError: its stream of deflate is.
    """
    most = 2 * nbytes + _LERC_HEAD_NBYTES
    if data[:4] == _ZSTD:
        return bytes(ZstdCodec(0, checksum=False).decode(data, most))
    if data[:1] != _ZLIB:
        return data
    stream = zlib.decompressobj()
    try:
        unpacked = stream.decompress(data, most)
    except zlib.error as error:
        raise ValueError(f"the segment is broken: {error}") from error
    if stream.unconsumed_tail:
        raise ValueError(f"the segment unpacks to more than {most:,} bytes")
    if not stream.eof:
        raise ValueError("the segment is broken: its stream of deflate is truncated")
    return unpacked
