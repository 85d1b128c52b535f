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


class V2StructBytesCodec(BytesCodec):
    """Elements of a NumPy dtype that includes its byte orders."""

    names: ClassVar[tuple[str, ...]] = ("v2_struct_bytes",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "dtype")
        return cls("little", dtype(configuration, "dtype"))

    def configuration(self, spec: ArraySpec) -> None:
        return None
