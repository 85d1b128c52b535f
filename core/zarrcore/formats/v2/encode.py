"""Writing Zarr v2 documents: Zarr v3 terms translated back to those of ``.zarray``.

Specification: zarr-specs, "Zarr storage specification version 2"; fill values as zarr-python 2 spells them.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np

from zarrcore.codecs import completed, is_fill
from zarrcore.codecs.imagecodecs_package import IMAGECODECS
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.chunk_terms import (
    CodecChain,
    chunk_spec,
    codec_chain,
    plain_array_to_bytes,
    transposed,
    without_blocks,
    without_shards,
)
from zarrcore.formats.v2.parse import NATIVE_CODECS, OBJECT_CODECS, parse_dtype, spelled_dtype
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    JsonObject,
    NamedConfiguration,
    RegularChunkGrid,
)
from zarrcore.metadata.data_type import with_byte_order
from zarrcore.metadata.fill_value import fill_value_document, undefined

_SHUFFLE_NUMBERS = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}
_VARIABLE_LENGTH = ("vlen-utf8", "vlen-bytes")
_OF_BOTH = ("numcodecs.", IMAGECODECS)
"""How names of codecs begin that Zarr v2 has, and Zarr v3 by the same or a longer name."""
_PREDICTORS = ("imagecodecs_delta", "imagecodecs_floatpred")
_WHY = "cannot be expressed in Zarr v2"


def array_document(metadata: ArrayMetadata) -> JsonObject:
    """The ``.zarray`` of an array.

    Raises:
        MetadataError: the codecs do not fit the array.
        UnsupportedError: Zarr v2 cannot express it.
    """
    encoding = metadata.chunk_key_encoding
    if encoding.name != "v2":
        raise UnsupportedError("chunk key encoding", encoding.name, _WHY)
    if not isinstance(metadata.chunk_grid, RegularChunkGrid):
        raise UnsupportedError("chunk grid", "rectilinear", _WHY)
    chain = codec_chain(completed(metadata.codecs, chunk_spec(metadata)), len(metadata.shape))
    if chain.order is not None and not chain.is_reversed:
        raise UnsupportedError("codec", "transpose", f"in another order than the reverse {_WHY}")
    stored_dtype = _stored_dtype(metadata, chain)
    compressors = chain.compressors
    if chain.array_to_bytes.name.startswith(_OF_BOTH):
        compressors = chain.array_to_bytes, *compressors
    predicted = {"shape": _stored_shape(metadata, chain), "dtype": stored_dtype.str}
    on_bytes = [_codec_document(codec, predicted) for codec in compressors]
    filters = [_codec_document(codec, predicted) for codec in chain.filters if codec.name != "v2_view"]
    if chain.array_to_bytes.name in _VARIABLE_LENGTH:
        filters.append({"id": chain.array_to_bytes.name})
    filters += on_bytes[:-1]
    return {
        "zarr_format": 2,
        "shape": list(metadata.shape),
        "chunks": list(metadata.chunk_grid.chunk_shape),
        "dtype": _spelled(stored_dtype, metadata),
        "compressor": on_bytes[-1] if on_bytes else None,
        "fill_value": _fill_value(metadata, stored_dtype),
        "order": "F" if chain.is_reversed else "C",
        "filters": filters or None,
        "dimension_separator": encoding.separator,
    }


def adapted_array(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array in terms that `array_document` can express: the same values in the same chunks, or in those of its shards.

    Raises:
        UnsupportedError: Zarr v2 cannot hold the array.
    """
    metadata = without_shards(without_blocks(metadata))
    chain = codec_chain(_with_bitshuffle_of_bytes(metadata), len(metadata.shape))
    filters = chain.filters
    array_to_bytes = chain.array_to_bytes
    named = [codec.name for codec in (*filters, array_to_bytes)]
    if OBJECT_CODECS.intersection(named) or not all(
        name.startswith((*_OF_BOTH, "v2_view")) for name in named[:-1]
    ):
        # Filters only serve compression. Without them, the elements have another type than those that became bytes.
        filters, array_to_bytes = (), plain_array_to_bytes(metadata.data_type.dtype)
    compressors = (_nearest(codec) for codec in chain.compressors)
    codecs = (
        *transposed(chain.order if chain.is_reversed else None),
        *filters,
        array_to_bytes,
        *(codec for codec in compressors if codec is not None),
    )
    encoding = metadata.chunk_key_encoding
    if encoding.name != "v2":
        encoding = ChunkKeyEncoding("v2", ".")
    return replace(metadata, codecs=codecs, chunk_key_encoding=encoding)


def _with_bitshuffle_of_bytes(metadata: ArrayMetadata) -> list[NamedConfiguration]:
    """The codecs of an array with the bitshuffle of Zarr v2, to which elements are bytes of some size."""
    codecs: list[NamedConfiguration] = []
    for codec in metadata.codecs:
        if codec.name == "imagecodecs_bitshuffle":
            told = {**codec.configuration, "itemsize": metadata.data_type.dtype.itemsize}
            codecs += (
                NamedConfiguration("bytes", {"endian": "little"}),
                NamedConfiguration(f"numcodecs.{codec.name}", told),
            )
        else:
            codecs.append(codec)
    return codecs


def _nearest(codec: NamedConfiguration) -> NamedConfiguration | None:
    if codec.name == "crc32c":
        return NamedConfiguration("numcodecs.crc32c", {"location": "end"})
    if codec.name in ("zstd", "numcodecs.zstd"):
        # A frame itself says whether it ends in a checksum, and tensorstore refuses a document that says so.
        kept = {name: value for name, value in codec.configuration.items() if name != "checksum"}
        return NamedConfiguration("zstd", kept)
    known = codec.name in NATIVE_CODECS or codec.name.startswith(_OF_BOTH)
    return codec if known else None


def _stored_dtype(metadata: ArrayMetadata, chain: CodecChain) -> np.dtype[Any]:
    """The array's dtype in the byte order of its elements in filters or chunks."""
    dtype, codec = metadata.data_type.dtype, chain.array_to_bytes
    if codec.name in _VARIABLE_LENGTH:
        return dtype
    if codec.name not in ("bytes", "v2_struct_bytes") and not codec.name.startswith(_OF_BOTH):
        raise UnsupportedError("codec", codec.name, _WHY)
    if any(each.name in _PREDICTORS for each in chain.filters):
        if len(chain.filters) > 1:
            raise UnsupportedError("codec", chain.filters[0].name, f"with {chain.filters[1].name!r} {_WHY}")
    elif chain.filters:
        first = chain.filters[0].configuration
        given = first.get("decode_dtype") or first.get("dtype")
        return dtype if given is None else parse_dtype(given)
    if codec.name == "v2_struct_bytes":
        return parse_dtype(codec.configuration["dtype"])
    return with_byte_order(dtype, ">" if codec.configuration.get("endian") == "big" else "<")


def _spelled(stored_dtype: np.dtype[Any], metadata: ArrayMetadata) -> Any:
    """The dtype in NumPy's spelling, which has no names for the numbers of ml_dtypes."""
    if stored_dtype.hasobject:
        return "|O"
    spelled = spelled_dtype(stored_dtype)
    try:
        is_told = parse_dtype(spelled) == stored_dtype
    except MetadataError:
        is_told = False
    if not is_told:
        raise UnsupportedError("data type", metadata.data_type.name, _WHY)
    return spelled


def _stored_shape(metadata: ArrayMetadata, chain: CodecChain) -> list[int]:
    shape = list(metadata.chunk_grid.chunk_shape)
    return shape[::-1] if chain.is_reversed else shape


def _codec_document(codec: NamedConfiguration, predicted: JsonObject) -> JsonObject:
    """The codec with an ``id``.

    Args:
        codec: the codec in terms of Zarr v3.
        predicted: what predictors are not told otherwise in Zarr v2: shape and type of a chunk.
    """
    native = codec.name in NATIVE_CODECS or codec.name.startswith(IMAGECODECS)
    if not native and not codec.name.startswith("numcodecs.") and codec.name != "v2_view":
        raise UnsupportedError("codec", codec.name, _WHY)
    parameters = dict(codec.configuration)
    match codec.name:
        case "blosc":
            parameters["shuffle"] = _SHUFFLE_NUMBERS[parameters["shuffle"]]
            parameters.pop("typesize", None)  # follows from the dtype
        case "zstd" if not parameters.get("checksum"):
            parameters.pop("checksum", None)  # readers before 2024 do not have this parameter
        case name if name in _PREDICTORS:
            parameters |= predicted
    return {"id": codec.name.removeprefix("numcodecs."), **parameters}


def _fill_value(metadata: ArrayMetadata, stored_dtype: np.dtype[Any]) -> Any:
    element = metadata.fill_value
    if not metadata.fill_value_is_told and is_fill(element, undefined(element.dtype)):
        return None  # xarray would use a zero as its mask
    match element.dtype.kind:
        case "S":
            # zarr-python leaves out zeros at the end; tensorstore demands them.
            return base64.standard_b64encode(element.tobytes()).decode("ascii")
        case "V":
            return base64.standard_b64encode(element.astype(stored_dtype).tobytes()).decode("ascii")
        case "M" | "m":
            return int(element.view("<i8"))
    spelled = fill_value_document(element, metadata.data_type)
    for part in spelled if isinstance(spelled, list) else [spelled]:
        if element.dtype.kind in "fc" and isinstance(part, str) and part.startswith("0x"):
            raise UnsupportedError("fill value", part, f"(a NaN with unusual bits) {_WHY}")
    return spelled
