"""The ``zarrs.optional`` codec: a mask of the valid elements, and then only their values.

Specification: zarrs' documentation, "optional", which calls it experimental. Two little-endian 64-bit integers give the
sizes of the mask and of the values in bytes. The mask is an array of booleans of the chunk's shape, and the values have one
dimension. Each has its own codecs.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import codecs, known
from zarrcore.codecs.pipeline import Pipeline
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type.optional import is_optional
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

_LENGTHS = struct.Struct("<QQ")
_BOOL = np.dtype("?")


class OptionalCodec(ArrayToBytesCodec):
    """Elements of the data type ``zarrs.optional``."""

    names: ClassVar[tuple[str, ...]] = ("zarrs.optional", "optional")

    def __init__(
        self, mask_codecs: tuple[NamedConfiguration, ...], data_codecs: tuple[NamedConfiguration, ...]
    ) -> None:
        self._mask_codecs = mask_codecs
        self._data_codecs = data_codecs
        self._mask_pipeline = lru_cache(maxsize=64)(self._make_mask_pipeline)
        self._data_pipeline = lru_cache(maxsize=64)(self._make_data_pipeline)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "mask_codecs", "data_codecs")
        return cls(codecs(configuration, "mask_codecs"), codecs(configuration, "data_codecs"))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        mask = self._mask_pipeline(spec.shape).completed()
        data = self._data_pipeline(max(1, spec.size), self._inner(spec)).completed()
        return {
            "mask_codecs": [codec.document() for codec in mask],
            "data_codecs": [codec.document() for codec in data],
        }

    def _inner(self, spec: ArraySpec) -> np.dtype[Any]:
        if not is_optional(spec.dtype):
            raise MetadataError(
                f"expected elements of the data type zarrs.optional, found {spec.dtype}", member=self.name
            )
        return spec.dtype["value"]

    def _make_mask_pipeline(self, shape: tuple[int, ...]) -> Pipeline:
        return Pipeline(self._mask_codecs, ArraySpec(shape, _BOOL, zero(_BOOL)), "mask_codecs")

    def _make_data_pipeline(self, size: int, dtype: np.dtype[Any]) -> Pipeline:
        return Pipeline(self._data_codecs, ArraySpec((size,), dtype, zero(dtype)), "data_codecs")

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        data = self._data_pipeline(max(1, spec.size), self._inner(spec)).max_encoded_nbytes
        return _LENGTHS.size + self._mask_pipeline(spec.shape).max_encoded_nbytes + data

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        view = memoryview(encoded)
        lengths = _LENGTHS.unpack_from(view) if len(view) >= _LENGTHS.size else (0, 0)
        if len(view) != _LENGTHS.size + sum(lengths):
            raise CodecError(
                f"expected {_LENGTHS.size + sum(lengths):,} bytes, found {len(view):,}", codec=self.name
            )
        end = _LENGTHS.size + lengths[0]
        mask = self._mask_pipeline(spec.shape).decode(view[_LENGTHS.size : end])
        decoded = np.zeros(spec.shape, spec.dtype)
        decoded["is_valid"] = mask
        size = int(np.count_nonzero(mask))
        if size:
            decoded["value"][mask] = self._data_pipeline(size, self._inner(spec)).decode(view[end:])
        elif lengths[1]:
            raise CodecError(f"expected no bytes of values, found {lengths[1]:,}", codec=self.name)
        return decoded

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        mask = np.ascontiguousarray(decoded["is_valid"]).reshape(spec.shape)
        values = np.ascontiguousarray(decoded["value"][mask])
        stored_mask = self._mask_pipeline(spec.shape).encode(mask)
        stored = self._data_pipeline(values.size, self._inner(spec)).encode(values) if values.size else b""
        return b"".join((_LENGTHS.pack(len(stored_mask), len(stored)), stored_mask, stored))
