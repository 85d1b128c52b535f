"""``tiff``: a BigTIFF of uncompressed pages, one per plane, in which every offset is arithmetic.

Specification: Adobe, "TIFF Revision 6.0"; AWare Systems, "The BigTIFF File Format"; the description of the whole array in the
first page is the one that tifffile writes, its "shaped" metadata. The first page's directory stands before the elements
and all others, alike but for two numbers, after them: so the elements are one run, which readers map as one array.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Final

import numpy as np

from zarrcore.array import plane_ndim
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import HeaderAndBody
from zarrcore.metadata.data_type import is_small_number

_ASCII, _SHORT, _LONG, _RATIONAL, _LONG8 = 2, 3, 4, 5, 16
_FORMATS: Final = {"b": 1, "u": 1, "i": 2, "f": 3, "c": 6}
"""SampleFormat of NumPy's kinds."""
_MAX_ITEMSIZE: Final = {"c": 16}
_HEADER_NBYTES, _ENTRY_NBYTES, _ALIGN = 16, 20, 64
_DESCRIPTION, _STRIP_OFFSETS = 270, 273
_AXES: Final = {name: name.upper() for name in "xyztc"} | {"time": "T", "channel": "C"}
"""Letters for dimensions' names, as readers of microscopes' images know them."""


class TiffFile(HeaderAndBody):
    """Planes of the last two dimensions, or three where the last holds RGB or RGBA, as pages."""

    suffix = "tiff"

    def _make_header(self) -> bytes:
        shape, dtype = self.body.shape, self.array.dtype
        if (
            dtype.kind not in _FORMATS
            or is_small_number(dtype)
            or dtype.itemsize > _MAX_ITEMSIZE.get(dtype.kind, 8)
        ):
            raise UnsupportedError("data type", dtype.name, "has no counterpart in TIFF")
        ndim = plane_ndim(shape, dtype)
        plane = shape[len(shape) - ndim :]
        if 0 in shape or max(plane, default=1) >= 1 << 32:
            raise UnsupportedError("shape", str(shape), "has no planes that are pages")
        self._plane_nbytes = math.prod(plane) * dtype.itemsize
        self._pages = self.body.nbytes // self._plane_nbytes
        height, width, samples = plane if ndim == 3 else (*(1, 1, *plane)[-2:], 1)
        entries = self._entries(height, width, samples)
        self._later = np.frombuffer(_directory(entries), np.uint8)
        self._offset_at = 8 + _ENTRY_NBYTES * sorted(entries).index(_STRIP_OFFSETS) + 12
        description = self._description()
        text_at = _HEADER_NBYTES + len(self._later) + _ENTRY_NBYTES
        self._begin = -(-(text_at + len(description)) // _ALIGN) * _ALIGN
        self._end = self._begin + self.body.nbytes
        entries[_DESCRIPTION] = _entry(_DESCRIPTION, _ASCII, len(description), struct.pack("<Q", text_at))
        entries[_STRIP_OFFSETS] = _entry(_STRIP_OFFSETS, _LONG8, 1, struct.pack("<Q", self._begin))
        header = struct.pack("<2sHHHQ", b"II", 43, 8, 0, _HEADER_NBYTES)
        header += _directory(entries, self._end if self._pages > 1 else 0) + description
        return header.ljust(self._begin, b"\0")

    def _entries(self, height: int, width: int, samples: int) -> dict[int, bytes]:
        """The entries of a page's directory by their tags, its place in the file left open."""
        dtype = self.array.dtype
        short, one, each = "<H", struct.pack("<II", 1, 1), f"<{samples}H"
        bits, kind = 8 * dtype.itemsize, _FORMATS[dtype.kind]
        fields = [
            (256, _LONG, 1, struct.pack("<I", width)),
            (257, _LONG, 1, struct.pack("<I", height)),
            (258, _SHORT, samples, struct.pack(each, *[bits] * samples)),
            (259, _SHORT, 1, struct.pack(short, 1)),  # not compressed
            (262, _SHORT, 1, struct.pack(short, 2 if samples > 1 else 1)),  # RGB, or 0 is black
            (_STRIP_OFFSETS, _LONG8, 1, b""),
            (277, _SHORT, 1, struct.pack(short, samples)),
            (278, _LONG, 1, struct.pack("<I", height)),  # one strip
            (279, _LONG8, 1, struct.pack("<Q", self._plane_nbytes)),
            (282, _RATIONAL, 1, one),
            (283, _RATIONAL, 1, one),
            (284, _SHORT, 1, struct.pack(short, 1)),  # samples beside each other
            (296, _SHORT, 1, struct.pack(short, 1)),  # a resolution without a unit: unknown
            (339, _SHORT, samples, struct.pack(each, *[kind] * samples)),
        ]
        if samples == 4:
            fields.append((338, _SHORT, 1, struct.pack(short, 2)))  # the fourth is opacity
        return {field[0]: _entry(*field) for field in fields}

    def _description(self) -> bytes:
        """What the pages are together: the array's shape and, where all are known, the letters of its axes."""
        metadata: dict[str, object] = {"shape": list(self.body.shape)}
        axes = [_AXES.get((name or "").lower()) for name in self.body.dimension_names]
        if plane_ndim(self.body.shape, self.array.dtype) == 3:
            axes[-1] = "S"
        letters = [letter for letter in axes if letter is not None]
        if letters and len(set(letters)) == len(axes):
            metadata["axes"] = "".join(letters)
        return json.dumps(metadata).encode("ascii") + b"\0"

    def _trailer_nbytes(self) -> int:
        return (self._pages - 1) * len(self._later)

    def _trailer(self, start: int, stop: int) -> memoryview:
        """Directories of pages from the second on; each names the place of its plane and that of the next directory."""
        nbytes = len(self._later)
        first, last = start // nbytes, -(-stop // nbytes)
        pages = np.arange(first + 1, last + 1, dtype=np.uint64)[:, np.newaxis]
        rows = np.tile(self._later, (len(pages), 1))
        at = slice(self._offset_at, self._offset_at + 8)
        rows[:, at] = (self._begin + pages * np.uint64(self._plane_nbytes)).astype("<u8").view(np.uint8)
        following = np.where(pages + 1 < self._pages, self._end + pages * np.uint64(nbytes), 0)
        rows[:, -8:] = following.astype("<u8").view(np.uint8)
        return rows.reshape(-1)[start - first * nbytes : stop - first * nbytes].data


def _entry(tag: int, kind: int, count: int, value: bytes) -> bytes:
    """A directory's entry whose value, of at most 8 bytes, it holds itself."""
    return struct.pack("<HHQ8s", tag, kind, count, value)


def _directory(entries: dict[int, bytes], following: int = 0) -> bytes:
    """An image file directory: entries by ascending tag, and where the next directory is."""
    inside = b"".join(entries[tag] for tag in sorted(entries))
    return struct.pack("<Q", len(entries)) + inside + struct.pack("<Q", following)
