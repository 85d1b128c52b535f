"""PNG: the chunk IHDR. RFC 2083."""

from __future__ import annotations

from typing import Final

from zarrcore.codecs.image_headers.header import ImageHeader

_START: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {0: 1, 2: 3, 3: 4, 4: 2, 6: 4}


def png_header(data: bytes) -> ImageHeader | None:
    """The header of an image; None if there is none.

    >>> png_header(b"\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR\\0\\0\\0\\x05\\0\\0\\0\\x07\\x08\\x02")
    ImageHeader(width=5, height=7, channels=3, bits=8)
    """
    if data[:8] != _START or data[12:16] != b"IHDR" or len(data) < 26 or data[25] not in _CHANNELS:
        return None
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    return ImageHeader(width, height, _CHANNELS[data[25]], data[24])
