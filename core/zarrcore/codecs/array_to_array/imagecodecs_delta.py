"""The ``imagecodecs_delta`` codec: differences of neighbours along an axis, the horizontal predictor of TIFF files.

Specification: "TIFF Revision 6.0", section 14; the documentation of imagecodecs. Differences wrap around. Those of floating-point
numbers are differences of their bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.imagecodecs_package import PredictedArray, imagecodecs_package
from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.typing import AnyArray


class ImagecodecsDeltaCodec(ArrayToArrayCodec):
    """Differences of neighbours."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_delta",)

    def __init__(self, predicted: PredictedArray) -> None:
        self._predicted = predicted
        self._module: Any = imagecodecs_package(self.name)
        if predicted.distance != 1:
            raise UnsupportedError(
                "codec", self.name, f"with the distance {predicted.distance} is not decoded by imagecodecs"
            )

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(PredictedArray(cls.names[0], configuration))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return self._predicted.configuration(spec)

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if spec.dtype.kind not in "iuf" or spec.dtype.itemsize > 8:
            raise MetadataError(f"expected numbers, found {spec.dtype}", member=self.name)
        self._predicted.shape(spec)
        return spec.with_dtype(spec.dtype)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return self._predicted.applied(self._module.delta_decode, encoded, spec)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return self._predicted.applied(self._module.delta_encode, decoded, spec)
