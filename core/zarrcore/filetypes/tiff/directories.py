"""The common parts of all TIFF files: directories of entries, and the layout of elements in a page.

Specification: Adobe, "TIFF Revision 6.0", and Technical Note 1, "TIFF Trees"; AWare Systems, "The BigTIFF File Format".
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, Final

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.joined import JoinedFile
from zarrcore.filetypes.records import Linear, Records
from zarrcore.metadata.data_type import is_small_number

ASCII, SHORT, LONG, RATIONAL, DOUBLE, LONG8, IFD8 = 2, 3, 4, 5, 12, 16, 18
SAMPLE_FORMATS: Final = {"b": 1, "u": 1, "i": 2, "f": 3, "c": 6}
"""SampleFormat of NumPy's kinds."""
HEADER_NBYTES: Final = 16
_ENTRY: Final = struct.Struct("<HHQ8s")
_ALIGN: Final = 8
_INSIDE_NBYTES: Final = 8
_MAX_ITEMSIZE: Final = {"c": 16}
_LEAST_RATIO: Final = 1e-9
"""The smallest ratio that two integers of 32 bits express with enough precision."""

Entry = tuple[int, int, int, bytes | Linear]
"""A tag, a type, the number of values, and the values or their offset: 64 bits, which may differ between pages.

More than 64 bits of values must be moved out of the directory by `with_long_values`.
"""


def file_header(first_directory: int) -> bytes:
    """The beginning of a file."""
    return struct.pack("<2sHHHQ", b"II", 43, 8, 0, first_directory)


def shorts(tag: int, *values: int) -> Entry:
    """Short numbers."""
    return tag, SHORT, len(values), struct.pack(f"<{len(values)}H", *values)


def ascii_text(tag: int, text: str) -> Entry:
    """A text; characters beyond ASCII become question marks."""
    content = text.encode("ascii", "replace") + b"\0"
    return tag, ASCII, len(content), content


def doubles(tag: int, *values: float) -> Entry:
    """Floating-point numbers of 64 bits."""
    return tag, DOUBLE, len(values), struct.pack(f"<{len(values)}d", *values)


def check_type(dtype: np.dtype[Any]) -> None:
    """Check that TIFF has a type for elements.

    Raises:
        UnsupportedError: it has none.
    """
    if (
        dtype.kind not in SAMPLE_FORMATS
        or is_small_number(dtype)
        or dtype.itemsize > _MAX_ITEMSIZE.get(dtype.kind, 8)
    ):
        raise UnsupportedError("data type", dtype.name, "has no counterpart in TIFF")


def page_entries(
    height: int, width: int, samples: int, dtype: np.dtype[Any], resolution: tuple[float, float] | None = None
) -> list[Entry]:
    """The entries of an uncompressed page, except the offsets of its elements.

    Args:
        resolution: pixels per centimetre down and to the right; None if unknown.
    """
    return [*pixel_entries(height, width, dtype, samples), *resolution_entries(resolution)]


def resolution_entries(resolution: tuple[float, float] | None) -> list[Entry]:
    """The entries of a resolution, as `page_entries`."""
    ratios = [_ratio(number) for number in resolution or (1.0, 1.0)]
    is_known = resolution is not None and None not in ratios
    down, right = (ratio if is_known and ratio is not None else struct.pack("<II", 1, 1) for ratio in ratios)
    return [
        (282, RATIONAL, 1, right),
        (283, RATIONAL, 1, down),
        shorts(296, 3 if is_known else 1),  # per centimetre; a resolution without a unit is unknown
    ]


def pixel_entries(
    height: int, width: int, dtype: np.dtype[Any], colours: int = 1, bands: int = 1
) -> list[Entry]:
    """The entries that say how many pixels there are, and of which type.

    Args:
        colours: 3 or 4 for RGB or RGBA, whose samples are next to each other; otherwise 1.
        bands: the number of planes with one sample for each pixel, one plane after another; 1 for RGB and RGBA.
    """
    samples = colours * bands
    entries = [
        (256, LONG, 1, struct.pack("<I", width)),
        (257, LONG, 1, struct.pack("<I", height)),
        shorts(258, *[8 * dtype.itemsize] * samples),
        shorts(259, 1),  # not compressed
        shorts(262, 2 if colours > 1 else 1),  # RGB, or 0 is black
        shorts(277, samples),
        shorts(284, 2 if bands > 1 else 1),
        shorts(339, *[SAMPLE_FORMATS[dtype.kind]] * samples),
    ]
    if colours == 4:
        entries.append(shorts(338, 2))  # the fourth is opacity
    if bands > 1:
        entries.append(shorts(338, *[0] * (bands - 1)))  # the first is the grey of the picture
    return entries


def _ratio(number: float) -> bytes | None:
    """A positive number as two integers of 32 bits; None if it is too large or too small for them."""
    if not _LEAST_RATIO <= number <= 1 / _LEAST_RATIO:
        return None
    # The closest ratio whose larger part fits.
    part = Fraction(number) if number <= 1 else 1 / Fraction(number)
    least = part.limit_denominator((1 << 32) - 1)
    above, below = (
        (least.numerator, least.denominator) if number <= 1 else (least.denominator, least.numerator)
    )
    return struct.pack("<II", above, below)


def strip_entries(height: int, nbytes: int, offset: Linear) -> list[Entry]:
    """The entries of a page whose elements are one strip."""
    return [
        (273, LONG8, 1, offset),
        (278, LONG, 1, struct.pack("<I", height)),
        (279, LONG8, 1, struct.pack("<Q", nbytes)),
    ]


def description_entry(nbytes: int, at: int) -> Entry:
    """The entry of a page's description, which ends in a zero byte."""
    return 270, ASCII, nbytes, Linear(at)


def with_long_values(entries: Sequence[Entry], at: int) -> tuple[list[Entry], bytes]:
    """The same entries with references to values that do not fit into a directory, and these values.

    Args:
        entries: the entries of one directory.
        at: the offset of the values in the file, a multiple of 8.
    """
    inside: list[Entry] = []
    outside = bytearray()
    for tag, kind, length, value in entries:
        if isinstance(value, bytes) and len(value) > _INSIDE_NBYTES:
            inside.append((tag, kind, length, Linear(at + len(outside))))
            outside += value + bytes(-len(value) % _ALIGN)
        else:
            inside.append((tag, kind, length, value))
    return inside, bytes(outside)


def directory_nbytes(entries: int) -> int:
    """The size of a directory with this number of entries, in bytes."""
    nbytes = 16 + _ENTRY.size * entries
    return nbytes + -nbytes % _ALIGN


def directories(entries: Sequence[Entry], following: Linear, count: int = 1) -> Records:
    """The directories of the first ``count`` pages.

    Args:
        following: the offset of the next directory of each; 0 if there is none.
    """
    template, numbers, end = _template(entries)
    return Records(template, count, {**numbers, end: following})


def chained(entries: Sequence[Entry], at: int, count: int) -> JoinedFile:
    """The directories of the ``count`` pages after the first one, at offset ``at``; each refers to the next."""
    template, numbers, end = _template(entries)
    second = {place: Linear(one.start + one.step, one.step) for place, one in numbers.items()}
    last = {place: Linear(one.start + one.step * count) for place, one in numbers.items()}
    following = Linear(at + len(template), len(template))
    return JoinedFile(
        (Records(template, count - 1, {**second, end: following}), Records(template, 1, last))
        if count
        else ()
    )


def _template(entries: Sequence[Entry]) -> tuple[bytes, dict[int, Linear], int]:
    """A directory, the numbers in it, and the place of its reference to the next one."""
    parts, numbers, at = [struct.pack("<Q", len(entries))], {}, 8
    for tag, kind, length, value in sorted(entries, key=itemgetter(0)):
        if isinstance(value, Linear):
            numbers[at + 12] = value
            value = b""
        parts.append(_ENTRY.pack(tag, kind, length, value))
        at += _ENTRY.size
    return b"".join(parts).ljust(directory_nbytes(len(entries)), b"\0"), numbers, at
