"""``neuroglancer.jpeg`` and ``neuroglancer.png``: chunks as one image each, decoded by the package imagecodecs.

Specification: Neuroglancer, "Precomputed format", "Volume", "jpeg" and "png". An image has any width; its pixels, row by row, are
those of the chunk with x fastest, then y and z. The header is read here first: an image is not decoded if it has more pixels.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError, UnsupportedError

_NEEDS: Final = "needs an optional package: pip install 'zarrscope[precomputed]'"
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_CHANNELS: Final = {0: 1, 2: 3, 4: 2, 6: 4}
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of JPEG that tell the size of the image."""


class _Header(NamedTuple):
    """What the header of an image tells."""

    width: int
    height: int
    channels: int
    bits: int


class _ImageCodec(ArrayToBytesCodec):
    def __init__(self) -> None:
        try:
            self._module: Any = importlib.import_module("imagecodecs")
        except ImportError as error:
            raise UnsupportedError("codec", self.name, _NEEDS) from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if spec.dtype.kind != "u" or spec.dtype.itemsize > 2 or len(spec.shape) not in (3, 4):
            raise MetadataError(f"cannot hold chunks of shape {spec.shape} of {spec.dtype}", member=self.name)
        return 2 * spec.nbytes + (64 << 10)

    def decode(self, encoded: Buffer, spec: ArraySpec) -> np.ndarray[Any, Any]:
        channels = spec.shape[0] if len(spec.shape) == 4 else 1
        data = bytes(encoded)
        found = self._header(data)
        wanted = (spec.size // channels, channels, 8 * spec.dtype.itemsize)
        if (found.width * found.height, found.channels, found.bits) != wanted:
            raise CodecError(
                f"expected an image of {wanted[0]:,} pixels with {channels} channels of {wanted[2]} bits, found "
                f"{found.width:,} × {found.height:,} pixels with {found.channels} channels of {found.bits} bits",
                codec=self.name,
            )
        try:
            pixels = self._decoded(data)
        except Exception as error:  # each codec of imagecodecs has its own exceptions
            why = " ".join(str(error).split()) or type(error).__name__
            raise CodecError(f"the image is broken: {why}", codec=self.name) from error
        if pixels.size != spec.size or pixels.dtype != spec.dtype:
            raise CodecError(f"expected {spec.size:,} samples, found {pixels.size:,}", codec=self.name)
        if channels == 1:
            return pixels.reshape(spec.shape)
        return np.moveaxis(pixels.reshape(*spec.shape[1:], channels), -1, 0)

    def _header(self, data: bytes) -> _Header:
        raise NotImplementedError

    def _decoded(self, data: bytes) -> np.ndarray[Any, Any]:
        raise NotImplementedError


class JpegCodec(_ImageCodec):
    """One or three channels of 8 bits."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.jpeg",)

    def _header(self, data: bytes) -> _Header:
        at = 2
        while data[:2] == b"\xff\xd8" and at + 9 < len(data) and data[at] == 0xFF:
            marker = data[at + 1]
            if marker in _FRAMES:
                height, width = (int.from_bytes(data[i : i + 2], "big") for i in (at + 5, at + 7))
                return _Header(width, height, data[at + 9], data[at + 4])
            if marker == 0xFF:  # fills the space before a marker
                at += 1
                continue
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        raise CodecError("it is not a JPEG image", codec=self.name)

    def _decoded(self, data: bytes) -> np.ndarray[Any, Any]:
        pixels: np.ndarray[Any, Any] = self._module.jpeg8_decode(data)
        return pixels


class PngCodec(_ImageCodec):
    """One to four channels of 8 or 16 bits."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.png",)

    def _header(self, data: bytes) -> _Header:
        if data[:8] != _PNG or data[12:16] != b"IHDR" or len(data) < 33:
            raise CodecError("it is not a PNG image", codec=self.name)
        width, height = (int.from_bytes(data[i : i + 4], "big") for i in (16, 20))
        return _Header(width, height, _PNG_CHANNELS.get(data[25], 0), data[24])

    def _decoded(self, data: bytes) -> np.ndarray[Any, Any]:
        pixels: np.ndarray[Any, Any] = self._module.png_decode(data)
        return pixels
