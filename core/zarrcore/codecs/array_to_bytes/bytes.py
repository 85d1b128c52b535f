"""The ``bytes`` codec: elements in C order, in one byte order.

Specification: zarr-specs, "Bytes codec" (version 1.0); before 2023-05 it was called ``endian``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import choice, known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.data_type import has_byte_order, is_variable_length, with_byte_order
from zarrcore.metadata.data_type.small_numbers import clear_unused_bits, has_unused_bits
from zarrcore.typing import AnyArray


class BytesCodec(ArrayToBytesCodec):
    """Elements one after another, little- or big-endian."""

    names: ClassVar[tuple[str, ...]] = ("bytes", "endian")

    def __init__(self, endian: str, stored_dtype: np.dtype[Any] | None = None) -> None:
        self._byte_order = ">" if endian == "big" else "<"
        self._stored_dtype = stored_dtype

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "endian")
        # It may be absent only for types of one byte. But writers before 2023-07 left it out for all types, meaning "little".
        return cls(choice(configuration, "endian", ("little", "big"), "little"))

    def stored_dtype(self, spec: ArraySpec) -> np.dtype[Any]:
        """The type of the elements in the encoded bytes."""
        return self._stored_dtype or with_byte_order(spec.dtype, self._byte_order)

    def is_plain(self, spec: ArraySpec) -> bool:
        """Whether the encoded bytes equal those of the decoded array for all values.

        Unused bits of numbers are an exception: copied bytes go through `clear_unused_bits` afterwards.
        """
        return self.stored_dtype(spec) == spec.dtype and not _holds_texts(spec.dtype)

    def encoded_nbytes(self, spec: ArraySpec) -> int:
        if is_variable_length(spec.dtype):
            raise MetadataError("elements of variable length need another codec", member=self.name)
        return spec.nbytes

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        return spec.nbytes

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        if len(encoded) != spec.nbytes:
            raise CodecError(
                f"expected {spec.nbytes:,} bytes for shape {spec.shape} of {spec.dtype}, found {len(encoded):,}",
                codec=self.name,
            )
        dtype = self.stored_dtype(spec)
        if spec.nbytes == 0:
            return np.empty(spec.shape, dtype)
        elements = np.frombuffer(encoded, dtype, count=spec.size if dtype.subdtype is None else -1)
        if _holds_texts(dtype):
            self._check_texts(elements)
        if has_unused_bits(dtype):
            elements = elements.copy()
            clear_unused_bits(elements)
        return elements.reshape(spec.shape)

    def _check_texts(self, elements: AnyArray) -> None:
        for name in elements.dtype.names or ():
            self._check_texts(elements[name])
        if elements.dtype.kind == "U" and elements.size:
            codes = np.ascontiguousarray(elements).reshape(-1).view(f"{elements.dtype.byteorder}u4")
            if (largest := int(codes.max())) > sys.maxunicode:  # NumPy would make an invalid string from it
                raise CodecError(f"{largest:#x} is not a character", codec=self.name)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        # This copies nothing if the elements in memory already have the stored type.
        dtype = self.stored_dtype(spec)
        stored = np.ascontiguousarray(decoded, dtype)
        if stored.dtype != dtype:  # NumPy cannot change the byte order of times without a unit
            stored = stored.byteswap()
        if _holds_texts(dtype):
            self._check_texts(stored)
        return stored.reshape(-1).view(np.uint8).data

    def configuration(self, spec: ArraySpec) -> dict[str, Any] | None:
        if not has_byte_order(spec.dtype):
            return {}
        return {"endian": "big" if self._byte_order == ">" else "little"}


def _holds_texts(dtype: np.dtype[Any]) -> bool:
    if dtype.fields is not None:
        return any(_holds_texts(part[0]) for part in dtype.fields.values())
    return dtype.base.kind == "U"
