"""JPEG, lossless JPEG and JPEG-LS: ITU-T T.81, annex B, and T.87."""

from __future__ import annotations

from typing import Final

from zarrcore.codecs.image_headers.header import ImageHeader

_FRAMES: Final = (frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}) | {0xF7}
"""Markers of the header of a frame; the last one is that of JPEG-LS."""
_ALONE: Final = frozenset(range(0xD0, 0xD9)) | {0x01}
"""Markers without a segment."""
_ENDS: Final = frozenset({0xD9, 0xDA})


def jpeg_header(data: bytes) -> ImageHeader | None:
    """The header of an image; None if there is none.

    >>> jpeg_header(bytes.fromhex("ffd8 ffd0 ffc0 000b 08 0007 0005 01 011100"))
    ImageHeader(width=5, height=7, channels=1, bits=8)
    """
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while True:
        # Decoders skip what is between segments: other bytes, and bytes 0xFF that fill space.
        at = data.find(b"\xff", at)
        if at < 0 or at + 10 > len(data):
            return None
        marker = data[at + 1]
        if marker in _ENDS:
            return None
        if marker in _FRAMES:
            height, width = (int.from_bytes(data[start : start + 2], "big") for start in (at + 5, at + 7))
            return ImageHeader(width, height, data[at + 9], data[at + 4])
        if marker == 0xFF:
            at += 1
        elif marker == 0 or marker in _ALONE:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
