"""The ``sharding_indexed`` codec: a chunk as a shard of smaller chunks, with an index of their places.

Specification: zarr-specs, "Sharding codec" (version 1.0). An index entry is an offset and a length; 2⁶⁴−1 twice means that
the inner chunk is missing. Before 2023-07 there were no ``index_codecs``, and a CRC32C may or may not follow the index.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, Self

import google_crc32c
import numpy as np

from zarrcore.codecs.empty import is_fill
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import choice, known
from zarrcore.codecs.pipeline import Pipeline, completed
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers, parse_named_configuration
from zarrcore.stores.interface import ByteRange
from zarrcore.typing import AnyArray

MISSING = 2**64 - 1
"""Offset and length of a missing inner chunk."""

_MAX_INNER_CHUNKS = 1 << 26
_UINT64 = np.dtype("<u8")
_DEFAULT_INDEX_CODECS = (NamedConfiguration("bytes", {"endian": "little"}), NamedConfiguration("crc32c"))

Index = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
"""A row per inner chunk in C order: offset and number of bytes."""


class ShardingIndexedCodec(ArrayToBytesCodec):
    """Inner chunks one after another in any order, and their index at the start or the end.

    Attributes:
        chunk_shape: shape of the inner chunks.
    """

    names: ClassVar[tuple[str, ...]] = ("sharding_indexed",)
    makes_shards: ClassVar[bool] = True

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
        # A codec belongs to one pipeline, and thus to shards of one shape, type and fill value.
        self.inner_pipeline = cache(self._make_inner)
        self._index_pipeline = cache(self._make_index_pipeline)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "chunk_shape", "codecs", "index_codecs", "index_location")
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

    def _make_inner(self, spec: ArraySpec) -> Pipeline:
        """The pipeline for the inner chunks of a shard of ``spec``."""
        return Pipeline(self._codecs, ArraySpec(self.chunk_shape, spec.dtype, spec.fill_value), "codecs")

    def _make_index_pipeline(self, chunks: int) -> Pipeline:
        pipeline = Pipeline(
            self._index_codecs or (), ArraySpec((chunks, 2), _UINT64, zero(_UINT64)), "index_codecs"
        )
        if pipeline.encoded_nbytes is None:
            raise MetadataError("expected codecs of a fixed size", member="index_codecs")
        return pipeline

    def index_range(self, spec: ArraySpec) -> ByteRange:
        """The largest range in which the index of an encoded shard can be."""
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
        """First byte and byte after the last of the inner chunk at ``position`` (C order); None if it is missing.

        Raises:
            CodecError: an impossible offset or length.
        """
        offset, nbytes = (int(value) for value in index[position])
        if offset == MISSING and nbytes == MISSING:
            return None
        if offset + nbytes >= 2**63:
            raise CodecError(
                f"inner chunk {position} is at {offset:,}, {nbytes:,} bytes long", codec=self.name
            )
        return offset, offset + nbytes

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        # Writers that replace inner chunks may leave old ones between them. A bound of twice all of them would double
        # with every level of nesting, so the bound is their decoded bytes and a little more for each.
        chunks = math.prod(self.grid_shape(spec))
        most = chunks * self.inner_pipeline(spec).max_encoded_nbytes
        return most + spec.nbytes + 2 * self._index_nbytes(chunks)

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        inner, grid, view = self.inner_pipeline(spec), self.grid_shape(spec), memoryview(encoded)
        start, stop = self.index_range(spec).resolve(len(view))
        index = self.parse_index(view[start:stop], spec)
        shard = np.empty(spec.shape, spec.dtype)
        for position, coordinates in enumerate(np.ndindex(*grid)):
            region = self._region(coordinates)
            place = self.member(index, position)
            if place is None:
                shard[region] = spec.fill_value
            else:
                inner.decode_into(self.slice_member(view, place), shard[region])
        return shard

    def _region(self, coordinates: tuple[int, ...]) -> Any:
        """The region of an inner chunk in its shard; the ellipsis makes it an array even without dimensions."""
        parts = zip(coordinates, self.chunk_shape, strict=True)
        return (*(slice(i * length, (i + 1) * length) for i, length in parts), ...)

    def slice_member(self, shard: memoryview, place: tuple[int, int]) -> memoryview:
        """The bytes of an inner chunk, taken from those of its shard.

        Raises:
            CodecError: the index points outside the shard.
        """
        if place[1] > len(shard):
            raise CodecError(
                f"an inner chunk ends at byte {place[1]:,} of a shard of {len(shard):,}", codec=self.name
            )
        return shard[place[0] : place[1]]

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        inner, fill = self.inner_pipeline(spec), spec.fill_value
        chunks = (decoded[self._region(coordinates)] for coordinates in np.ndindex(*self.grid_shape(spec)))
        return self.join((None if is_fill(chunk, fill) else inner.encode(chunk) for chunk in chunks), spec)

    def join(self, members: Iterable[Buffer | None], spec: ArraySpec) -> memoryview:
        """The shard of encoded inner chunks, in C order; None for a missing one.

        Raises:
            UnsupportedError: an index without ``index_codecs``, since no specification defines its form.
        """
        if self._index_codecs is None:
            raise UnsupportedError("codec", self.name, "without index_codecs can be read but not written")
        index: Index = np.full((math.prod(self.grid_shape(spec)), 2), MISSING, _UINT64)
        index_nbytes = self._index_nbytes(len(index))
        end = begin = index_nbytes if self._index_at_start else 0
        # Each member is copied at once, so that its memory serves the next one. NumPy's memory is not cleared before.
        shard = np.empty(spec.nbytes + index_nbytes, np.uint8)
        for position, member in enumerate(members):
            if member is not None:
                index[position] = end, len(member)
                shard = _copied_to(shard, end, member, index_nbytes)
                end += len(member)
        encoded_index = self._index_pipeline(len(index)).encode(index)
        shard = _copied_to(shard, 0 if begin else end, encoded_index)
        return shard[: end if begin else end + index_nbytes].data

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        chunks = math.prod(self.grid_shape(spec))
        index_spec = ArraySpec((chunks, 2), _UINT64, zero(_UINT64))
        index_codecs = completed(self._index_codecs or _DEFAULT_INDEX_CODECS, index_spec)
        return {
            "chunk_shape": list(self.chunk_shape),
            "codecs": [codec.document() for codec in self.inner_pipeline(spec).completed()],
            "index_codecs": [codec.document() for codec in index_codecs],
            "index_location": "start" if self._index_at_start else "end",
        }


def _copied_to(shard: AnyArray, position: int, member: Buffer, room: int = 0) -> AnyArray:
    """The shard with a member at a position, and room for further bytes; moved to new memory if it is too small."""
    end = position + len(member)
    if end + room > len(shard):
        larger = np.empty(2 * (end + room), np.uint8)
        larger[:position] = shard[:position]
        shard = larger
    shard.data[position:end] = member
    return shard


def _named(value: Any, member: str) -> tuple[NamedConfiguration, ...]:
    if not isinstance(value, list):
        raise MetadataError(f"expected an array of codecs, found {describe(value)}", member=member)
    return tuple(parse_named_configuration(item, f"{member}[{i}]") for i, item in enumerate(value))
