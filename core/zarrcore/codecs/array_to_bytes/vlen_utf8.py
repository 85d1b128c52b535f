"""The ``vlen-utf8`` codec: strings in UTF-8 one after another, each after its length.

Specification: the zarr-extensions registry, "vlen-utf8"; numcodecs' VLenUTF8. The bytes are those of ``vlen-bytes``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from zarrcore.codecs.array_to_bytes.vlen_bytes import VlenBytesCodec
from zarrcore.late_imports import imported
from zarrcore.typing import AnyArray


class VlenUtf8Codec(VlenBytesCodec):
    """Elements of the data type ``string``."""

    names: ClassVar[tuple[str, ...]] = ("vlen-utf8",)
    _kind: ClassVar[str] = "T"
    _elements: ClassVar[str] = "string"
    _numcodecs: ClassVar[Any] = imported("numcodecs.vlen").VLenUTF8()

    def _elements_of(self, objects: AnyArray) -> AnyArray:
        return objects.astype(np.dtypes.StringDType())
