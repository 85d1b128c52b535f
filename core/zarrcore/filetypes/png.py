"""``png``: one plane as a picture, uncompressed, so that its size is known before any chunk is read.

Specification: W3C, "Portable Network Graphics", third edition; RFC 1950 and 1951 for the stored blocks. 8-bit unsigned integers
are shown as they are; other types are scaled from the 1st to the 99th percentile of the plane, with NaN as black.
"""

from __future__ import annotations

import math
import struct
import threading
import zlib
from typing import Any

import numpy as np

from zarrcore.array import Array, Selection, plane_ndim
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import ArrayFile
from zarrcore.filetypes.plan import BytesPlan
from zarrcore.typing import AnyArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}
_MAX_BLOCK = 65_535
# A picture is made in memory, so its plane is bounded, and only one is made at a time.
_MAX_PLANE_NBYTES = 256 << 20
_rendering = threading.Lock()
# Percentiles are estimated from this many elements, spread over the plane.
_SAMPLE_SIZE = 1 << 20
_BAND_SIZE = 1 << 20


class PngFile(ArrayFile):
    """A plane of two dimensions, or of three if the last one holds RGB or RGBA."""

    suffix = "png"

    def __init__(self, array: Array, selection: Selection = ...) -> None:
        super().__init__(array, selection)
        self._selection = selection
        shape, dtype = self.body.shape, array.dtype
        if dtype.kind not in "biufcmM":
            raise UnsupportedError("data type", str(dtype), "cannot be shown as a picture")
        ndim = plane_ndim(shape, dtype)
        if len(shape) != ndim or ndim < 2 or 0 in shape or max(shape) >= 2**31:
            raise UnsupportedError("shape", str(shape), "is not a picture: select a plane of two dimensions")
        if self.body.nbytes > _MAX_PLANE_NBYTES:
            raise UnsupportedError("shape", str(shape), "is too large for one picture: select a part")
        self._height, self._width = shape[:2]
        self._samples = shape[2] if ndim == 3 else 1
        self._pixels_nbytes = self._height * (1 + self._width * self._samples)
        blocks = -(-self._pixels_nbytes // _MAX_BLOCK)
        self._idat_nbytes = 2 + 5 * blocks + self._pixels_nbytes + 4
        self.size = len(_SIGNATURE) + (12 + 13) + (12 + self._idat_nbytes) + 12
        self._lock = threading.Lock()
        self._rendered: bytes | None = None

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        return _PictureBytes(self, offset, self._clipped(offset, nbytes))

    @property
    def is_rendered(self) -> bool:
        """Whether the picture is already made."""
        return self._rendered is not None

    def rendered(self) -> bytes:
        """The whole file, made when it is first requested.

        Raises:
            As `Array.read`.
        """
        with self._lock:
            if self._rendered is None:
                self._rendered = self._render()
        return self._rendered

    def compressed(self) -> bytes:
        """The same picture as a smaller file, whose size is not known before it is made.

        Raises:
            As `Array.read`.
        """
        return self._png(zlib.compress(self._rows(), 6))

    def _render(self) -> bytes:
        return self._png(_stored(self._rows()))

    def _rows(self) -> memoryview:
        """The pixels row by row."""
        with _rendering:
            plane = self.body.read_box(tuple((0, length) for length in self.body.shape))
            return _with_filters(stretch_to_bytes(plane))

    def _png(self, idat: bytes) -> bytes:
        return _png(self._width, self._height, self._samples, idat)

    def _with_array(self, array: Array) -> ArrayFile:
        return PngFile(array, self._selection)


class _PictureBytes(BytesPlan):
    """Bytes ``[start, stop)`` of a picture, which is made as a whole."""

    __slots__ = ("_file", "_start")

    def __init__(self, file: PngFile, start: int, stop: int) -> None:
        self.nbytes = stop - start
        self._file = file
        self._start = start

    def is_ready(self) -> bool:
        return self._file.is_rendered

    def read_into(self, buffer: memoryview) -> None:
        buffer[:] = self._file.rendered()[self._start : self._start + self.nbytes]


def png_of(pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> bytes:
    """A compressed picture of grey levels, of shape (height, width), or of colours, of shape (height, width, 3 or 4)."""
    height, width = pixels.shape[:2]
    samples = pixels.shape[2] if pixels.ndim == 3 else 1
    return _png(width, height, samples, zlib.compress(_with_filters(pixels), 6))


def _with_filters(pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> memoryview:
    """The rows of a picture, each of which begins with its filter: none."""
    height = pixels.shape[0]
    rows = np.zeros((height, 1 + math.prod(pixels.shape[1:])), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    return rows.reshape(-1).data


def _png(width: int, height: int, samples: int, idat: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[samples], 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", idat) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def _stored(data: memoryview) -> bytes:
    """``data`` as a zlib stream of stored blocks, whose size only depends on the length of ``data``."""
    parts: list[bytes | memoryview] = [b"\x78\x01"]
    for start in range(0, len(data), _MAX_BLOCK):
        block = data[start : start + _MAX_BLOCK]
        last = start + _MAX_BLOCK >= len(data)
        parts += [struct.pack("<BHH", last, len(block), len(block) ^ 0xFFFF), block]
    parts.append(struct.pack(">I", zlib.adler32(data)))
    return b"".join(parts)


def stretch_to_bytes(plane: AnyArray) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Values as grey levels from 0 to 255: 8-bit unsigned integers unchanged, others scaled from the 1st to the 99th percentile.

    >>> stretch_to_bytes(np.array([[False, True]]))
    array([[  0, 255]], dtype=uint8)
    """
    if plane.dtype == np.uint8:
        return plane.view(np.uint8)
    if plane.dtype == bool:
        return plane.astype(np.uint8) * np.uint8(255)
    flat = plane.reshape(-1)
    sample = _as_numbers(flat[:: -(-flat.size // _SAMPLE_SIZE) or 1])
    finite = sample[np.isfinite(sample)]
    grey = np.zeros(flat.size, np.uint8)
    if finite.size:
        low, high = (float(bound) for bound in np.percentile(finite, (1, 99)))
        if low == high:
            low, high = float(finite.min()), float(finite.max())
        for start in range(0, flat.size, _BAND_SIZE):
            band = slice(start, start + _BAND_SIZE)
            with np.errstate(invalid="ignore", over="ignore"):
                levels = np.clip((_as_numbers(flat[band]) - low) * (255 / ((high - low) or 1.0)), 0, 255)
            grey[band] = np.nan_to_num(levels, nan=0, posinf=255, neginf=0).round()
    return grey.reshape(plane.shape)


def _as_numbers(values: AnyArray) -> AnyArray:
    """Values that can be compared and scaled: times as counts, complex numbers by their magnitude."""
    if values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.view("<i8").astype(np.float64))
    if values.dtype.kind == "c":
        values = np.abs(values)
    return values.astype(np.float64 if values.dtype.itemsize > 2 else np.float32)
