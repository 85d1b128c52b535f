"""The ``sharding_indexed`` codec: a chunk as a shard of smaller chunks, with an index of where they lie.

Specification: zarr-specs, "Sharding codec" (version 1.0). An index entry is an offset and a length; 2⁶⁴−1 twice means that
the inner chunk is missing. Before 2023-07 there were no ``index_codecs``, and a CRC32C may or may not follow the index.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import google_crc32c
import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import choice
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers, parse_named_configuration
from zarrcore.stores.interface import ByteRange

if TYPE_CHECKING:
    from zarrcore.codecs.pipeline import Pipeline

_MISSING = 2**64 - 1
_MAX_INNER_CHUNKS = 1 << 26
_UINT64 = np.dtype("<u8")

Index = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
"""A row per inner chunk in C order: offset and number of bytes."""


class ShardingIndexedCodec(ArrayToBytesCodec):
    """Inner chunks one after another in any order, and their index at the start or the end.

    Attributes:
        chunk_shape: shape of the inner chunks.
    """

    names: ClassVar[tuple[str, ...]] = ("sharding_indexed",)

    def __init__(
        self,
        chunk_shape: tuple[int, ...],
        codecs: tuple[NamedConfiguration, ...],
        index_codecs: tuple[NamedConfiguration, ...] | None,
        index_location: str,
    ) -> None:
        self.chunk_shape = chunk_shape
        self._codecs = codecs
        self._index_codecs = index_codecs
        self._index_at_start = index_location == "start"
        self._inner = lru_cache(maxsize=4)(self._make_inner)
        self._index_pipeline = lru_cache(maxsize=4)(self._make_index_pipeline)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        shape = integers(configuration.get("chunk_shape"), "chunk_shape", minimum=1)
        index_codecs = None
        if "index_codecs" in configuration:
            index_codecs = _named(configuration["index_codecs"], "index_codecs")
        return cls(
            shape,
            _named(configuration.get("codecs", ["bytes"]), "codecs"),
            index_codecs,
            choice(configuration, "index_location", ("start", "end"), "end"),
        )

    def grid_shape(self, spec: ArraySpec) -> tuple[int, ...]:
        """Inner chunks per dimension of a shard.

        Raises:
            MetadataError: the inner shape does not divide the shard's.
        """
        if len(self.chunk_shape) != len(spec.shape) or any(
            outer % inner for outer, inner in zip(spec.shape, self.chunk_shape, strict=True)
        ):
            raise MetadataError(
                f"expected a shape that divides {spec.shape}, found {self.chunk_shape}", member="chunk_shape"
            )
        grid = tuple(outer // inner for outer, inner in zip(spec.shape, self.chunk_shape, strict=True))
        if math.prod(grid) > _MAX_INNER_CHUNKS:
            raise MetadataError(
                f"{math.prod(grid):,} inner chunks in a shard are too many", member="chunk_shape"
            )
        return grid

    def inner_pipeline(self, spec: ArraySpec) -> Pipeline:
        """What decodes an inner chunk of a shard of ``spec``."""
        return self._inner(spec.dtype, spec.fill_value.tobytes())

    def _make_inner(self, dtype: np.dtype[Any], fill: bytes) -> Pipeline:
        from zarrcore.codecs.pipeline import Pipeline

        element = np.frombuffer(fill, dtype).reshape(()) if dtype.itemsize else np.zeros((), dtype)
        return Pipeline(self._codecs, ArraySpec(self.chunk_shape, dtype, element), "codecs")

    def _make_index_pipeline(self, chunks: int) -> Pipeline:
        from zarrcore.codecs.pipeline import Pipeline

        pipeline = Pipeline(
            self._index_codecs or (), ArraySpec((chunks, 2), _UINT64, zero(_UINT64)), "index_codecs"
        )
        if pipeline.encoded_nbytes is None:
            raise MetadataError("expected codecs of a fixed size", member="index_codecs")
        return pipeline

    def index_range(self, spec: ArraySpec) -> ByteRange:
        """Where the index lies in an encoded shard, at most."""
        nbytes = self._index_nbytes(math.prod(self.grid_shape(spec)))
        return ByteRange(0, nbytes) if self._index_at_start else ByteRange(-nbytes)

    def _index_nbytes(self, chunks: int) -> int:
        if self._index_codecs is None:
            return 16 * chunks + 4
        return self._index_pipeline(chunks).encoded_nbytes or 0

    def parse_index(self, encoded: Buffer, spec: ArraySpec) -> Index:
        """The index whose bytes are ``encoded``, as `index_range` delivers them.

        Raises:
            CodecError: shorter than the shard's number of inner chunks demands, or a wrong checksum.
        """
        chunks = math.prod(self.grid_shape(spec))
        if self._index_codecs is None:
            return self._parse_bare_index(encoded, chunks)
        expected = self._index_nbytes(chunks)
        if len(encoded) != expected:
            raise CodecError(
                f"expected an index of {expected:,} bytes, found {len(encoded):,}", codec=self.name
            )
        return self._index_pipeline(chunks).decode(encoded)

    def _parse_bare_index(self, encoded: Buffer, chunks: int) -> Index:
        view, nbytes = memoryview(encoded), 16 * chunks
        if len(view) == nbytes + 4 and google_crc32c.value(bytes(view[:-4])) == int.from_bytes(
            view[-4:], "little"
        ):
            view = view[:-4]
        elif len(view) < nbytes:
            raise CodecError(f"expected an index of {nbytes:,} bytes, found {len(view):,}", codec=self.name)
        else:
            view = view[:nbytes] if self._index_at_start else view[-nbytes:]
        return np.frombuffer(view, _UINT64).reshape(chunks, 2)

    def member(self, index: Index, position: int) -> tuple[int, int] | None:
        """First byte and byte after the last of the inner chunk at ``position`` (C order); None where it is missing.

        Raises:
            CodecError: an offset or a length that no file can have.
        """
        offset, nbytes = (int(value) for value in index[position])
        if offset == _MISSING and nbytes == _MISSING:
            return None
        if offset + nbytes >= 2**63:
            raise CodecError(
                f"inner chunk {position} lies at {offset:,}, {nbytes:,} bytes long", codec=self.name
            )
        return offset, offset + nbytes

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        inner = self.inner_pipeline(spec)
        return 2 * spec.nbytes + math.prod(self.grid_shape(spec)) * (16 + 4096) + inner.spec.nbytes

    def decode(self, encoded: Buffer, spec: ArraySpec) -> np.ndarray[Any, Any]:
        inner, grid, view = self.inner_pipeline(spec), self.grid_shape(spec), memoryview(encoded)
        start, stop = self.index_range(spec).resolve(len(view))
        index = self.parse_index(view[start:stop], spec)
        shard = np.empty(spec.shape, spec.dtype)
        for position, coordinates in enumerate(np.ndindex(*grid)):
            region: Any = tuple(
                slice(i * length, (i + 1) * length)
                for i, length in zip(coordinates, self.chunk_shape, strict=True)
            )
            place = self.member(index, position)
            if place is None:
                shard[region] = spec.fill_value
            else:
                inner.decode_into(self.slice_member(view, place), shard[(*region, ...)])
        return shard

    def slice_member(self, shard: memoryview, place: tuple[int, int]) -> memoryview:
        """The bytes of an inner chunk out of those of its shard.

        Raises:
            CodecError: the index points outside the shard.
        """
        if place[1] > len(shard):
            raise CodecError(
                f"an inner chunk ends at byte {place[1]:,} of a shard of {len(shard):,}", codec=self.name
            )
        return shard[place[0] : place[1]]


def _named(value: Any, member: str) -> tuple[NamedConfiguration, ...]:
    if not isinstance(value, list):
        raise MetadataError(f"expected an array of codecs, found {describe(value)}", member=member)
    return tuple(parse_named_configuration(item, f"{member}[{i}]") for i, item in enumerate(value))
