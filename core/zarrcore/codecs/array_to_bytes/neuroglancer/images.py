"""``neuroglancer.jpeg``, ``neuroglancer.png``, ``neuroglancer.jxl``: chunks as one image each, decoded by imagecodecs.

Specification: Neuroglancer, "Precomputed format", "Volume". An image has any width; its pixels, row by row, are those of the
chunk with x fastest, then y and z. The header is read here first: an image is not decoded if it has more pixels.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.image_headers.header import ImageHeader
from zarrcore.codecs.image_headers.jpeg import jpeg_header
from zarrcore.codecs.image_headers.jpegxl import jpegxl_header
from zarrcore.codecs.image_headers.png import png_header
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.optional_package import failure, optional_package
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.typing import AnyArray


class _ImageCodec(ArrayToBytesCodec):
    title: ClassVar[str]

    def __init__(self) -> None:
        self._module: Any = optional_package("imagecodecs", self.name, "precomputed")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if spec.dtype.kind != "u" or spec.dtype.itemsize > 2 or len(spec.shape) not in (3, 4):
            raise MetadataError(f"cannot hold chunks of shape {spec.shape} of {spec.dtype}", member=self.name)
        return 2 * spec.nbytes + (64 << 10)

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        channels = spec.shape[0] if len(spec.shape) == 4 else 1
        data = bytes(encoded)
        found = self._header(data)
        if found is None:
            raise CodecError(f"it is not a {self.title} image", codec=self.name)
        wanted = (spec.size // channels, channels, 8 * spec.dtype.itemsize)
        pixels_are_right = (found.width * found.height, found.bits) == (wanted[0], wanted[2])
        if not pixels_are_right or not self._has_channels(found, channels):
            raise CodecError(
                f"expected an image of {wanted[0]:,} pixels with {channels} channels of {wanted[2]} bits, found "
                f"{found.width:,} × {found.height:,} pixels with {found.channels} channels of {found.bits} bits",
                codec=self.name,
            )
        try:
            pixels = self._decoded(data)
        except Exception as error:
            raise failure(error, self.name, "the image is broken: ") from error
        if pixels.size != spec.size or pixels.dtype != spec.dtype:
            raise CodecError(f"expected {spec.size:,} samples, found {pixels.size:,}", codec=self.name)
        if channels == 1:
            return pixels.reshape(spec.shape)
        return np.moveaxis(pixels.reshape(*spec.shape[1:], channels), -1, 0)

    @abstractmethod
    def _header(self, data: bytes) -> ImageHeader | None:
        """What the header of an image says; None if it is not one."""

    def _has_channels(self, header: ImageHeader, channels: int) -> bool:
        return header.channels == channels

    @abstractmethod
    def _decoded(self, data: bytes) -> AnyArray:
        """The samples of an image."""


class JpegCodec(_ImageCodec):
    """One or three channels of 8 bits."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.jpeg",)
    title: ClassVar[str] = "JPEG"

    def _header(self, data: bytes) -> ImageHeader | None:
        return jpeg_header(data)

    def _decoded(self, data: bytes) -> AnyArray:
        pixels: AnyArray = self._module.jpeg8_decode(data)
        return pixels


class PngCodec(_ImageCodec):
    """One to four channels of 8 or 16 bits."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.png",)
    title: ClassVar[str] = "PNG"

    def _header(self, data: bytes) -> ImageHeader | None:
        return png_header(data)

    def _decoded(self, data: bytes) -> AnyArray:
        pixels: AnyArray = self._module.png_decode(data)
        return pixels


class JxlCodec(_ImageCodec):
    """One to four channels of 8 or 16 bits, as JPEG XL."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.jxl",)
    title: ClassVar[str] = "JPEG XL"

    def _header(self, data: bytes) -> ImageHeader | None:
        return jpegxl_header(data)

    def _has_channels(self, header: ImageHeader, channels: int) -> bool:
        return channels <= header.channels <= channels + 2  # the header states the most that there can be

    def _decoded(self, data: bytes) -> AnyArray:
        pixels: AnyArray = self._module.jpegxl_decode(data)
        return pixels
