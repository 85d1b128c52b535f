"""The size that a compressed image tells in its header: an image that is too large is refused before it is decoded.

JPEG (ITU-T T.81), PNG (RFC 2083), JPEG 2000 (ITU-T T.800), LERC2.
"""

from __future__ import annotations

from typing import Final

_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of JPEG that tell the size of the image."""
_CODESTREAM: Final = b"\xff\x4f\xff\x51"


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height; None for other formats.

    >>> image_size(b"\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR\\0\\0\\0\\x05\\0\\0\\0\\x07")
    (5, 7)
    """
    if data[:2] == b"\xff\xd8":
        return _jpeg_size(data)
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return _number(data, 16), _number(data, 20)
    if data[:6] == b"Lerc2 ":
        after = 10 if int.from_bytes(data[6:10], "little") < 3 else 14  # a checksum since version 3
        return _number(data, after + 4, "little"), _number(data, after, "little")
    start = data.find(_CODESTREAM, 0, 4096)
    if start >= 0 and (start == 0 or data[4:8] == b"jP  "):
        return _number(data, start + 8), _number(data, start + 12)
    return None


def _number(data: bytes, at: int, order: str = "big") -> int:
    return int.from_bytes(data[at : at + 4], "little" if order == "little" else "big")


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAMES:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        # Bytes 0xFF can fill the space before a marker.
        at += 1 if marker == 0xFF else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
