"""``v2_view``: the same bytes, viewed as elements of another type.

An internal name, never written to a store. Zarr v2 passes bytes, not values, from one filter to the next, so a filter may be
configured for another type, or another byte order, than the array's. Specification: Zarr v2, "Filters".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import dtype, known
from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import with_byte_order
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray


class V2ViewCodec(ArrayToArrayCodec):
    """Elements of ``stored_dtype`` viewed as elements of ``viewed_dtype``, in one dimension."""

    names: ClassVar[tuple[str, ...]] = ("v2_view",)

    def __init__(self, stored_dtype: np.dtype[Any], viewed_dtype: np.dtype[Any]) -> None:
        self._stored_dtype = stored_dtype
        self._viewed_dtype = viewed_dtype

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "dtype", "viewed_dtype")
        return cls(dtype(configuration, "dtype"), dtype(configuration, "viewed_dtype"))

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if with_byte_order(self._stored_dtype, "<") != with_byte_order(spec.dtype, "<"):
            raise MetadataError(
                f"expected elements of {self._stored_dtype}, found {spec.dtype}", member=self.name
            )
        nbytes = spec.size * self._stored_dtype.itemsize
        if nbytes % self._viewed_dtype.itemsize:
            raise MetadataError(
                f"chunks of {nbytes:,} bytes cannot be viewed as {self._viewed_dtype}", member=self.name
            )
        return ArraySpec(
            (nbytes // self._viewed_dtype.itemsize,), self._viewed_dtype, zero(self._viewed_dtype)
        )

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        viewed = np.ascontiguousarray(encoded.reshape(-1), self._viewed_dtype)
        return _viewed(viewed, self._stored_dtype).reshape(spec.shape)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return _viewed(np.ascontiguousarray(decoded, self._stored_dtype).reshape(-1), self._viewed_dtype)


def _viewed(line: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """One dimension viewed as another type; NumPy itself demands that one size divides the other."""
    return line.view(np.uint8).view(dtype)
