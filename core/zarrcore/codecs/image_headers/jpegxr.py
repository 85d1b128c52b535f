"""JPEG XR: the header of a codestream, in a file of tags. ITU-T T.832, 8.3 and annex A.

jxrlib reserves memory for what the tags state, but writes what the codestreams state. An image has a header only if they agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from zarrcore.codecs.image_headers.header import ImageHeader

_SIGNATURES: Final = (b"II\xbc\0", b"II\xbc\1")
_START: Final = b"WMPHOTO\0"
_MAX_TAGS: Final = 1 << 10
_TAG_NBYTES: Final = {1: 1, 3: 2, 4: 4}
"""By the type of a tag's value: byte, short, long."""
_PIXEL_FORMAT: Final = 0xBC01
_WIDTH: Final = 0xBC80
_HEIGHT: Final = 0xBC81
_CODESTREAM: Final = 0xBCC0
_ALPHA_CODESTREAM: Final = 0xBCC2
_TILES: Final = 0x80
_SHORT_HEADER: Final = 0x80
_MARGINS: Final = 0x20
"""Flags of the header: the first one in its byte 9, the others in byte 10."""
_GRAY, _CMYK, _COMPONENTS, _RGB, _RGBE = 0, 4, 6, 7, 8
"""Output colour formats."""
_RESERVED: Final = (5, 7)
"""Internal colour formats that mean nothing, and crash jxrlib."""
_GUID: Final = bytes.fromhex("24c3dd6f034efe4bb1853d77768dc9")
"""All but the last byte of most pixel formats: annex A of T.832."""


class _Samples(NamedTuple):
    """The samples of a pixel format."""

    colours: int
    """The output colour format."""
    depths: tuple[int, ...]
    """Output bit depths, as they are numbered in the header."""
    channels: int
    """Without an alpha channel in a codestream of its own."""


class _Codestream(NamedTuple):
    """The headers of a codestream and of its image plane."""

    size: tuple[int, int]
    """Width and height."""
    colours: int
    """The output colour format."""
    depth: int
    """The output bit depth."""
    channels: int
    """Of components; 1 for all other output colour formats."""


def _formats() -> Mapping[bytes, _Samples]:
    one_bit, byte, word, fixed_16, half, fixed_32, single = (0, 15), (1,), (2,), (3,), (4,), (6,), (7,)
    told: dict[tuple[int, tuple[int, ...], int], str] = {
        (_GRAY, one_bit, 1): "05",
        (_GRAY, byte, 1): "08",
        (_GRAY, word, 1): "0b",
        (_GRAY, fixed_16, 1): "13",
        (_GRAY, half, 1): "3e",
        (_GRAY, fixed_32, 1): "3f",
        (_GRAY, single, 1): "11",
        (_RGB, byte, 3): "0c 0d 0e 0f 10",
        (_RGB, word, 3): "15 16 17",
        (_RGB, fixed_16, 3): "12 1d 40",
        (_RGB, half, 3): "3a 3b 42",
        (_RGB, fixed_32, 3): "18 1e 41",
        (_RGB, single, 3): "19 1a 1b",
        (_RGB, (8,), 3): "09",
        (_RGB, (10,), 3): "0a",
        (_RGB, (9,), 3): "14",
        (_RGBE, byte, 4): "3d",
        (_CMYK, byte, 4): "1c 2c",
        (_CMYK, word, 4): "1f 2d",
        **{(_COMPONENTS, byte, n): f"{0x1D + n:02x} {0x2B + n:02x}" for n in range(3, 8)},
        **{(_COMPONENTS, word, n): f"{0x23 + n:02x} {0x31 + n:02x}" for n in range(3, 8)},
        (_COMPONENTS, byte, 8): "25",
        (_COMPONENTS, word, 8): "2b",
    }
    found = {
        _GUID + bytes([last]): _Samples(*key) for key, ends in told.items() for last in bytes.fromhex(ends)
    }
    found[bytes.fromhex("8fd7fee3dbe8cf4a84c1e97f6136b327")] = _Samples(_RGB, single, 3)
    found[bytes.fromhex("2dadc7f58d6add43a7a8a29935261ae9")] = _Samples(_RGB, byte, 3)
    found[bytes.fromhex("50a6c43c27a5374da9163142c7ebedba")] = _Samples(_RGB, byte, 3)
    return found


_FORMATS: Final = _formats()
"""The samples of a pixel format, by its GUID."""


def jpegxr_header(data: bytes) -> ImageHeader | None:
    """The header of an image; None if there is none, or if its codestreams are not what its tags state."""
    tags = _tags(data) if data[:4] in _SIGNATURES else {}
    start = tags.get(_PIXEL_FORMAT, len(data))
    told = _FORMATS.get(data[start : start + 16])
    if told is None:
        return None
    size = tags.get(_WIDTH), tags.get(_HEIGHT)
    starts = [(tags.get(_CODESTREAM, len(data)), told)]
    if _ALPHA_CODESTREAM in tags:
        starts.append((tags[_ALPHA_CODESTREAM], _Samples(_GRAY, told.depths, 1)))
    for start, samples in starts:
        found = _codestream(data, start)
        if found is None or found.size != size or not _fits(found, samples):
            return None
        width, height = found.size
    return ImageHeader(width, height, told.channels + len(starts) - 1, 0)


def _tags(data: bytes) -> Mapping[int, int]:
    """The values of single numbers, and the places of longer values. Of a tag that occurs twice, the last one counts."""
    table = int.from_bytes(data[4:8], "little")
    count = min(int.from_bytes(data[table : table + 2], "little"), _MAX_TAGS)
    tags: dict[int, int] = {}
    for at in range(table + 2, table + 2 + 12 * count, 12):
        number, kind = (int.from_bytes(data[at + n : at + n + 2], "little") for n in (0, 2))
        nbytes = _TAG_NBYTES.get(kind, 4)
        tags[number] = int.from_bytes(data[at + 8 : at + 8 + nbytes], "little")
    return tags


def _codestream(data: bytes, start: int) -> _Codestream | None:
    """What the headers of a codestream and of its image plane state; None if they are broken."""
    if data[start : start + 8] != _START or len(data) < start + 24:
        return None
    flags, more_flags, formats = data[start + 9 : start + 12]
    nbytes = 2 if more_flags & _SHORT_HEADER else 4
    at = start + 12 + 2 * nbytes
    width, height = (_number(data, n, nbytes) + 1 for n in (start + 12, start + 12 + nbytes))
    if flags & _TILES:
        counts = _number(data, at, 3)  # two of 12 bits; then the sizes of all tiles but the last ones
        at += 3 + nbytes // 2 * ((counts >> 12) + (counts & 0xFFF))
    if more_flags & _MARGINS:
        at += 3
    plane = data[at : at + 2]
    if len(plane) < 2 or plane[0] >> 5 in _RESERVED:
        return None
    colours = formats >> 4
    return _Codestream(
        (width, height), colours, formats & 15, (plane[1] >> 4) + 1 if colours == _COMPONENTS else 1
    )


def _number(data: bytes, at: int, nbytes: int) -> int:
    return int.from_bytes(data[at : at + nbytes], "big")


def _fits(found: _Codestream, samples: _Samples) -> bool:
    """Whether a codestream has the samples of a pixel format."""
    same_count = found.colours != _COMPONENTS or found.channels == samples.channels
    return found.colours == samples.colours and found.depth in samples.depths and same_count
