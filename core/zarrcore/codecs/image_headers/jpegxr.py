"""JPEG XR: the header of a codestream, in a file of tags. ITU-T T.832, 8.3 and annex A."""

from __future__ import annotations

from typing import Final

from zarrcore.codecs.image_headers.header import ImageHeader

_SIGNATURES: Final = (b"II\xbc\0", b"II\xbc\1")
_START: Final = b"WMPHOTO\0"
_OFFSET: Final = 0xBCC0
_MAX_TAGS: Final = 1 << 10
_SHORT_HEADER: Final = 0x80
_CHANNELS: Final = 8
"""The most that decoders accept."""


def jpegxr_header(data: bytes) -> ImageHeader | None:
    """The header of an image; None if there is none."""
    stream = data[_start(data) :][:20] if data[:4] in _SIGNATURES else b""
    if stream[:8] != _START or len(stream) < 20:
        return None
    nbytes = 2 if stream[10] & _SHORT_HEADER else 4
    width, height = (int.from_bytes(stream[at : at + nbytes], "big") + 1 for at in (12, 12 + nbytes))
    return ImageHeader(width, height, _CHANNELS, 0)


def _start(data: bytes) -> int:
    """Where the codestream is."""
    table = int.from_bytes(data[4:8], "little")
    count = min(int.from_bytes(data[table : table + 2], "little"), _MAX_TAGS)
    for at in range(table + 2, table + 2 + 12 * count, 12):
        if int.from_bytes(data[at : at + 2], "little") == _OFFSET:
            return int.from_bytes(data[at + 8 : at + 12], "little")
    return len(data)
