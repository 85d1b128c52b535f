"""Arrays of any format as accepted Zarr v3 with only the codec ``bytes``: the document, and each chunk as a file.

Accepted specification, "Array metadata", "Regular grids", "bytes codec". Elements are in C order, little-endian, so that
a chunk's size is computed from metadata and any part of it can be read separately. A chunk is padded with the fill value at the
edges of the array. Elements of variable length have the codec of their type instead, and a chunk of them is made as a whole.

A regular grid of the array is kept, so that readers fetch the chunks that the mount decodes. For shards, the grid is that of the
inner chunks, several of which are joined into a file that is large enough. A rectilinear grid, which few readers support, becomes
a regular one of its largest chunk. The grid never depends on the array's shape, so it stays valid when the array grows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from zarrcore.array import Array
from zarrcore.array.selection.axes import AxisRange
from zarrcore.codecs import Pipeline
from zarrcore.conventions.cf import attributes_in_zarr_v3
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import VirtualFile
from zarrcore.filetypes.plan import Box, BoxPlan, BytesPlan, ElementBytes, WrappedPlan
from zarrcore.formats.chunk_terms import chunk_spec, plain_array_to_bytes
from zarrcore.formats.v3.encode import adapted_array, encode_node
from zarrcore.hierarchy import ArrayNode
from zarrcore.metadata import ChunkKeyEncoding, GroupMetadata, RegularChunkGrid
from zarrcore.typing import AnyArray

_WORTH_OPENING_NBYTES = 1 << 20
"""Through a mount, opening a file takes as long as reading a few hundred kilobytes."""
_MAX_NBYTES = (1 << 63) - 1


def group_document(attributes: Mapping[str, Any]) -> bytes:
    """The ``zarr.json`` of a group.

    Raises:
        MetadataError: an attribute is not JSON.
    """
    return encode_node(GroupMetadata(attributes))


class PlainChunks:
    """An array in chunks of plain elements.

    Attributes:
        document: its ``zarr.json``.
        shape: the shape of a full chunk, including padding.
        grid_shape: chunks per dimension.
        nbytes: bytes of each chunk; None for elements of variable length.

    Raises:
        UnsupportedError: Zarr v3 cannot express the array, or its chunks are too large for a file.
        MetadataError: an attribute is not JSON.
    """

    def __init__(self, array: ArrayNode) -> None:
        self._array = array
        if array.dtype.names is not None and array.dtype.hasobject:
            why = "with elements of variable length has no codec in Zarr v3; a copy has each as a text"
            raise UnsupportedError("data type", array.data_type.name, why)
        self.shape = _chunk_shape(array)
        grid = RegularChunkGrid(self.shape)
        codecs = (plain_array_to_bytes(array.dtype),)
        self._metadata = replace(
            array.metadata,
            chunk_grid=grid,
            codecs=codecs,
            chunk_key_encoding=ChunkKeyEncoding(),
            attributes=attributes_in_zarr_v3(array),
        )
        self.document = encode_node(adapted_array(self._metadata))
        self.grid_shape = grid.grid_shape(array.shape)
        nbytes = math.prod(self.shape) * array.itemsize
        if nbytes > _MAX_NBYTES:
            raise UnsupportedError("chunk shape", str(self.shape), "is too large for a file")
        self.nbytes = None if array.data_type.is_variable_length else nbytes

    def chunk(self, index: tuple[int, ...]) -> PlainChunk:
        """The chunk at a grid index, of elements of fixed length."""
        return PlainChunk(self._array, self.shape, index)

    def encoded(self, index: tuple[int, ...]) -> bytes:
        """The chunk at a grid index as bytes, for elements of any type.

        Raises:
            As `Array.read`.
        """
        spec = chunk_spec(self._metadata)
        chunk = np.empty(self.shape, spec.dtype)
        box = tuple((0, length) for length in self.shape)
        PlainChunk(self._array, self.shape, index).plan_box(box).read_into(chunk)
        return bytes(Pipeline(self._metadata.codecs, spec).encode(chunk))


def _chunk_shape(array: Array) -> tuple[int, ...]:
    """The shape that is decoded as a whole; for shards, several inner chunks, doubled along the shortest side."""
    unit = array.inner_chunk_shape
    shape, shard = list(unit), array.chunk_shape
    while math.prod(shape) * array.itemsize < _WORTH_OPENING_NBYTES:
        growing = [axis for axis, length in enumerate(shape) if 2 * length <= shard[axis]]
        if not growing:
            break
        shape[min(growing, key=lambda axis: (shape[axis], -axis))] *= 2
    return tuple(shape)


class PlainChunk(VirtualFile):
    """One chunk's elements as bytes, readable at any offset."""

    suffix = ""

    def __init__(self, array: Array, shape: tuple[int, ...], index: tuple[int, ...]) -> None:
        self._array = array
        self._shape = shape
        self._origin = tuple(i * length for i, length in zip(index, shape, strict=True))
        self.size = math.prod(shape) * array.itemsize

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        stop = self._clipped(offset, nbytes)
        return ElementBytes(self._shape, self._array.dtype, offset, stop - offset, self.plan_box)

    def plan_box(self, box: Box) -> BoxPlan:
        """A plan to read a part of the chunk."""
        ranges = [*self._ranges(box)]
        is_outside = any(axis.count <= 0 for axis in ranges)
        fill_value = self._array.metadata.fill_value
        if is_outside:
            return _ChunkBox(None, (), fill_value)
        return _ChunkBox(self._array.plan(ranges), tuple(axis.count for axis in ranges), fill_value)

    def _ranges(self, box: Box) -> Iterator[AxisRange]:
        for (start, stop), first, length in zip(box, self._origin, self._array.shape, strict=True):
            yield AxisRange(first + start, 1, min(first + stop, length) - (first + start))


class _ChunkBox(WrappedPlan):
    """A box of a chunk: the elements within the array, and the fill value outside it.

    Args:
        plan: reads the part within the array; None if there is none.
        lengths: the shape of that part.
        fill_value: the fill value of the array.
    """

    __slots__ = ("_fill_value", "_lengths")

    def __init__(self, plan: BoxPlan | None, lengths: tuple[int, ...], fill_value: AnyArray) -> None:
        super().__init__(plan)
        self._lengths = lengths
        self._fill_value = fill_value

    def read_into(self, out: AnyArray) -> None:
        if self._plan is None or self._lengths != out.shape:
            np.copyto(out, self._fill_value)
        if self._plan is not None:
            self._plan.read_into(out[tuple(map(slice, self._lengths)) or ...])
