"""The ``imagecodecs_floatpred`` codec: the floating-point predictor of TIFF files.

Specification: "Adobe Photoshop TIFF Technical Note 3"; the documentation of imagecodecs. Of each row, the bytes of the same
significance are stored together, the most significant first, as differences. So the bytes have no byte order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.imagecodecs_package import PredictedArray, imagecodecs_package
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.errors import CodecError, MetadataError
from zarrcore.typing import AnyArray


class ImagecodecsFloatpredCodec(ArrayToBytesCodec):
    """Differences of bytes."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_floatpred",)

    def __init__(self, predicted: PredictedArray) -> None:
        self._predicted = predicted
        self._module: Any = imagecodecs_package(self.name)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(PredictedArray(cls.names[0], configuration))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return self._predicted.configuration(spec)

    def encoded_nbytes(self, spec: ArraySpec) -> int:
        return spec.nbytes

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if spec.dtype.kind != "f" or spec.dtype.itemsize not in (2, 4, 8):
            raise MetadataError(f"expected floating-point numbers, found {spec.dtype}", member=self.name)
        shape = self._predicted.shape(spec)
        if self._predicted.axis % len(shape) < len(shape) - 2:
            raise MetadataError(
                f"expected one of the last two axes, found {self._predicted.axis}", member=f"{self.name}.axis"
            )
        return spec.nbytes

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        if len(encoded) != spec.nbytes:
            raise CodecError(f"expected {spec.nbytes:,} bytes, found {len(encoded):,}", codec=self.name)
        stored = np.frombuffer(encoded, spec.dtype.newbyteorder("=")).reshape(spec.shape)
        return self._predicted.applied(
            self._module.floatpred_decode, stored, spec, dist=self._predicted.distance
        )

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        encoded = self._predicted.applied(
            self._module.floatpred_encode, decoded, spec, dist=self._predicted.distance
        )
        return np.ascontiguousarray(encoded).reshape(-1).view(np.uint8).data
