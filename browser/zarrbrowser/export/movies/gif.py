"""GIF animations, one frame after the other, so that memory holds a single one.

GIF89a specification, 17 "Header", 18 "Logical Screen Descriptor", 20 "Image Descriptor", 23 "Graphic Control Extension". Pillow
chooses the 256 colours of a frame and packs its pixels.
"""

from __future__ import annotations

import io
import struct

import numpy as np
from numpy.typing import NDArray

END = b";"
_LOOP_FOR_EVER = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_HAS_TABLE, _TABLE_BITS = 0x80, 0x07
_LOGICAL_SCREEN = 6
_OF_COLOUR_MAP = 192
"""Colours of a palette that are those of the colour map; the others are for text, lines and marks."""
_IMAGE, _EXTENSION = 0x2C, 0x21


def header(size: tuple[int, int], *, loops: bool) -> bytes:
    """The beginning of an animation of a width and height."""
    screen = struct.pack("<HHBBB", size[0], size[1], 0x70, 0, 0)  # 8 bits for each colour, no common table
    return b"GIF89a" + screen + (_LOOP_FOR_EVER if loops else b"")


def common_palette(first: NDArray[np.uint8], colours: NDArray[np.uint8]) -> bytes:
    """A palette for all frames, so that equal numbers have equal colours: those of a colour map, and the rest of a frame's.

    Args:
        first: the first frame, shape (h, w, 3).
        colours: those of the colour map, shape (n, 3).
    """
    from PIL import Image  # an optional package

    places = np.linspace(0, len(colours) - 1, min(len(colours), _OF_COLOUR_MAP)).round().astype(int)
    chosen = bytes(np.ascontiguousarray(colours[places]))
    room = 256 - len(places)
    others = (
        Image.fromarray(np.ascontiguousarray(first)).quantize(room, dither=Image.Dither.NONE).getpalette()
    )
    return (chosen + bytes(others or []))[: 3 * 256]


def frame_blocks(pixels: NDArray[np.uint8], rate: float, palette: bytes = b"") -> bytes:
    """One frame.

    Args:
        pixels: shape (h, w, 3).
        rate: frames per second; the format knows hundredths of a second.
        palette: its colours; empty for those that suit it best.
    """
    table, descriptor, packed = _parts(_single(pixels, palette))
    delay = max(1, round(100 / rate))
    control = struct.pack("<BBBBHBB", _EXTENSION, 0xF9, 4, 0x04, delay, 0, 0)
    flags = _HAS_TABLE | (len(table) // 3).bit_length() - 2
    return control + descriptor[:-1] + bytes([flags]) + table + packed


def _single(pixels: NDArray[np.uint8], palette: bytes) -> bytes:
    """A GIF file of one frame."""
    from PIL import Image  # an optional package

    image = Image.fromarray(np.ascontiguousarray(pixels))
    stream = io.BytesIO()
    given = None
    if palette:
        given = Image.new("P", (1, 1))
        given.putpalette(palette)
    image.quantize(256, palette=given, dither=Image.Dither.NONE).save(stream, "GIF", interlace=0)
    return stream.getvalue()


def _parts(document: bytes) -> tuple[bytes, bytes, bytes]:
    """The table of colours, the image descriptor and the packed pixels of a file of one frame."""
    at = _LOGICAL_SCREEN + 7
    flags, table = document[_LOGICAL_SCREEN + 4], b""
    if flags & _HAS_TABLE:
        length = 3 * 2 ** ((flags & _TABLE_BITS) + 1)
        table, at = document[at : at + length], at + length
    while document[at] == _EXTENSION:
        at = _after_blocks(document, at + 2)
    descriptor = document[at : at + 10]
    at += 10
    if descriptor[9] & _HAS_TABLE:
        length = 3 * 2 ** ((descriptor[9] & _TABLE_BITS) + 1)
        table, at = document[at : at + length], at + length
    return table, descriptor, document[at : _after_blocks(document, at + 1)]


def _after_blocks(document: bytes, at: int) -> int:
    """The place after a chain of blocks, each with its length before it, and an empty one at the end."""
    while document[at]:
        at += document[at] + 1
    return at + 1
