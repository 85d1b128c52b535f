"""How an array's chunks are encoded, and whether that can be undone.

To find that out takes longer than all else that opening an array takes, and most arrays of a hierarchy are encoded alike. So it
is found out once for arrays that share what was parsed of their documents.
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
    """What tells how chunks are decoded; equal only to that of the same parsed objects, since in JSON 1 is not true."""

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
        """What decodes a chunk.

        Raises:
            MetadataError: codecs that do not fit the chunks.
            UnsupportedError: a codec we do not know.
        """
        codecs, data_type, chunk_grid, fill_value, _ = self._parts
        return Pipeline(codecs, ArraySpec(chunk_grid.chunk_shape, data_type.dtype, fill_value))

    def document_text(self) -> bytes:
        """What the array's document says of it, in version 3 terms."""
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
def check_encoding(encoding: Encoding) -> None:
    """Refuse chunks that cannot be decoded, whatever their bytes are.

    Raises:
        As `Encoding.pipeline`; MetadataError: inner chunks that do not divide the shards.
    """
    shard_levels(encoding.pipeline(), encoding.chunk_grid)


def elements_version(metadata: ArrayMetadata) -> str:
    """A text that changes with what an array's metadata tell of its elements: with all but the attributes."""
    return f"{metadata.shape} {metadata.dimension_names} {_digest(Encoding(metadata))}"


@lru_cache(maxsize=256)
def _digest(encoding: Encoding) -> str:
    return hashlib.blake2b(encoding.document_text(), digest_size=16).hexdigest()
