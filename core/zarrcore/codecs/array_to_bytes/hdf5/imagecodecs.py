"""``imagecodecs_bitshuffle`` and ``imagecodecs_b2nd``: filters of HDF5 that imagecodecs registers as codecs of arrays.

Specification: the documentation of imagecodecs. Zarr v2 has them as codecs of bytes, which have names of their own here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.bytes_to_bytes.hdf5_bitshuffle import ImagecodecsBitshuffleCodec as BitshuffleOfBytes
from zarrcore.codecs.bytes_to_bytes.hdf5_blosc2 import B2ND_PARAMETERS, array_of_frame
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.optional_package import optional_package
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.data_type import is_variable_length
from zarrcore.typing import AnyArray

_MAX_INT = 2**31 - 1


class ImagecodecsBitshuffleCodec(ArrayToBytesCodec):
    """Bits of the same significance side by side, of little-endian elements."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_bitshuffle",)

    def __init__(self, block: int) -> None:
        self._block = block

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "blocksize")
        return cls(integer(configuration, "blocksize", 0, minimum=0, maximum=_MAX_INT))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"blocksize": self._block}

    def encoded_nbytes(self, spec: ArraySpec) -> int:
        if is_variable_length(spec.dtype):
            raise MetadataError("elements of variable length need another codec", member=self.name)
        return spec.nbytes

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        return spec.nbytes

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        if len(encoded) != spec.nbytes:
            raise CodecError(f"expected {spec.nbytes:,} bytes, found {len(encoded):,}", codec=self.name)
        decoded = BitshuffleOfBytes(spec.dtype.itemsize, self._block).decode(encoded, spec.nbytes)
        return np.ndarray(spec.shape, spec.dtype.newbyteorder("<"), decoded)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        elements = np.ascontiguousarray(decoded, spec.dtype.newbyteorder("<"))
        return BitshuffleOfBytes(spec.dtype.itemsize, self._block).encode(
            elements.reshape(-1).view("u1").data
        )


class ImagecodecsB2ndCodec(ArrayToBytesCodec):
    """A contiguous frame of Blosc2 that holds an array. It is only read."""

    names: ClassVar[tuple[str, ...]] = ("imagecodecs_b2nd",)

    def __init__(self) -> None:
        self._module: Any = optional_package("blosc2", self.name, "hdf5")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, *B2ND_PARAMETERS)
        return cls()

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if is_variable_length(spec.dtype):
            raise MetadataError("elements of variable length need another codec", member=self.name)
        return 2 * spec.nbytes + (1 << 20)

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        try:
            array = array_of_frame(self._module, bytes(encoded), spec.nbytes, self.name)
        except (RuntimeError, ValueError, TypeError, KeyError) as error:
            if isinstance(error, CodecError):
                raise
            raise CodecError(str(error), codec=self.name) from error
        if array is None or array.size != spec.size or array.dtype.newbyteorder("<") != spec.dtype:
            found = "no array" if array is None else f"shape {array.shape} of {array.dtype}"
            raise CodecError(f"expected shape {spec.shape} of {spec.dtype}, found {found}", codec=self.name)
        return array.reshape(spec.shape)
