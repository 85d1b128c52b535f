"""The ``vlen-bytes`` codec: byte strings one after another, each preceded by its length.

Specification: the zarr-extensions registry, "vlen-bytes"; numcodecs' VLenBytes. The number of elements, then for each element its
number of bytes and the bytes; all numbers are little-endian 32-bit integers.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.late_imports import imported
from zarrcore.typing import AnyArray

_NUMBER_NBYTES = 4

MAX_VALUES_NBYTES = 1 << 30
"""The limit for all values of a chunk. Metadata do not state their size, so a larger chunk is taken for an attack."""


class VlenBytesCodec(ArrayToBytesCodec):
    """Elements of the data type ``bytes``."""

    names: ClassVar[tuple[str, ...]] = ("vlen-bytes",)
    _kind: ClassVar[str] = "O"
    _elements: ClassVar[str] = "bytes"
    _numcodecs: ClassVar[Any] = imported("numcodecs.vlen").VLenBytes()

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if spec.dtype.kind != self._kind:
            raise MetadataError(
                f"expected elements of {self._elements}, found {spec.dtype}", member=self.name
            )
        return _NUMBER_NBYTES * (1 + spec.size) + MAX_VALUES_NBYTES

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        # The decoder allocates as many elements as the first number says, before it reads any of them.
        least = _NUMBER_NBYTES * (1 + spec.size)
        if len(encoded) < least:
            raise CodecError(
                f"expected at least {least:,} bytes for {spec.size:,} elements, found {len(encoded):,}",
                codec=self.name,
            )
        (count,) = struct.unpack_from("<I", encoded)
        if count != spec.size:
            raise CodecError(f"expected {spec.size:,} elements, found {count:,}", codec=self.name)
        try:
            objects = self._numcodecs.decode(encoded)
        except ValueError as error:
            raise CodecError(str(error), codec=self.name) from error
        return self._elements_of(objects).reshape(spec.shape)

    def _elements_of(self, objects: AnyArray) -> AnyArray:
        return objects

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        if spec.size >= 2**32:
            raise CodecError(f"a chunk of {spec.size:,} elements is too large", codec=self.name)
        objects = np.ascontiguousarray(decoded, object).reshape(-1)
        if not objects.flags.writeable:  # the encoder demands writable input, though it only reads
            objects = objects.copy()
        try:
            encoded: Buffer = self._numcodecs.encode(objects)
        except (TypeError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error
        return encoded
