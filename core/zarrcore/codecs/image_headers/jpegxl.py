"""JPEG XL: the size and the metadata of a codestream, which may be in a file of boxes. ISO/IEC 18181-1 and 18181-2.

Animations are not recognized, nor are images with a preview: headers do not state the number of frames.
"""

from __future__ import annotations

from typing import Final

from zarrcore.codecs.image_headers.boxes import boxes
from zarrcore.codecs.image_headers.header import ImageHeader

_START: Final = b"\xff\x0a"
_SIGNATURE: Final = b"\0\0\0\x0cJXL \r\n\x87\n"
_HEADER_NBYTES: Final = 64
"""More than what is read here can have."""
_RATIOS: Final = ((1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
_LENGTHS: Final = ((1, 9), (1, 13), (1, 18), (1, 30))
_BITS: Final = ((8, 0), (10, 0), (12, 0), (1, 6))
_FLOAT_BITS: Final = ((32, 0), (16, 0), (24, 0), (1, 6))
_EXTRA_CHANNELS: Final = ((0, 0), (1, 0), (2, 4), (1, 12))
_COLOURS: Final = 3


class _Bits:
    """Numbers of a few bits each, the lowest bit first."""

    def __init__(self, data: bytes) -> None:
        self._rest = int.from_bytes(data, "little")

    def take(self, count: int) -> int:
        value = self._rest & ((1 << count) - 1)
        self._rest >>= count
        return value

    def choose(self, choices: tuple[tuple[int, int], ...]) -> int:
        """One of four numbers, plus a number of some bits."""
        least, count = choices[self.take(2)]
        return least + self.take(count)


def jpegxl_header(data: bytes) -> ImageHeader | None:
    """The header of an image of one frame; None if there is none.

    >>> jpegxl_header(bytes.fromhex("ff0a 4302"))
    ImageHeader(width=16, height=16, channels=3, bits=8)
    """
    stream = data
    if data[:12] == _SIGNATURE:
        stream = _codestream(data)
    if stream[:2] != _START or len(stream) < 4:
        return None
    bits = _Bits(stream[2:_HEADER_NBYTES])
    width, height = _size(bits)
    if bits.take(1):  # all metadata have their defaults
        return ImageHeader(width, height, _COLOURS, 8)
    if bits.take(1):
        bits.take(3)  # the orientation
        if bits.take(1):
            _size(bits)  # at which it should be displayed
        if bits.take(2):  # a preview, an animation
            return None
    if bits.take(1):
        depth = bits.choose(_FLOAT_BITS)
        bits.take(4)  # of the exponent
    else:
        depth = bits.choose(_BITS)
    bits.take(1)  # whether 16 bits suffice to decode
    return ImageHeader(width, height, _COLOURS + bits.choose(_EXTRA_CHANNELS), depth)


def _codestream(data: bytes) -> bytes:
    """The first bytes of the codestream in the boxes of a file, where it may be in parts."""
    found = b""
    for kind, content in boxes(data):
        if kind == b"jxlc":
            return bytes(content[:_HEADER_NBYTES])
        if kind == b"jxlp":
            found += bytes(content[4 : 4 + _HEADER_NBYTES])  # after the number of the part
        if len(found) >= _HEADER_NBYTES:
            break
    return found


def _size(bits: _Bits) -> tuple[int, int]:
    """Width and height."""
    is_small = bits.take(1)
    height = 8 * (bits.take(5) + 1) if is_small else bits.choose(_LENGTHS)
    ratio = bits.take(3)
    if ratio:
        numerator, denominator = _RATIOS[ratio - 1]
        return height * numerator // denominator, height
    return (8 * (bits.take(5) + 1) if is_small else bits.choose(_LENGTHS)), height
