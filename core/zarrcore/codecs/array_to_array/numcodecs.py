"""array → array codecs that numcodecs brings: version 2's filters, and ``numcodecs.*`` of version 3.

Specification: numcodecs' documentation of each; zarr-extensions, "numcodecs.*".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numcodecs
import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import dtype
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.fill_value import zero


class _NumcodecsFilter(ArrayToArrayCodec):
    decoded_type_parameter = "dtype"
    encoded_type_parameter = "astype"

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        parameters = {name: value for name, value in configuration.items() if name != "id"}
        try:
            self._codec = numcodecs.get_codec({"id": self.name.removeprefix("numcodecs."), **parameters})
        except (TypeError, ValueError, OverflowError, SyntaxError) as error:
            raise MetadataError(str(error), member=self.name) from error
        self._decoded_dtype, self._encoded_dtype = (
            dtype(configuration, parameter) if configuration.get(parameter) is not None else None
            for parameter in (self.decoded_type_parameter, self.encoded_type_parameter)
        )

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(configuration)

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if self._decoded_dtype is not None and self._decoded_dtype.itemsize != spec.dtype.itemsize:
            raise MetadataError(
                f"expected elements of {self._decoded_dtype}, found {spec.dtype}", member=self.name
            )
        return spec.with_dtype(self._encoded_dtype or self._decoded_dtype or spec.dtype)

    def decode(self, encoded: np.ndarray[Any, Any], spec: ArraySpec) -> np.ndarray[Any, Any]:
        try:
            with np.errstate(all="ignore"):
                decoded = np.asarray(self._codec.decode(np.ascontiguousarray(encoded).reshape(-1)))
        except (RuntimeError, ValueError, TypeError, IndexError, OverflowError) as error:
            raise CodecError(str(error), codec=self.name) from error
        if decoded.size != spec.size:
            raise CodecError(f"expected {spec.size:,} elements, found {decoded.size:,}", codec=self.name)
        if decoded.dtype.itemsize == spec.dtype.itemsize and decoded.dtype.kind != spec.dtype.kind:
            decoded = decoded.view(
                spec.dtype
            )  # bits, not values, as version 2 hands them from filter to filter
        return decoded.reshape(spec.shape)


class DeltaCodec(_NumcodecsFilter):
    """Differences of consecutive elements."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.delta",)


class FixedScaleOffsetCodec(_NumcodecsFilter):
    """``round((x - offset) * scale)``."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.fixedscaleoffset",)


class QuantizeCodec(_NumcodecsFilter):
    """Floating point numbers rounded to a number of decimal digits."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.quantize",)


class AsTypeCodec(_NumcodecsFilter):
    """Elements of another type."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.astype",)
    decoded_type_parameter = "decode_dtype"
    encoded_type_parameter = "encode_dtype"


class BitRoundCodec(_NumcodecsFilter):
    """Floating point numbers with fewer bits of mantissa."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.bitround",)


class PackBitsCodec(_NumcodecsFilter):
    """Eight booleans in a byte, after a byte that tells how many bits pad the last one."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.packbits",)

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if spec.dtype != np.dtype(bool):
            raise MetadataError(f"expected elements of bool, found {spec.dtype}", member=self.name)
        packed = np.dtype(np.uint8)
        return ArraySpec((1 + -(-spec.size // 8),), packed, zero(packed))
