"""``v2_struct_bytes``: version 2's structured types whose fields are stored in different byte orders.

A name of ours, never written to a store: version 3 has one byte order for all elements (`bytes`), version 2 has one per field.
Specification: Zarr v2, "Data type encoding".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.interface import ArraySpec
from zarrcore.codecs.parameters import dtype, known


class V2StructBytesCodec(BytesCodec):
    """Elements of a NumPy dtype that is told in full."""

    names: ClassVar[tuple[str, ...]] = ("v2_struct_bytes",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "dtype")
        return cls("little", dtype(configuration, "dtype"))

    def configuration(self, spec: ArraySpec) -> None:
        return None
