"""LERC, version 2 of its blobs: one for each band, one after another. Esri, "LERC Specification"."""

from __future__ import annotations

from typing import Final

from zarrcore.codecs.image_headers.header import ImageHeader

_START: Final = b"Lerc2 "
_CHECKED: Final = 3
"""Blobs have a checksum since this version."""
_DEEP: Final = 4
"""Elements of a blob can have several values since this version."""


def lerc_header(data: bytes) -> ImageHeader | None:
    """The header of all bands together; None if there is none."""
    at = width = height = channels = 0
    while data[at : at + 6] == _START:
        version = _number(data, at + 6)
        start = at + (10 if version < _CHECKED else 14)
        depth = _number(data, start + 8) if version >= _DEEP else 1
        height, width = max(height, _number(data, start)), max(width, _number(data, start + 4))
        channels += depth
        nbytes = _number(data, start + (20 if version >= _DEEP else 16))
        if nbytes < start - at:
            return None
        at += nbytes
    return ImageHeader(width, height, channels, 0) if channels else None


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")
