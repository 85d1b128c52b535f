"""Faxes in segments of TIFF files: ITU-T T.4 and T.6, TIFF compressions 2 to 4, decoded by the libtiff of imagecodecs.

Its other decoder, which tifffile calls, forgets runs without pixels at the start of a row. The next row may refer to them, as in
libtiff. Neither decoder reports that rows are missing; libtiff fills them with white.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np

from zarrcore.typing import AnyArray

FAXES: Final = (2, 3, 4)
_T4, _T6 = 3, 4
_OPTIONS: Final = {_T4: 292, _T6: 293}
_TWO_DIMENSIONS: Final = 1
"""The bit of T4Options for rows that refer to the row before."""


def decoded_fax(
    module: Any, value: bytes, compression: int, options: int, shape: tuple[int, int]
) -> AnyArray:
    """The bits of a segment, of rows and columns.

    Args:
        module: imagecodecs.
        value: the segment, with the most significant bit first.
        compression: which of `FAXES`.
        options: T4Options or T6Options.
        shape: rows and columns.

    Raises:
        ValueError: rows are missing, or libtiff refuses the segment.
    """
    bits: AnyArray = module.tiff_decode(_file(value, compression, options, shape))
    # Rows that are in the segment are the same whatever follows it.
    for more in _continuations(compression, options):
        if not np.array_equal(bits, module.tiff_decode(_file(value + more, compression, options, shape))):
            raise ValueError(f"it ends before row {shape[0]}")
    return bits


def _continuations(compression: int, options: int) -> tuple[bytes, ...]:
    """Bytes that change rows that a segment lacks: wherever in a code it ends, one of them goes on with a run that fits."""
    codes = tuple(16 * bytes.fromhex(code) for code in ("ff", "26a0", "55", "7c00", "1e00"))
    if compression != _T4:
        return codes
    end_of_line = "000000000001" + ("1" if options & _TWO_DIMENSIONS else "")
    rows = 8 * (end_of_line + "00110101" + "010")  # no white pixel, one black pixel
    return tuple(code + int(rows, 2).to_bytes(len(rows) // 8, "big") for code in (b"", *codes))


def _file(value: bytes, compression: int, options: int, shape: tuple[int, int]) -> bytes:
    """A file of one strip."""
    rows, columns = shape
    tags = [
        *(
            (256, columns),
            (257, rows),
            (258, 1),
            (259, compression),
            (262, 0),
            (273, 8),
            (277, 1),
            (278, rows),
        ),
        (279, len(value)),
    ]
    if compression in _OPTIONS:
        tags.append((_OPTIONS[compression], options))
    start = 8 + len(value) + len(value) % 2
    directory = struct.pack("<H", len(tags)) + b"".join(
        struct.pack("<HHII", code, 4, 1, n) for code, n in tags
    )
    return struct.pack("<2sHI", b"II", 42, start) + value.ljust(start - 8, b"\0") + directory + bytes(4)
