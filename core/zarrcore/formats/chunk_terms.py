"""Chunks of one format in the terms of another: the part that all formats share.

Shards and N5 blocks are codecs around other codecs. In a format that has neither, their inner chunks and codecs replace
them. The values are the same, and every format can express the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zarrcore.codecs import (
    ArraySpec,
    ArrayToArrayCodec,
    ArrayToBytesCodec,
    BytesToBytesCodec,
    Codec,
    completed,
)
from zarrcore.codecs.array_to_array.transpose import TransposeCodec
from zarrcore.codecs.parameters import codecs as named_codecs
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import ArrayMetadata, NamedConfiguration, RegularChunkGrid
from zarrcore.metadata.named_configuration import integers

NEUROGLANCER = "neuroglancer."
"""How the names of internal codecs for chunks of Neuroglancer begin."""
_ZSTD = NamedConfiguration("zstd", {"level": 3, "checksum": True})
_OURS = {"n5_lz4": NamedConfiguration("numcodecs.lz4", {"acceleration": 1})}
"""Internal codecs that no other format has, and the nearest codec of other formats."""


@dataclass(frozen=True, slots=True)
class CodecChain:
    """Codecs by their kind, in the order of encoding."""

    order: tuple[int, ...] | None
    """The combined permutation of all transposes; None if dimensions keep their order."""
    filters: tuple[NamedConfiguration, ...]
    """The other array → array codecs."""
    array_to_bytes: NamedConfiguration
    """The array → bytes codec."""
    compressors: tuple[NamedConfiguration, ...]
    """The bytes → bytes codecs."""

    @property
    def is_reversed(self) -> bool:
        """Whether the dimensions are reversed, as order "F" does."""
        return self.order is not None and self.order == tuple(reversed(range(len(self.order))))


def codec_chain(codecs: Iterable[NamedConfiguration], ndim: int) -> CodecChain:
    """The codecs sorted by kind.

    Raises:
        MetadataError: a transpose of another number of dimensions.
        UnsupportedError: an unknown codec, or a transpose after another codec.
    """
    order = tuple(range(ndim))
    filters: list[NamedConfiguration] = []
    compressors: list[NamedConfiguration] = []
    array_to_bytes = NamedConfiguration("bytes")
    for codec in codecs:
        kind = _kind(codec)
        if kind is not None and issubclass(kind, TransposeCodec):
            if filters:
                raise UnsupportedError("codec", codec.name, f"after {filters[-1].name!r} is not converted")
            permutation = kind.from_configuration(codec.configuration).permutation(ndim)
            order = tuple(order[axis] for axis in permutation)
        elif kind is not None and issubclass(kind, ArrayToArrayCodec):
            filters.append(codec)
        elif kind is not None and issubclass(kind, BytesToBytesCodec):
            compressors.append(codec)
        elif kind is not None and issubclass(kind, ArrayToBytesCodec):
            array_to_bytes = codec
    identity = order == tuple(range(ndim))
    return CodecChain(None if identity else order, tuple(filters), array_to_bytes, tuple(compressors))


def _kind(codec: NamedConfiguration) -> type[Codec] | None:
    try:
        return codec_class(codec.name)
    except UnsupportedError:
        if codec.must_understand:
            raise
        return None


def transposed(order: tuple[int, ...] | None) -> tuple[NamedConfiguration, ...]:
    """The codec for a permutation of dimensions; empty if there is none."""
    return () if order is None else (NamedConfiguration("transpose", {"order": list(order)}),)


def plain_array_to_bytes(dtype: np.dtype[Any]) -> NamedConfiguration:
    """The simplest array → bytes codec for these elements."""
    return NamedConfiguration({"T": "vlen-utf8", "O": "vlen-bytes"}.get(dtype.kind, "bytes"))


def without_shards(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array whose chunks are the innermost chunks of ``metadata``'s shards; itself if it has no shards.

    Raises:
        MetadataError: a parameter that shards do not have.
        UnsupportedError: shards of several shapes, or a codec before them that is not a transpose.
    """
    ndim = len(metadata.shape)
    chain = codec_chain(metadata.codecs, ndim)
    if chain.array_to_bytes.name != "sharding_indexed":
        return metadata
    if chain.filters or not isinstance(metadata.chunk_grid, RegularChunkGrid):
        what = chain.filters[0].name if chain.filters else "a rectilinear grid"
        raise UnsupportedError("codec", "sharding_indexed", f"with {what} is not converted")
    configuration = chain.array_to_bytes.configuration
    # The inner chunks' shape has the order of dimensions in which they are stored.
    order = chain.order or tuple(range(ndim))
    lengths = integers(configuration.get("chunk_shape"), "chunk_shape", minimum=1)
    if len(lengths) != ndim:
        raise MetadataError(f"expected {ndim} lengths, found {len(lengths)}", member="chunk_shape")
    stored = dict(zip(order, lengths, strict=True))
    shape = tuple(stored[axis] for axis in range(ndim))
    codecs = (*transposed(chain.order), *_inner_codecs(configuration))
    return without_shards(replace(metadata, chunk_grid=RegularChunkGrid(shape), codecs=codecs))


def without_blocks(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array without N5's block headers and with little-endian elements, or with whole plain chunks instead of those of
    Neuroglancer; itself if it is of neither.

    Raises:
        MetadataError: a parameter that blocks do not have.
        UnsupportedError: an unknown codec.
    """
    if any(codec.name.startswith(NEUROGLANCER) for codec in metadata.codecs):
        # Its chunks are cut at the bounds, and have no codecs of other formats.
        grid = RegularChunkGrid(metadata.chunk_grid.chunk_shape)
        return replace(metadata, chunk_grid=grid, codecs=(NamedConfiguration("bytes"), _ZSTD))
    if all(codec.name != "n5_default" for codec in metadata.codecs):
        return metadata
    ndim = len(metadata.shape)
    chain = codec_chain(metadata.codecs, ndim)
    inner = codec_chain(_inner_codecs(chain.array_to_bytes.configuration), ndim)
    stored = (*transposed(chain.order), *transposed(inner.order))
    compressors = tuple(_OURS.get(codec.name, codec) for codec in inner.compressors)
    order = codec_chain(stored, ndim).order
    codecs = (*transposed(order), *chain.filters, NamedConfiguration("bytes"), *compressors)
    return replace(metadata, codecs=codecs)


def _inner_codecs(configuration: Mapping[str, Any]) -> tuple[NamedConfiguration, ...]:
    return named_codecs({"codecs": ["bytes"], **configuration}, "codecs")


def chunk_spec(metadata: ArrayMetadata) -> ArraySpec:
    """Shape and type of a chunk; of the largest one if they differ."""
    return ArraySpec(metadata.chunk_grid.chunk_shape, metadata.data_type.dtype, metadata.fill_value)


def refuse_lost(metadata: ArrayMetadata, told: Any, title: str) -> None:
    """Check that ``told``, read back from the documents of ``metadata``, is the same array.

    Raises:
        UnsupportedError: its type or codecs differ: the format ``title`` cannot express them.
    """
    why = f"cannot be expressed in {title}"
    if not isinstance(told, ArrayMetadata) or told.data_type.dtype != metadata.data_type.dtype:
        raise UnsupportedError("data type", metadata.data_type.name, why)
    spec, ndim = chunk_spec(metadata), len(metadata.shape)
    wanted, found = (codec_chain(completed(codecs, spec), ndim) for codecs in (metadata.codecs, told.codecs))
    if wanted != found:
        raise UnsupportedError("chain of codecs", ", ".join(codec.name for codec in metadata.codecs), why)
