"""How an array's chunks are encoded, and whether they can be decoded.

Working this out takes most of the time of opening an array, and most arrays of a hierarchy are encoded alike. So the result is
shared by arrays that share the parsed parts of their documents.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from operator import is_

from zarrcore.array.shards.levels import shard_levels
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.fill_value import fill_value_document
from zarrcore.metadata.json_document import format_json


class Encoding:
    """The key of a decoding pipeline: equal only for the same parsed objects, because 1 and true differ in JSON."""

    __slots__ = ("_parts", "chunk_grid")

    def __init__(self, metadata: ArrayMetadata) -> None:
        self.chunk_grid = metadata.chunk_grid
        self._parts = (
            metadata.codecs,
            metadata.data_type,
            metadata.chunk_grid,
            metadata.fill_value,
            metadata.chunk_key_encoding,
        )

    def pipeline(self) -> Pipeline:
        """The pipeline that decodes a chunk.

        Raises:
            MetadataError: the codecs do not fit the chunks.
            UnsupportedError: an unknown codec.
        """
        codecs, data_type, chunk_grid, fill_value, _ = self._parts
        return Pipeline(codecs, ArraySpec(chunk_grid.chunk_shape, data_type.dtype, fill_value))

    def document_text(self) -> bytes:
        """The encoding in the array's document, in Zarr v3 terms."""
        codecs, data_type, chunk_grid, fill_value, chunk_key_encoding = self._parts
        return format_json(
            {
                "data_type": data_type.document(),
                "chunk_grid": chunk_grid.document(),
                "chunk_key_encoding": chunk_key_encoding.document(),
                "fill_value": fill_value_document(fill_value, data_type),
                "codecs": [codec.document() for codec in codecs],
            }
        )

    def __hash__(self) -> int:
        return hash(tuple(map(id, self._parts)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Encoding) and all(map(is_, self._parts, other._parts))


@lru_cache(maxsize=256)
def unit_shape(encoding: Encoding) -> tuple[int, ...]:
    """Elements per dimension of a unit of decoding: the innermost chunk of a shard, else the chunk.

    Raises:
        As `Encoding.pipeline`; MetadataError: the inner chunks do not divide the shards.
    """
    levels = shard_levels(encoding.pipeline(), encoding.chunk_grid)
    return levels[-1].inner.spec.shape if levels else encoding.chunk_grid.chunk_shape


def elements_version(metadata: ArrayMetadata) -> str:
    """A text that changes whenever an array's metadata change, except for the attributes."""
    return f"{metadata.shape} {metadata.dimension_names} {_digest(Encoding(metadata))}"


@lru_cache(maxsize=256)
def _digest(encoding: Encoding) -> str:
    return hashlib.blake2b(encoding.document_text(), digest_size=16).hexdigest()
