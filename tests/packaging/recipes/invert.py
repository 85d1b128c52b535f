"""A codec that inverts every bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec


class InvertCodec(BytesToBytesCodec):
    names: ClassVar[tuple[str, ...]] = ("invert",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls()

    def encoded_nbytes(self, decoded_nbytes: int) -> int:
        return decoded_nbytes

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        return self.encode(encoded)

    def encode(self, decoded: Buffer) -> Buffer:
        return np.invert(np.frombuffer(decoded, np.uint8)).data

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {}
