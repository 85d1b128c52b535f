"""The neutral metadata of nodes: Zarr v3 terms for every format.

Accepted specification, "Array metadata" and "Group metadata".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zarrcore.errors import MetadataError
from zarrcore.metadata.chunk_grid import ChunkGrid
from zarrcore.metadata.chunk_key_encoding import ChunkKeyEncoding
from zarrcore.metadata.data_type import DataType
from zarrcore.metadata.fill_value import Element, fill_value_document
from zarrcore.metadata.json_document import JsonObject
from zarrcore.metadata.named_configuration import NamedConfiguration
from zarrcore.metadata.read_only_json import changeable, read_only

MAX_DIMENSIONS = 64
"""NumPy's limit. A document with more dimensions is refused before anything is computed from it."""


@dataclass(frozen=True, slots=True)
class GroupMetadata:
    """The metadata of a group."""

    attributes: Mapping[str, Any] = field(default_factory=dict)
    """The user's own metadata, read-only."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", read_only(self.attributes))

    def document(self) -> JsonObject:
        """The group's document in Zarr v3 terms."""
        return {"zarr_format": 3, "node_type": "group", "attributes": changeable(self.attributes)}


@dataclass(frozen=True, slots=True)
class ArrayMetadata:
    """The metadata of an array."""

    shape: tuple[int, ...]
    """The length of each dimension, in C order."""
    data_type: DataType
    """The type of every element."""
    chunk_grid: ChunkGrid
    """How elements are divided into chunks."""
    chunk_key_encoding: ChunkKeyEncoding
    """How a chunk's index becomes a key."""
    fill_value: Element = field(compare=False)
    """The value of elements in missing chunks."""
    codecs: tuple[NamedConfiguration, ...]
    """How a chunk becomes bytes, in the order of encoding."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """The user's own metadata, read-only."""
    dimension_names: tuple[str | None, ...] | None = None
    """A name for each dimension, or None if no dimension is named."""
    fill_value_is_told: bool = field(default=True, compare=False)
    """Whether a document defines the fill value. Zarr v2 may leave it undefined (null); it then reads as zero."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", read_only(self.attributes))
        if len(self.shape) > MAX_DIMENSIONS:
            raise MetadataError(
                f"{len(self.shape)} dimensions exceed the {MAX_DIMENSIONS} allowed", member="shape"
            )
        # A length of 0 must not hide an overflow in another dimension.
        nbytes = math.prod(max(1, length) for length in self.shape) * self.data_type.dtype.itemsize
        if nbytes >= 2**63:
            raise MetadataError("an array of 2⁶³ bytes or more cannot be addressed", member="shape")

    def document(self) -> JsonObject:
        """The array's document in Zarr v3 terms."""
        document: JsonObject = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(self.shape),
            "data_type": self.data_type.document(),
            "chunk_grid": self.chunk_grid.document(),
            "chunk_key_encoding": self.chunk_key_encoding.document(),
            "fill_value": fill_value_document(self.fill_value, self.data_type),
            "codecs": [codec.document() for codec in self.codecs],
            "attributes": changeable(self.attributes),
        }
        if self.dimension_names is not None:
            document["dimension_names"] = list(self.dimension_names)
        return document


NodeMetadata = ArrayMetadata | GroupMetadata
