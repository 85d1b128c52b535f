"""The storage of an array's copy: chunks, shards and codecs in the destination's format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zarrcore.codecs import ArraySpec, ArrayToBytesCodec, BytesToBytesCodec, Pipeline, completed
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import CodecError, MetadataError, SelectionError, UnsupportedError
from zarrcore.filetypes.text import records_as_texts
from zarrcore.formats import Format
from zarrcore.formats.chunk_terms import (
    CodecChain,
    codec_chain,
    plain_array_to_bytes,
    without_blocks,
    without_shards,
)
from zarrcore.metadata import ArrayMetadata, DataType, NamedConfiguration, RegularChunkGrid
from zarrcore.metadata.fill_value import zero
from zarrcore.metadata.json_document import format_json
from zarrcore.metadata.named_configuration import parse_named_configuration

_RAW = re.compile(r"r[0-9]+|raw_bytes")
_ZSTD = NamedConfiguration("zstd", {"level": 3, "checksum": True})
_INDEX_CODECS = ({"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"})
# Lossless codecs. All bytes → bytes codecs are lossless.
_EXACT = {
    *(
        "transpose",
        "reshape",
        "v2_view",
        "packbits",
        "numcodecs.packbits",
        "numcodecs.delta",
        "numcodecs.shuffle",
    ),
    *("bytes", "endian", "vlen-utf8", "vlen-bytes", "vlen-array", "v2_struct_bytes", "numcodecs.pcodec"),
    *("sharding_indexed", "n5_default", "zarrs.squeeze", "squeeze", "zarrs.vlen", "vlen"),
    *("zarrs.optional", "optional", "imagecodecs_delta", "imagecodecs_floatpred"),
    *("imagecodecs_b2nd", "imagecodecs_bitshuffle"),
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The requested storage of all copied arrays; None keeps that of the source."""

    chunk_shape: tuple[int, ...] | None = None
    """Shape of chunks (inner chunks, if there are shards), for arrays of as many dimensions; -1 is a whole dimension."""
    shard_shape: tuple[int, ...] | None = None
    """Shape of shards; an empty one means no shards."""
    codecs: tuple[NamedConfiguration, ...] | None = None
    """Codecs instead of the source's; an array → bytes codec may be left out."""


def destination_metadata(
    source: ArrayMetadata, to: Format, layout: Layout, *, same_format: bool
) -> tuple[ArrayMetadata, str | None]:
    """The metadata of an array's copy, and notes on codecs that could not be kept.

    Raises:
        SelectionError: chunks and shards do not fit each other.
        MetadataError: codecs do not fit the array.
        UnsupportedError: the format cannot hold the array, or not with the requested codecs.
    """
    if is_spelled_out(source.data_type.dtype):
        as_texts = replace(
            source,
            data_type=DataType("string", {}, np.dtypes.StringDType()),
            fill_value=records_as_texts(source.fill_value),
            codecs=(plain_array_to_bytes(np.dtypes.StringDType()), _ZSTD),
        )
        found, note = destination_metadata(as_texts, to, layout, same_format=same_format)
        told = "structures with texts of variable length become texts, each a JSON object of the fields"
        return found, f"{told}; {note}" if note else told
    wanted = source if same_format else replace(source, chunk_key_encoding=to.default_chunk_key_encoding())
    if not (same_format or source.shape):
        wanted = replace(wanted, dimension_names=())  # which readers of Zarr v2 need
    note = None
    try:
        wanted = _laid_out(wanted, layout)
    except (
        MetadataError,
        UnsupportedError,
    ) as error:  # a codec of one shape of chunks, or one that is only read
        if layout.codecs is not None:
            raise
        if isinstance(error, MetadataError):
            _pipeline(source)  # raises if they do not fit the source either
        wanted = _laid_out(_without_codecs(wanted), layout)
        note = f"{error}; zstd replaces the source's codecs"
    try:
        adapted = _adapted(wanted, to)
        if layout.codecs is None and not _holds_fill_value(adapted):
            without = replace(wanted, codecs=(_array_to_bytes(wanted), *_chain_of(wanted).compressors))
            return _adapted(without, to), "its filters cannot hold the fill value and are left out"
        return adapted, note if note or layout.codecs is not None else _renamed(wanted, adapted)
    except UnsupportedError as error:
        if error.kind == "fill value" and wanted.fill_value.tobytes().strip(b"\0"):
            # Chunks that are missing in the source are then written with that value.
            zeroed = replace(wanted, fill_value=zero(wanted.data_type.dtype))
            return _adapted(zeroed, to), f"{error}; it is zero there"
        if layout.codecs is not None:
            raise
        # The values matter, their compression does not: try codecs that every writable format has.
        plain = _without_codecs(wanted)
        try:
            return _adapted(plain, to), f"{error}; zstd replaces the source's codecs"
        except UnsupportedError:
            raise error from None


def is_spelled_out(dtype: np.dtype[Any]) -> bool:
    """Whether elements are copied as JSON: structures with texts of variable length, for which no format has a codec."""
    return dtype.names is not None and dtype.hasobject


def _adapted(metadata: ArrayMetadata, to: Format) -> ArrayMetadata:
    adapted = to.adapted(metadata)
    if not isinstance(adapted, ArrayMetadata):  # pragma: no cover - a bug of a format
        raise UnsupportedError("format", to.name, "cannot hold an array")
    return adapted


def _laid_out(source: ArrayMetadata, layout: Layout) -> ArrayMetadata:
    ndim = len(source.shape)
    chunk_shape = _resolved(layout.chunk_shape, source.shape)
    shard_shape = _resolved(layout.shard_shape, source.shape)
    without = layout.shard_shape == () and ndim > 0
    if chunk_shape is None and shard_shape is None and layout.codecs is None and not without:
        return source
    plain = without_shards(without_blocks(source))
    if shard_shape is None and not without and chunk_shape is None and _is_sharded(source):
        shard_shape = source.chunk_grid.chunk_shape  # only other codecs are requested
    grid = plain.chunk_grid if chunk_shape is None else RegularChunkGrid(chunk_shape)
    codecs = plain.codecs if layout.codecs is None else _chain(layout.codecs, plain)
    result = replace(plain, chunk_grid=grid, codecs=codecs)
    if chunk_shape is not None and layout.codecs is None:
        _pipeline(result)
    return result if shard_shape is None else _sharded(result, shard_shape)


def _pipeline(metadata: ArrayMetadata) -> Pipeline:
    """The codecs of an array.

    Raises:
        MetadataError: they do not fit its chunks.
        UnsupportedError: one of them is unknown.
    """
    spec = ArraySpec(metadata.chunk_grid.chunk_shape, metadata.data_type.dtype, metadata.fill_value)
    return Pipeline(metadata.codecs, spec)


def _resolved(lengths: tuple[int, ...] | None, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    if lengths is None or len(lengths) != len(shape) or not lengths:
        return None
    return tuple(
        max(1, length) if chunk == -1 else chunk for chunk, length in zip(lengths, shape, strict=True)
    )


def _is_sharded(metadata: ArrayMetadata) -> bool:
    return _chain_of(metadata).array_to_bytes.name == "sharding_indexed"


def _sharded(plain: ArrayMetadata, shard_shape: tuple[int, ...]) -> ArrayMetadata:
    inner = plain.chunk_grid.chunk_shape
    if not isinstance(plain.chunk_grid, RegularChunkGrid):
        raise UnsupportedError("chunk grid", "rectilinear", "is not possible in shards: give chunks a shape")
    if any(shard % chunk for shard, chunk in zip(shard_shape, inner, strict=True)):
        # A whole dimension need not be a multiple; a shard may overhang.
        whole = zip(shard_shape, inner, plain.shape, strict=True)
        shard_shape = tuple(-(-s // c) * c if s >= length else s for s, c, length in whole)
    if any(shard % chunk for shard, chunk in zip(shard_shape, inner, strict=True)):
        raise SelectionError(f"shards of {shard_shape} do not hold whole chunks of {inner}")
    # The inner codecs are made explicit here: they are copied into a document unchanged.
    spec = ArraySpec(inner, plain.data_type.dtype, plain.fill_value)
    configuration = {
        "chunk_shape": list(inner),
        "codecs": [codec.document() for codec in completed(plain.codecs, spec)],
        "index_codecs": list(_INDEX_CODECS),
        "index_location": "end",
    }
    codecs = (NamedConfiguration("sharding_indexed", configuration),)
    return replace(plain, chunk_grid=RegularChunkGrid(shard_shape), codecs=codecs)


def _chain_of(metadata: ArrayMetadata) -> CodecChain:
    return codec_chain(metadata.codecs, len(metadata.shape))


def _holds_fill_value(metadata: ArrayMetadata) -> bool:
    """Whether the filters can encode the fill value, which pads chunks at the edge."""
    chain = _chain_of(metadata)
    if not chain.filters:
        return True
    ndim, dtype, fill_value = len(metadata.shape), metadata.data_type.dtype, metadata.fill_value
    one = np.full((1,) * ndim, fill_value, dtype)
    try:
        Pipeline((*chain.filters, chain.array_to_bytes), ArraySpec(one.shape, dtype, fill_value)).encode(one)
    except CodecError:
        return False
    except (MetadataError, UnsupportedError):
        return True  # reported when an array is made from it
    return True


def _chain(codecs: Sequence[NamedConfiguration], plain: ArrayMetadata) -> tuple[NamedConfiguration, ...]:
    if any(issubclass(codec_class(codec.name), ArrayToBytesCodec) for codec in codecs):
        return tuple(codecs)
    chain = codec_chain(codecs, len(plain.shape))
    # `codec_chain` adds "bytes" if there is no array → bytes codec; strings need another one.
    filters = tuple(codec for codec in codecs if codec not in chain.compressors)
    return (*filters, _array_to_bytes(plain), *chain.compressors)


def _array_to_bytes(metadata: ArrayMetadata) -> NamedConfiguration:
    return plain_array_to_bytes(metadata.data_type.dtype)


def _without_codecs(metadata: ArrayMetadata) -> ArrayMetadata:
    with suppress(UnsupportedError):  # otherwise chunks become as large as shards were
        metadata = without_shards(without_blocks(metadata))
    return replace(metadata, codecs=(_array_to_bytes(metadata), _ZSTD))


def _renamed(wanted: ArrayMetadata, adapted: ArrayMetadata) -> str | None:
    before, after = _compressors(wanted), _compressors(adapted)
    if before == after:
        return None
    return f"{', '.join(before) or 'no compression'} becomes {', '.join(after) or 'no compression'}"


def _compressors(metadata: ArrayMetadata) -> list[str]:
    """Short names of codecs, without those that only differ in their name between formats."""
    names = (name.removeprefix("numcodecs.").removeprefix("n5_") for name in codec_names(metadata.codecs))
    return [name for name in names if name not in {*_EXACT, "default", "crc32c", "v2_view"}]


def codec_names(codecs: Sequence[NamedConfiguration]) -> list[str]:
    """The names of all codecs, including those inside others."""
    names = []
    for codec in codecs:
        names.append(codec.name)
        for member in ("codecs", "mask_codecs", "data_codecs"):
            inner = codec.configuration.get(member, [])
            names += codec_names([parse_named_configuration(item, "codecs") for item in inner])
    return names


def keeps_chunks(source: ArrayMetadata, destination: ArrayMetadata) -> bool:
    """Whether stored chunks of ``source`` are valid chunks of ``destination``, with the same elements."""
    if (
        not _same_elements(source.data_type, destination.data_type)
        or source.chunk_grid.document() != destination.chunk_grid.document()
        or not same_fill_value(source, destination)
    ):
        return False
    if source.codecs is destination.codecs:
        return True
    codecs = _completed(source)
    return codecs is not None and codecs == _completed(destination)


def _same_elements(one: DataType, other: DataType) -> bool:
    """Whether the same bytes are the same elements: types are equal, or raw bytes under both of their names."""
    are_raw = all(_RAW.fullmatch(each.name) for each in (one, other))
    return one == other or (are_raw and one.dtype == other.dtype)


def same_fill_value(source: ArrayMetadata, destination: ArrayMetadata) -> bool:
    """Whether chunks that are missing in ``source`` may also be missing in ``destination``."""
    one, other = source.fill_value, destination.fill_value
    return one.tobytes() == other.tobytes() or (source.data_type.dtype.kind in "TO" and bool(one == other))


def _completed(metadata: ArrayMetadata) -> bytes | None:
    """The codecs by their usual names with all parameters explicit; None if that is not possible."""
    spec = ArraySpec(metadata.chunk_grid.chunk_shape, metadata.data_type.dtype, metadata.fill_value)
    try:
        return format_json({"codecs": [codec.document() for codec in completed(metadata.codecs, spec)]})
    except (MetadataError, UnsupportedError):
        return None


def is_exact(metadata: ArrayMetadata) -> bool:
    """Whether written values read back bit for bit: no codec rounds or is unknown."""
    return all(
        name in _EXACT or issubclass(codec_class(name), BytesToBytesCodec)
        for name in codec_names(metadata.codecs)
    )
