"""``v2_struct_bytes``: structured types of Zarr v2 whose fields have different byte orders.

An internal name, never written to a store. Zarr v3 has one byte order for all elements (`bytes`), Zarr v2 one for each field.
Specification: Zarr v2, "Data type encoding".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.interface import ArraySpec
from zarrcore.codecs.parameters import dtype, known
from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import with_byte_order


class V2StructBytesCodec(BytesCodec):
    """Elements of a NumPy dtype that includes its byte orders."""

    names: ClassVar[tuple[str, ...]] = ("v2_struct_bytes",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "dtype")
        return cls("little", dtype(configuration, "dtype"))

    def encoded_nbytes(self, spec: ArraySpec) -> int:
        stored = self.stored_dtype(spec)
        if with_byte_order(stored, "<") != with_byte_order(spec.dtype, "<"):
            raise MetadataError(f"expected elements of {stored}, found {spec.dtype}", member=self.name)
        return super().encoded_nbytes(spec)

    def configuration(self, spec: ArraySpec) -> None:
        return None
