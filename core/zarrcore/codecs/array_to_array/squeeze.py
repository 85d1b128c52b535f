"""The ``zarrs.squeeze`` codec: removes dimensions of length 1.

Specification: zarrs' documentation, "squeeze", which calls it experimental. A chunk of one element keeps one dimension.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import known
from zarrcore.typing import AnyArray


class SqueezeCodec(ArrayToArrayCodec):
    """The same elements, in the dimensions longer than 1."""

    names: ClassVar[tuple[str, ...]] = ("zarrs.squeeze", "squeeze")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {}

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        shape = tuple(length for length in spec.shape if length != 1) or (1,)
        return ArraySpec(shape, spec.dtype, spec.fill_value)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return encoded.reshape(spec.shape)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return decoded.reshape(self.encoded_spec(spec).shape)
