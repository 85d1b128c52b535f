"""The ``json2`` codec of Zarr v2: a chunk's objects as one JSON array.

Specification: numcodecs' JSON. The array holds the elements, nested by dimension, then the dtype, then the shape. Objects
appear as elements of the data type ``string``: text as it is, everything else as its JSON. This cannot be reversed, so chunks
are read and not written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_bytes.vlen_bytes import MAX_VALUES_NBYTES
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.errors import CodecError, MetadataError
from zarrcore.typing import AnyArray

# RecursionError: arrays nested too deeply.
_ERRORS = (ValueError, TypeError, LookupError, RecursionError)


class Json2Codec(ArrayToBytesCodec):
    """Objects of any kind as JSON."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.json2",)

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        # All other parameters only matter for writing.
        encoding = configuration.get("encoding", "utf-8")
        if encoding not in ("utf-8", "utf8", "ascii", "latin-1"):
            raise MetadataError(f"expected 'utf-8', found {encoding!r}", member="encoding")
        return cls(encoding)

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if spec.dtype.kind != "T":
            raise MetadataError(f"expected elements of string, found {spec.dtype}", member=self.name)
        return MAX_VALUES_NBYTES

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        try:
            *elements, _, shape = self._items(encoded)
            for _ in shape[1:]:
                if not all(isinstance(row, list) for row in elements):
                    raise ValueError("a row is not an array")
                elements = [element for row in elements for element in row]
            texts = np.array([text_of(element) for element in elements], spec.dtype)
        except _ERRORS as error:
            raise CodecError(
                f"not a chunk of objects: {str(error) or type(error).__name__}", codec=self.name
            ) from error
        if texts.size != spec.size:
            raise CodecError(f"expected {spec.size:,} elements, found {texts.size:,}", codec=self.name)
        return texts.reshape(spec.shape)

    def _items(self, encoded: Buffer) -> list[Any]:
        """The elements, the dtype and the shape.

        Raises:
            ValueError, TypeError, LookupError, RecursionError: a part is missing or malformed.
        """
        return list(json.loads(str(encoded, self._encoding)))


def text_of(value: Any) -> str:
    """An object as an element of the data type ``string``.

    >>> text_of("a"), text_of(None), text_of([1, {"b": "ü"}]), text_of(b"c")
    ('a', 'null', '[1, {"b": "ü"}]', 'c')
    """
    match value:
        case str():
            return value
        case bytes():
            return value.decode("utf-8", "backslashreplace")
    return json.dumps(value, ensure_ascii=False, default=text_of)
