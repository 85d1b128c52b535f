"""Chunks as one image each, by their names in the package imagecodecs: ``imagecodecs_jpeg``, ``…_png``, ``…_webp`` and others.

Specification: the documentation of imagecodecs. The samples of an image are the elements of a chunk, row by row, whatever the
shape of the chunk. The header is read here first: an image is not decoded if it has more samples. The codecs only decode, since
most compressions lose something each time.
"""

from __future__ import annotations

import base64
import binascii
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np

from zarrcore.codecs.array_to_bytes.tiff_images import unpacked_lerc
from zarrcore.codecs.image_headers.header import ImageHeader
from zarrcore.codecs.image_headers.jpeg import jpeg_header
from zarrcore.codecs.image_headers.jpeg2000 import jpeg2000_header
from zarrcore.codecs.image_headers.jpegxl import jpegxl_header
from zarrcore.codecs.image_headers.jpegxr import jpegxr_header
from zarrcore.codecs.image_headers.lerc import lerc_header
from zarrcore.codecs.image_headers.png import png_header
from zarrcore.codecs.image_headers.webp import webp_header
from zarrcore.codecs.imagecodecs_package import imagecodecs_package
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.optional_package import failure
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.json_document import describe
from zarrcore.typing import AnyArray

_MOST_CHANNELS: Final = 8
"""How many channels some headers announce at most where there is one."""
_END_OF_IMAGE: Final = b"\xff\xd9"


class _ImageCodec(ArrayToBytesCodec):
    title: ClassVar[str]
    of_encoding: ClassVar[tuple[str, ...]] = ("level",)
    """Parameters that only encoders use."""
    of_decoding: ClassVar[Mapping[str, tuple[type, ...]]] = {}
    """Types of the other parameters; null is allowed, too."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = dict(parameters)
        self._module: Any = imagecodecs_package(self.name)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "squeeze", *cls.of_encoding, *cls.of_decoding)
        parameters = {}
        for name, kinds in cls.of_decoding.items():
            value = configuration.get(name)
            if value is not None and type(value) not in kinds:
                raise MetadataError(
                    f"expected {' or '.join(kind.__name__ for kind in kinds)}, found {describe(value)}",
                    member=name,
                )
            if value is not None:
                parameters[name] = value
        return cls(parameters)

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if spec.dtype.kind not in "iuf" or not spec.size:
            raise MetadataError(f"cannot hold chunks of shape {spec.shape} of {spec.dtype}", member=self.name)
        return 4 * spec.nbytes + (1 << 20)

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        try:
            data = self._image(bytes(encoded), spec)
        except ValueError as error:
            raise CodecError(str(error), codec=self.name) from error
        found = self._header_of(data)
        if found is None:
            raise CodecError(f"it is not a {self.title} image", codec=self.name)
        pixels = found.width * found.height
        is_larger = pixels > spec.size or found.sample_count > _MOST_CHANNELS * spec.size
        if is_larger or found.bits > 8 * spec.dtype.itemsize:
            raise CodecError(
                f"expected an image of {spec.size:,} samples of {spec.dtype}, found {found.width:,} × {found.height:,} "
                f"pixels with {found.channels} channels of {found.bits} bits",
                codec=self.name,
            )
        try:
            samples = np.asarray(self._decoded(data))
        except Exception as error:
            raise failure(error, self.name, "the image is broken: ") from error
        if samples.size != spec.size or samples.dtype.itemsize != spec.dtype.itemsize:
            raise CodecError(
                f"expected {spec.size:,} samples of {spec.dtype}, found {samples.size:,} of {samples.dtype}",
                codec=self.name,
            )
        return np.ascontiguousarray(samples).view(spec.dtype.newbyteorder("=")).reshape(spec.shape)

    def _image(self, encoded: bytes, spec: ArraySpec) -> bytes:
        """The image with its header.

        Raises:
            ValueError: it is broken.
        """
        return encoded

    @abstractmethod
    def _decoded(self, data: bytes) -> Any:
        """The samples of an image."""

    @abstractmethod
    def _header_of(self, data: bytes) -> ImageHeader | None:
        """The header of an image; None if it is not of this kind."""


class ImagecodecsJpegCodec(_ImageCodec):
    """JPEG, also lossless, with tables or a header in the document."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_jpeg",)
    title: ClassVar[str] = "JPEG"
    of_encoding = ("level", "bitspersample", "subsampling", "optimize", "smoothing", "lossless", "predictor")
    of_decoding: ClassVar[Mapping[str, tuple[type, ...]]] = {
        "tables": (str,),
        "header": (str,),
        "colorspace_data": (int, str),
        "colorspace_jpeg": (int, str),
        "fancyupsampling": (bool,),
    }

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        super().__init__(parameters)
        self._tables, self._header = (_binary(parameters, name) for name in ("tables", "header"))
        self._more: dict[str, Any] = {
            keyword: parameters[name]
            for keyword, name in (
                ("colorspace", "colorspace_jpeg"),
                ("outcolorspace", "colorspace_data"),
                ("fancyupsampling", "fancyupsampling"),
            )
            if name in parameters
        }

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return jpeg_header(data)

    def _image(self, encoded: bytes, spec: ArraySpec) -> bytes:
        return encoded if self._header is None else self._header + encoded + _END_OF_IMAGE

    def _decoded(self, data: bytes) -> Any:
        return self._module.jpeg8_decode(data, tables=self._tables, **self._more)


class ImagecodecsJpeg2kCodec(_ImageCodec):
    """JPEG 2000."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_jpeg2k",)
    title: ClassVar[str] = "JPEG 2000"
    of_encoding = (
        *("level", "codecformat", "colorspace", "tile", "bitspersample", "resolutions", "reversible", "mct"),
        *("verbose", "numthreads"),
    )
    of_decoding: ClassVar[Mapping[str, tuple[type, ...]]] = {"planar": (bool,), "skipres": (int,)}

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return jpeg2000_header(data)

    def _decoded(self, data: bytes) -> Any:
        return self._module.jpeg2k_decode(data, **self._parameters)


class ImagecodecsJpeglsCodec(_ImageCodec):
    """JPEG-LS."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_jpegls",)
    title: ClassVar[str] = "JPEG-LS"
    of_encoding = ("level", "bitspersample", "transformation", "spiff")

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return jpeg_header(data)

    def _decoded(self, data: bytes) -> Any:
        return self._module.jpegls_decode(data)


class ImagecodecsJpegxlCodec(_ImageCodec):
    """JPEG XL of one frame."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_jpegxl",)
    title: ClassVar[str] = "JPEG XL"
    of_encoding = (
        *(
            "level",
            "effort",
            "distance",
            "lossless",
            "decodingspeed",
            "photometric",
            "bitspersample",
            "planar",
        ),
        *("usecontainer", "numthreads", "primaries", "transfer", "perceptualheuristics"),
    )
    of_decoding: ClassVar[Mapping[str, tuple[type, ...]]] = {"index": (int,), "keeporientation": (bool,)}

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return jpegxl_header(data)

    def _decoded(self, data: bytes) -> Any:
        return self._module.jpegxl_decode(data, **self._parameters)


class ImagecodecsJpegxrCodec(_ImageCodec):
    """JPEG XR."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_jpegxr",)
    title: ClassVar[str] = "JPEG XR"
    of_encoding = ("level", "photometric", "hasalpha", "resolution")
    of_decoding: ClassVar[Mapping[str, tuple[type, ...]]] = {"fp2int": (bool,)}

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return jpegxr_header(data)

    def _decoded(self, data: bytes) -> Any:
        return self._module.jpegxr_decode(data, **self._parameters)


class ImagecodecsLercCodec(_ImageCodec):
    """LERC without its mask."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_lerc",)
    title: ClassVar[str] = "LERC"
    of_encoding = ("level", "version", "planar", "compression", "compressionargs")

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return lerc_header(data)

    def _image(self, encoded: bytes, spec: ArraySpec) -> bytes:
        return unpacked_lerc(encoded, spec.nbytes)

    def _decoded(self, data: bytes) -> Any:
        return self._module.lerc_decode(data, masks=False)


class ImagecodecsPngCodec(_ImageCodec):
    """PNG."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_png",)
    title: ClassVar[str] = "PNG"
    of_encoding = ("level", "strategy", "filter", "primaries", "transfer", "matrix")

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return png_header(data)

    def _decoded(self, data: bytes) -> Any:
        return self._module.png_decode(data)


class ImagecodecsWebpCodec(_ImageCodec):
    """WebP of one frame."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_webp",)
    title: ClassVar[str] = "WebP"
    of_encoding = ("level", "lossless", "method", "numthreads", "delay")
    of_decoding: ClassVar[Mapping[str, tuple[type, ...]]] = {"index": (int,), "hasalpha": (bool,)}

    def _header_of(self, data: bytes) -> ImageHeader | None:
        return webp_header(data)

    def _decoded(self, data: bytes) -> Any:
        return self._module.webp_decode(data, **self._parameters)


def _binary(parameters: Mapping[str, Any], name: str) -> bytes | None:
    if name not in parameters:
        return None
    try:
        return base64.b64decode(parameters[name], validate=True)
    except (ValueError, binascii.Error) as error:
        raise MetadataError("expected bytes in base64", member=name) from error
