"""Chunks of one format in the terms of another: what is common to all of them.

Shards and N5 blocks are codecs around other codecs. Where a format has neither, their inner chunks and codecs take their
place: the values are the same, and every format has words for what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import UnsupportedError
from zarrcore.metadata import ArrayMetadata, NamedConfiguration, RegularChunkGrid
from zarrcore.metadata.named_configuration import parse_named_configuration

_OURS = {"n5_lz4": NamedConfiguration("numcodecs.lz4", {"acceleration": 1})}
"""Codecs of ours that no other format has, and the nearest that they do."""


@dataclass(frozen=True, slots=True)
class CodecChain:
    """Codecs by their kind, in the order of encoding."""

    order: tuple[int, ...] | None
    """What all transposes together do to the dimensions; None: nothing."""
    filters: tuple[NamedConfiguration, ...]
    """The other array → array codecs."""
    array_to_bytes: NamedConfiguration
    """What makes bytes of the elements."""
    compressors: tuple[NamedConfiguration, ...]
    """The bytes → bytes codecs."""

    @property
    def is_reversed(self) -> bool:
        """Whether the dimensions are turned round, as order "F" does."""
        return self.order is not None and self.order == tuple(reversed(range(len(self.order))))


def codec_chain(codecs: Iterable[NamedConfiguration], ndim: int) -> CodecChain:
    """The codecs sorted by kind.

    Raises:
        MetadataError: a transpose of other dimensions.
        UnsupportedError: a codec that is not known, or a transpose behind another codec.
    """
    order = tuple(range(ndim))
    filters: list[NamedConfiguration] = []
    compressors: list[NamedConfiguration] = []
    array_to_bytes = NamedConfiguration("bytes")
    for codec in codecs:
        kind = _kind(codec)
        if kind is not None and issubclass(kind, TransposeCodec):
            if filters:
                raise UnsupportedError("codec", codec.name, f"behind {filters[-1].name!r} is not converted")
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
    """The codec that permutes dimensions so; none where nothing is to be done."""
    return () if order is None else (NamedConfiguration("transpose", {"order": list(order)}),)


def plain_array_to_bytes(dtype: np.dtype[Any]) -> NamedConfiguration:
    """The array → bytes codec that does no more than it must."""
    return NamedConfiguration({"T": "vlen-utf8", "O": "vlen-bytes"}.get(dtype.kind, "bytes"))


def without_shards(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array whose chunks are the inner chunks of ``metadata``'s shards, however deep; itself where it has none.

    Raises:
        UnsupportedError: shards of several shapes, or a codec before them that is no transpose.
    """
    ndim = len(metadata.shape)
    chain = codec_chain(metadata.codecs, ndim)
    if chain.array_to_bytes.name != "sharding_indexed":
        return metadata
    if chain.filters or not isinstance(metadata.chunk_grid, RegularChunkGrid):
        what = chain.filters[0].name if chain.filters else "a rectilinear grid"
        raise UnsupportedError("codec", "sharding_indexed", f"with {what} is not converted")
    configuration = chain.array_to_bytes.configuration
    # The inner chunks' shape is told in the order of dimensions in which they are stored.
    order = chain.order or tuple(range(ndim))
    stored = dict(zip(order, configuration["chunk_shape"], strict=True))
    shape = tuple(int(stored[axis]) for axis in range(ndim))
    codecs = (*transposed(chain.order), *_inner_codecs(configuration))
    return without_shards(replace(metadata, chunk_grid=RegularChunkGrid(shape), codecs=codecs))


def without_blocks(metadata: ArrayMetadata) -> ArrayMetadata:
    """The array without N5's block headers, and with little-endian elements in place of N5's; else itself.

    Raises:
        UnsupportedError: an unknown codec.
    """
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


def _inner_codecs(configuration: Any) -> list[NamedConfiguration]:
    return [
        parse_named_configuration(item, f"codecs[{position}]")
        for position, item in enumerate(configuration.get("codecs", ["bytes"]))
    ]


def chunk_spec(metadata: ArrayMetadata) -> ArraySpec:
    """Shape and type of a chunk; of the largest where they differ."""
    return ArraySpec(metadata.chunk_grid.chunk_shape, metadata.data_type.dtype, metadata.fill_value)


def refuse_lost(metadata: ArrayMetadata, told: Any, title: str) -> None:
    """Whether ``told``, what has been read from the documents of ``metadata``, is that array.

    Raises:
        UnsupportedError: its type or codecs are others: the format called ``title`` has no words for them.
    """
    why = f"cannot be told in {title}"
    if not isinstance(told, ArrayMetadata) or told.data_type.dtype != metadata.data_type.dtype:
        raise UnsupportedError("data type", metadata.data_type.name, why)
    spec, ndim = chunk_spec(metadata), len(metadata.shape)
    wanted, found = (codec_chain(completed(codecs, spec), ndim) for codecs in (metadata.codecs, told.codecs))
    if wanted != found:
        raise UnsupportedError("chain of codecs", ", ".join(codec.name for codec in metadata.codecs), why)
