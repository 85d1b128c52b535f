"""``v2_struct_bytes``: version 2's structured types whose fields are stored in different byte orders.

A name of ours, never written to a store: version 3 has one byte order for all elements (`bytes`), version 2 has one per field.
Specification: Zarr v2, "Data type encoding".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import describe


class V2StructBytesCodec(BytesCodec):
    """Elements of a NumPy dtype that is told in full."""

    names: ClassVar[tuple[str, ...]] = ("v2_struct_bytes",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        descr = configuration.get("dtype")
        try:
            dtype: np.dtype[Any] = np.dtype(descr)
        except (TypeError, ValueError) as error:
            raise MetadataError(f"expected a NumPy dtype, found {describe(descr)}", member="dtype") from error
        return cls("little", dtype)
