"""WebP: the first chunk of a file. RFC 9649, section 2. Animations are not recognized: a segment of an array has one frame."""

from __future__ import annotations

from typing import Final

from zarrcore.codecs.image_headers.header import ImageHeader

_ANIMATION: Final = 0x02
_CHANNELS: Final = 4


def webp_header(data: bytes) -> ImageHeader | None:
    """The header of an image of one frame; None if there is none.

    >>> webp_header(b"RIFF    WEBPVP8X\\x0a\\0\\0\\0" + bytes(4) + b"\\4\\0\\0\\6\\0\\0")
    ImageHeader(width=5, height=7, channels=4, bits=8)
    """
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    chunk = data[12:16]
    if chunk == b"VP8X" and not data[20] & _ANIMATION:
        width, height = (1 + int.from_bytes(data[at : at + 3], "little") for at in (24, 27))
    elif chunk == b"VP8L" and data[20] == 0x2F:
        packed = int.from_bytes(data[21:25], "little")
        width, height = 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF)
    elif chunk == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = (int.from_bytes(data[at : at + 2], "little") & 0x3FFF for at in (26, 28))
    else:
        return None
    return ImageHeader(width, height, _CHANNELS, 8)
