"""Chunk grids: which elements lie in which chunk.

Accepted specification, "Chunk grids", "Regular grids".
"""

from __future__ import annotations

from dataclasses import dataclass

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.json_document import JsonObject
from zarrcore.metadata.named_configuration import NamedConfiguration, integers


@dataclass(frozen=True, slots=True)
class RegularChunkGrid:
    """All chunks have one shape; those at the upper edges overhang the array."""

    chunk_shape: tuple[int, ...]
    """Elements per dimension, each at least 1."""

    def grid_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Chunks per dimension of an array of ``shape``.

        >>> RegularChunkGrid((5, 20, 400)).grid_shape((10, 200, 3000))
        (2, 10, 8)
        """
        return tuple(-(-length // chunk) for length, chunk in zip(shape, self.chunk_shape, strict=True))

    def chunk_shape_at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """Elements per dimension of the chunk at a grid index, what overhangs the array included."""
        return self.chunk_shape

    def chunk_origin(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The array index of the first element of the chunk at a grid index.

        >>> RegularChunkGrid((5, 20)).chunk_origin((1, 3))
        (5, 60)
        """
        return tuple(i * length for i, length in zip(index, self.chunk_shape, strict=True))

    def document(self) -> JsonObject:
        """As it stands in a metadata document."""
        return {"name": "regular", "configuration": {"chunk_shape": list(self.chunk_shape)}}


def parse_chunk_grid(named: NamedConfiguration, shape: tuple[int, ...]) -> RegularChunkGrid:
    """The grid that a version 3 document names.

    Raises:
        MetadataError: a chunk shape that does not fit ``shape``.
        UnsupportedError: another grid than the regular one.
    """
    if named.name != "regular":
        raise UnsupportedError("chunk grid", named.name)
    member = "chunk_grid.configuration.chunk_shape"
    return regular_chunk_grid(
        integers(named.configuration.get("chunk_shape"), member, minimum=0), shape, member
    )


def regular_chunk_grid(chunk_shape: tuple[int, ...], shape: tuple[int, ...], member: str) -> RegularChunkGrid:
    """A regular grid, checked against the array's shape.

    Raises:
        MetadataError: another number of dimensions, or a chunk length of 0 where the array is not empty.
    """
    if len(chunk_shape) != len(shape):
        raise MetadataError(
            f"expected {len(shape)} lengths, one per dimension of shape, found {len(chunk_shape)}",
            member=member,
        )
    for chunk, length in zip(chunk_shape, shape, strict=True):
        if chunk == 0 and length > 0:
            raise MetadataError("a chunk length of 0 for a dimension that is not empty", member=member)
    # An empty dimension may have empty chunks; with 1 in their place arithmetic needs no exception.
    return RegularChunkGrid(tuple(max(1, chunk) for chunk in chunk_shape))
