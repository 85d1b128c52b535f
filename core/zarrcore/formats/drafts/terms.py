"""Terms that the drafts share: names of codecs and data types, fill values, shards.

Draft of 16 October 2020, "Core data types" and "Array metadata". The extensions for datetimes, complex numbers, strings and
structures name NumPy's types. Codecs are named by URIs that end in the name and a version, later by the name alone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.v2.parse import NATIVE_CODECS, parse_dtype
from zarrcore.metadata import ArrayMetadata, JsonObject, NamedConfiguration, RegularChunkGrid
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers

_CODEC_URI = re.compile(r"https?://purl\.org/zarr/spec/codecs?/([^/]+)(/[0-9.]+)?")
_CORE_TYPE = re.compile(r"bool|[<>|]?([iuf][1248]|c(8|16))|(u?int|float|complex)[0-9]+")
_RAW_TYPE = re.compile(r"r([1-9][0-9]{0,18})")
# For some of them, zarr-python wrote a placeholder instead of an address.
_NUMPY_EXTENSIONS = re.compile(r".*(datetime|complex|string|struct|unicode|object).*", re.IGNORECASE)
_NEW_CODECS = ("transpose", "endian", "bytes", "crc32c")
_SHARDING = re.compile(r"(https?://.*/)?sharding(/[0-9.]+)?")
_MAX_LEVELS = 16
"""Levels of shards. In other formats the depth of a document bounds them, but here they are a list."""
_INDEX_CODECS = [{"name": "bytes", "configuration": {"endian": "little"}}]


def codec_name(value: Any, member: str) -> str:
    """The last part of a codec's URI, or its short name.

    Raises:
        MetadataError: not a string.
        UnsupportedError: another URI.

    >>> codec_name("https://purl.org/zarr/spec/codec/gzip/1.0", "compressor.codec"), codec_name("gzip", "codecs")
    ('gzip', 'gzip')
    """
    if not isinstance(value, str):
        raise MetadataError(f"expected a codec's URI, found {describe(value)}", member=member)
    if found := _CODEC_URI.fullmatch(value):
        return found[1]
    if "/" in value:
        raise UnsupportedError("codec", value)
    return value


def accepted_codec_name(value: Any, member: str) -> str:
    """The codec's name in accepted Zarr v3, or numcodecs' name if it has none.

    Raises:
        As `codec_name`.
    """
    name = codec_name(value, member)
    if name in NATIVE_CODECS or name in _NEW_CODECS or "." in name:
        return name
    return f"numcodecs.{name}"


def _core_type(value: str, member: str) -> str:
    if raw := _RAW_TYPE.fullmatch(value):
        if int(raw[1]) % 8:
            raise MetadataError(f"expected a multiple of 8 bits, found {raw[1]}", member=member)
        return f"|V{int(raw[1]) // 8}"
    if not _CORE_TYPE.fullmatch(value):
        raise UnsupportedError("data type", value)
    return value


def numpy_type(value: Any, member: str = "data_type") -> Any:
    """A data type in NumPy's spelling, as in Zarr v2: ``<f8``, or an array of fields.

    For an unknown extension, the first known fallback is used.

    Raises:
        MetadataError: not a data type.
        UnsupportedError: an unknown data type without a known fallback.

    >>> numpy_type("r24"), numpy_type({"extension": "https://example.org/x", "type": "x", "fallback": "<i8"})
    ('|V3', '<i8')
    """
    if isinstance(value, str):
        return _core_type(value, member)
    if not isinstance(value, dict):
        raise MetadataError(f"expected a data type, found {describe(value)}", member=member)
    name, spelling = value.get("extension"), value.get("type")
    if not isinstance(name, str):
        raise MetadataError(f"expected a URI, found {describe(name)}", member=f"{member}.extension")
    fallback = value.get("fallback")
    if _NUMPY_EXTENSIONS.fullmatch(name):
        match spelling:
            case [["", str(unnamed)]]:  # NumPy's spelling of raw bytes
                spelling = unnamed
        try:
            if spelling not in ("|O", "O"):  # the filters define what those are
                parse_dtype(spelling)
        except MetadataError as error:
            if fallback is None:
                raise MetadataError(error.reason, member=f"{member}.type") from error
        else:
            return spelling
    for position, alternative in enumerate(fallback if isinstance(fallback, list) else [fallback]):
        try:
            if alternative is not None:
                return numpy_type(alternative, f"{member}.fallback[{position}]")
        except UnsupportedError:
            continue
    raise UnsupportedError("data type", name, "is an unknown extension")


def fill_value(value: Any, dtype: np.dtype[Any]) -> Any:
    """A fill value in the spelling of Zarr v2 and v3. Drafts may also write integers and raw bits as ``0x…`` and ``0b…``.

    Raises:
        MetadataError: invalid digits, or too many.

    >>> fill_value("0xffff", np.dtype(">i2")), fill_value("0x7fc00001", np.dtype("<f4"))
    (-1, '0x7fc00001')
    """
    base = {"0x": 16, "0b": 2}.get(value[:2]) if isinstance(value, str) else None
    if base is None or dtype.kind not in "biuV":
        return value
    try:
        # Raw bits are in the order in which they are written; numbers have their highest digit first.
        raw = int(value[2:], base).to_bytes(dtype.itemsize, "big")
    except (ValueError, OverflowError) as error:
        raise MetadataError(
            f"expected {dtype.itemsize} bytes, found {describe(value)}", member="fill_value"
        ) from error
    if dtype.kind == "V":
        return list(raw)
    return np.frombuffer(raw, dtype.newbyteorder(">")).item()


def sharded(array: ArrayMetadata, transformers: Any) -> ArrayMetadata:
    """The array with its storage transformers, which can only be shards: its chunks become shards of the chunks so far.

    Draft of the sharding storage transformer, February 2022 to February 2023: the index is at the end, without checksum.

    Raises:
        MetadataError: transformers without a known form, or that do not fit.
        UnsupportedError: another transformer, or another format of shards.
    """
    if transformers is None:
        return array
    if not isinstance(transformers, list):
        raise MetadataError(
            f"expected an array, found {describe(transformers)}", member="storage_transformers"
        )
    if len(transformers) > _MAX_LEVELS:
        raise MetadataError(
            f"expected at most {_MAX_LEVELS}, found {len(transformers):,}", member="storage_transformers"
        )
    for position, transformer in enumerate(transformers):
        member = f"storage_transformers[{position}]"
        if not isinstance(transformer, dict):
            raise MetadataError(f"expected an object, found {describe(transformer)}", member=member)
        array = _in_shards(array, _chunks_per_shard(transformer, member), member)
    return array


def _in_shards(array: ArrayMetadata, per_shard: Any, member: str) -> ArrayMetadata:
    member += ".configuration.chunks_per_shard"
    lengths = integers(list(per_shard) if isinstance(per_shard, list) else per_shard, member, minimum=1)
    inner = array.chunk_grid.chunk_shape
    if len(lengths) != len(inner):
        raise MetadataError(f"expected {len(inner)} lengths, found {len(lengths)}", member=member)
    configuration = {
        "chunk_shape": list(inner),
        "codecs": [codec.document() for codec in array.codecs],
        "index_codecs": _INDEX_CODECS,
        "index_location": "end",
    }
    return replace(
        array,
        chunk_grid=RegularChunkGrid(tuple(a * b for a, b in zip(inner, lengths, strict=True))),
        codecs=(NamedConfiguration("sharding_indexed", configuration),),
    )


def _chunks_per_shard(transformer: JsonObject, member: str) -> Any:
    names = (transformer.get(key) for key in ("storage_transformer", "extension", "name"))
    name = next((name for name in names if name is not None), None)
    if not isinstance(name, str):
        raise MetadataError(f"expected a transformer's URI, found {describe(name)}", member=member)
    if not _SHARDING.fullmatch(name):
        raise UnsupportedError("storage transformer", name)
    configuration = transformer.get("configuration")
    if not isinstance(configuration, dict):
        raise MetadataError(
            f"expected an object, found {describe(configuration)}", member=f"{member}.configuration"
        )
    form = transformer.get("type", configuration.get("format", "indexed"))
    if form != "indexed":
        raise UnsupportedError("format of shards", str(form))
    return configuration.get("chunks_per_shard")
