"""The neutral metadata: one vocabulary, that of the accepted specification, for every format."""

from zarrcore.metadata.chunk_grid import (
    ChunkAxis,
    ChunkGrid,
    RectilinearAxis,
    RectilinearChunkGrid,
    RegularAxis,
    RegularChunkGrid,
)
from zarrcore.metadata.chunk_key_encoding import ChunkKeyEncoding
from zarrcore.metadata.data_type import DataType, DataTypeFamily, numpy_dtype
from zarrcore.metadata.fill_value import Element
from zarrcore.metadata.json_document import JsonObject, parse_json_object
from zarrcore.metadata.named_configuration import NamedConfiguration
from zarrcore.metadata.node import ArrayMetadata, GroupMetadata, NodeMetadata

__all__ = [
    "ArrayMetadata",
    "ChunkAxis",
    "ChunkGrid",
    "ChunkKeyEncoding",
    "DataType",
    "DataTypeFamily",
    "Element",
    "GroupMetadata",
    "JsonObject",
    "NamedConfiguration",
    "NodeMetadata",
    "RectilinearAxis",
    "RectilinearChunkGrid",
    "RegularAxis",
    "RegularChunkGrid",
    "numpy_dtype",
    "parse_json_object",
]
