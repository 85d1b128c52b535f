"""``neuroglancer.raw``: elements one after another, little-endian.

Specification: Neuroglancer, "Precomputed format", "Volume", "raw". The bytes are those of the codec ``bytes``; the name
states that chunks are cut at the array's bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.interface import ArraySpec, Buffer
from zarrcore.codecs.parameters import known
from zarrcore.typing import AnyArray


class RawCodec(BytesCodec):
    """Elements in C order of the dimensions channel, z, y, x."""

    names: ClassVar[tuple[str, ...]] = ("neuroglancer.raw",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls("little")

    @property
    def can_encode(self) -> bool:
        return False

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        raise self._not_written()
