"""JPEG 2000: the marker segment SIZ of a codestream, which may be in a file of boxes. ITU-T T.800, annexes A and I."""

from __future__ import annotations

from typing import Final

from zarrcore.codecs.image_headers.boxes import boxes
from zarrcore.codecs.image_headers.header import ImageHeader

_START: Final = b"\xff\x4f\xff\x51"
_SIGNATURE: Final = b"\0\0\0\x0cjP  \r\n\x87\n"
_FIXED_NBYTES: Final = 43


def jpeg2000_header(data: bytes) -> ImageHeader | None:
    """The header of an image; None if there is none."""
    stream = data[:_FIXED_NBYTES]
    if data[:12] == _SIGNATURE:
        found = next((content for kind, content in boxes(data) if kind == b"jp2c"), b"")
        stream = bytes(found[:_FIXED_NBYTES])
    if stream[:4] != _START or len(stream) < _FIXED_NBYTES:
        return None
    width, height = (int.from_bytes(stream[at : at + 4], "big") for at in (8, 12))
    return ImageHeader(width, height, int.from_bytes(stream[40:42], "big"), (stream[42] & 0x7F) + 1)
