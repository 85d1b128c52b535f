"""N5 datasets in Zarr v3 terms, and back.

Specification: N5's README, "File-system specification". N5 starts with the dimension that varies fastest. Shape, block
shape and chunk keys are therefore reversed here, as zarr-python 2 shows a dataset to NumPy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from zarrcore.codecs import completed
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.chunk_terms import (
    chunk_spec,
    codec_chain,
    refuse_lost,
    transposed,
    without_blocks,
    without_shards,
)
from zarrcore.formats.n5.compression import compression_document, nearest_compression, parse_compression
from zarrcore.formats.parsed_once import parsed_once
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE, dimension_names_of
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    JsonObject,
    NamedConfiguration,
    RegularChunkGrid,
)
from zarrcore.metadata.chunk_grid import regular_chunk_grid
from zarrcore.metadata.data_type import has_byte_order, parse_data_type
from zarrcore.metadata.fill_value import zero
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers

DATASET_MEMBERS = ("dimensions", "blockSize", "dataType")
"""The members that make a group a dataset."""
RESERVED_MEMBERS = (*DATASET_MEMBERS, "compression", "compressionType", "n5")
"""Members that are not attributes of the user."""

_DATA_TYPES = (*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float32", "float64")
_WHY = "cannot be expressed in N5"
_MAX_LENGTH = 2**31 - 1
_KEYS = ChunkKeyEncoding("n5", "/")


def parse_dataset(document: JsonObject) -> ArrayMetadata:
    """The array that a dataset's ``attributes.json`` describes.

    Raises:
        MetadataError: a member is missing or broken.
        UnsupportedError: an unknown data type or compression.
    """
    array = _array({member: value for member, value in document.items() if member in RESERVED_MEMBERS})
    attributes = {member: value for member, value in document.items() if member not in RESERVED_MEMBERS}
    return replace(
        array, attributes=attributes, dimension_names=_dimension_names(attributes, len(array.shape))
    )


@parsed_once
def _array(document: JsonObject) -> ArrayMetadata:
    """The array, without attributes."""
    for member in DATASET_MEMBERS:
        if member not in document:
            raise MetadataError("the member is missing", member=member)
    shape = integers(document["dimensions"], "dimensions", minimum=0)[::-1]
    block_shape = integers(document["blockSize"], "blockSize", minimum=1)[::-1]
    if any(length > _MAX_LENGTH for length in block_shape):
        raise MetadataError(f"expected at most {_MAX_LENGTH:,} elements per dimension", member="blockSize")
    name = document["dataType"]
    if not isinstance(name, str):
        raise MetadataError(f"expected a name, found {describe(name)}", member="dataType")
    if name not in _DATA_TYPES:
        raise UnsupportedError("data type", name)
    data_type = parse_data_type(name)
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        chunk_grid=regular_chunk_grid(block_shape, shape, "blockSize"),
        chunk_key_encoding=_KEYS,
        fill_value=zero(data_type.dtype),
        codecs=_block_codecs(len(shape), data_type.dtype, parse_compression(document)),
    )


def _dimension_names(attributes: JsonObject, ndim: int) -> tuple[str | None, ...] | None:
    """The dimension names in xarray's attribute, or else in N5's ``axes``, where the fastest comes first."""
    if (names := dimension_names_of(attributes, ndim)) is not None:
        return names
    axes = attributes.get("axes")
    if not isinstance(axes, list) or len(axes) != ndim or not all(isinstance(name, str) for name in axes):
        return None
    return tuple(axes[::-1])


def _block_codecs(
    ndim: int, dtype: np.dtype[Any], compression: NamedConfiguration | None
) -> tuple[NamedConfiguration, ...]:
    reverse = tuple(reversed(range(ndim)))
    endian = {"endian": "big"} if has_byte_order(dtype) else {}
    inner = [*transposed(reverse), NamedConfiguration("bytes", endian)]
    if compression is not None:
        inner.append(compression)
    block = NamedConfiguration("n5_default", {"codecs": [codec.document() for codec in inner]})
    return (*(transposed(reverse) if ndim > 1 else ()), block)


def dataset_document(metadata: ArrayMetadata, attributes: JsonObject) -> JsonObject:
    """The ``attributes.json`` of an array, with attributes that are already JSON.

    Raises:
        MetadataError: an attribute has a name that N5 uses itself.
        UnsupportedError: N5 cannot express the array.
    """
    if not metadata.shape:
        raise UnsupportedError("shape", "()", _WHY)
    if metadata.chunk_key_encoding != _KEYS:
        raise UnsupportedError("chunk key encoding", metadata.chunk_key_encoding.name, _WHY)
    if not isinstance(metadata.chunk_grid, RegularChunkGrid):
        raise UnsupportedError("chunk grid", "rectilinear", _WHY)
    if metadata.data_type.name not in _DATA_TYPES:
        raise UnsupportedError("data type", metadata.data_type.name, _WHY)
    if any(metadata.fill_value.tobytes()):
        raise UnsupportedError(
            "fill value", str(metadata.fill_value), f"{_WHY}, whose fill value is always zero"
        )
    block = codec_chain(completed(metadata.codecs, chunk_spec(metadata)), len(metadata.shape)).array_to_bytes
    if block.name != "n5_default":
        raise UnsupportedError("codec", block.name, _WHY)
    compression = block.configuration["codecs"][2:]
    codec = (
        NamedConfiguration(compression[0]["name"], compression[0]["configuration"]) if compression else None
    )
    document = {
        "dimensions": list(metadata.shape[::-1]),
        "blockSize": list(metadata.chunk_grid.chunk_shape[::-1]),
        "dataType": metadata.data_type.name,
        "compression": compression_document(codec),
        **attributes,
    }
    if metadata.dimension_names not in (None, _dimension_names(attributes, len(metadata.shape))):
        document[DIMENSIONS_ATTRIBUTE] = list(metadata.dimension_names)
    refuse_lost(metadata, parse_dataset(document), "N5")
    return document


def adapted_dataset(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array in terms that `dataset_document` can express; the fill value becomes zero.

    Raises:
        UnsupportedError: N5 cannot hold the array.
    """
    metadata = without_blocks(without_shards(metadata))
    ndim, dtype = len(metadata.shape), metadata.data_type.dtype
    compression = nearest_compression(codec_chain(metadata.codecs, ndim).compressors)
    return replace(
        metadata,
        codecs=_block_codecs(ndim, dtype, compression),
        chunk_key_encoding=_KEYS,
        fill_value=zero(dtype),
    )
