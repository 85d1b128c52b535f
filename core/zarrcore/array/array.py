"""Arrays with the interface that NumPy, Dask, xarray and napari expect, read and written chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from zarrcore.array.assigned_values import as_elements
from zarrcore.array.chunks.cache import ChunkCache
from zarrcore.array.chunks.keys import ChunkKeys
from zarrcore.array.duck_array import DuckArray
from zarrcore.array.encoding import Encoding, unit_shape
from zarrcore.array.plan import ReadPlan
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES, ChunkReader, Missing, Verify
from zarrcore.array.selection.any_selection import Selection, normalize_any
from zarrcore.array.selection.axes import Axis, result_shape, upwards
from zarrcore.array.selection.basic import BasicSelection
from zarrcore.array.selection.blocks import normalize_blocks
from zarrcore.array.selection.fields import field_of, split_fields, taken
from zarrcore.array.selection.indexer import Indexer
from zarrcore.array.selection.outer import Outer, OuterSelection, normalize_outer
from zarrcore.array.selection.points import Points, PointSelection, normalize_points
from zarrcore.array.storage_info import Seen, StorageInfo, storage_info
from zarrcore.array.writer import ChunkWriter
from zarrcore.errors import ReadOnlyError, SelectionError
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.wrapper.interface import writable
from zarrcore.typing import AnyArray

_MOST_UNITS: Final = 1 << 18
"""Units of decoding that are worth to be read at once: what is known of each takes some hundred bytes meanwhile."""


class Array(DuckArray):
    """The elements of an array node, read and written on request. Thread-safe.

    Args:
        store: where the chunks are.
        prefix: the prefix of all chunk keys: empty, or ending in ``/``.
        metadata: the metadata in the array's document.
        chunk_cache: keeps decoded chunks; without one every read decodes again.
        max_chunk_bytes: chunks that decode to more are refused.
        read_only: refuse writing even if the store allows it.
        settled: resolves how chunk keys are built if ``metadata`` does not say; called when a chunk is missing or
            all keys are needed.
        missing: "fill" reads missing chunks as fill values; "error" raises ChunkNotFoundError.
        verify: "always" decodes chunks as a whole, so that damage anywhere in them is found.
        confirmed: raises if the array is not there; called once, when a chunk is missing. None if that is known.

    Raises:
        MetadataError: the codecs do not fit the chunks.
        UnsupportedError: an unknown codec.
    """

    def __init__(
        self,
        store: ReadableStore,
        prefix: str,
        metadata: ArrayMetadata,
        chunk_cache: ChunkCache | None = None,
        max_chunk_bytes: int = DEFAULT_MAX_CHUNK_BYTES,
        read_only: bool = True,
        settled: Callable[[], ArrayMetadata] | None = None,
        missing: Missing = "fill",
        verify: Verify = "needed",
        confirmed: Callable[[], None] | None = None,
    ) -> None:
        self.store = store
        self.chunk_cache = chunk_cache
        self.read_only = read_only
        self._prefix = prefix
        self._max_chunk_bytes = max_chunk_bytes
        self._settled = settled
        self.missing = missing
        self.verify = verify
        self.confirmed = confirmed
        self._take(metadata)

    def _take(self, metadata: ArrayMetadata) -> None:
        """Become the array that ``metadata`` describes."""
        self._keys = ChunkKeys(self._prefix, metadata.chunk_key_encoding, self._settled)
        self._writer: ChunkWriter | None = None
        self.metadata = metadata
        # Few of the thousands of arrays in a listing are read, and a reader takes twice the memory of the rest.
        self.__dict__.pop("_reader", None)
        self._unit_shape = unit_shape(Encoding(metadata))

    @cached_property
    def _reader(self) -> ChunkReader:
        return ChunkReader(
            self.store,
            self._keys,
            self.metadata,
            self._max_chunk_bytes,
            self.missing,
            self.verify,
            self.confirmed,
        )

    def confirm(self) -> None:
        """Ask the store once whether the array is still there, if only consolidated metadata say so.

        Reading does that when a chunk is missing.

        Raises:
            BrokenReferenceError: it is not.
            StoreError: the store failed.
        """
        if self.confirmed is not None:
            self._reader.confirm()

    @property
    def inner_chunk_shape(self) -> tuple[int, ...]:
        """Elements per dimension of a unit of decoding: the innermost chunk of a shard, else the chunk."""
        return self._unit_shape

    @property
    def most_nbytes(self) -> int:
        """The most bytes to read at once, lest the number of chunks takes much memory where each has few bytes."""
        return _MOST_UNITS * max(1, math.prod(self._unit_shape) * self.itemsize)

    @property
    def chunk_key_encoding(self) -> ChunkKeyEncoding:
        """How chunk keys are built. If the documents leave it open, the store is asked.

        Raises:
            StoreError: the store failed.
        """
        return self._keys.encoding

    def chunk_key(self, index: tuple[int, ...]) -> str:
        """The key of the chunk at a grid index.

        Raises:
            SelectionError: the index is outside the grid.
        """
        grid = self.chunk_grid_shape
        if len(index) != len(grid) or not all(0 <= i < n for i, n in zip(index, grid, strict=True)):
            raise SelectionError(f"a chunk index must be inside a grid of {grid}, found {tuple(index)}")
        return self._keys.key(tuple(index))

    def __getitem__(self, selection: Selection) -> Any:
        """The selected elements: an array, or a scalar if an integer selects in every dimension. See `read`.

        Names among the indices select fields of structured elements: ``array["x"]``, ``array[:10, ["x", "y"]]``. Whole elements
        are read, because that is how they are stored.
        """
        fields, selection = split_fields(selection)
        field = field_of(fields, self.dtype) if fields else None
        result = self.read(selection)
        if field is not None:
            result = taken(result, field)
        return result[()] if result.ndim == 0 and not _has_ellipsis(selection) else result

    def read(
        self,
        selection: Selection = ...,
        out: AnyArray | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> AnyArray:
        """Read a selection, as zarr-python has them: see `zarrcore.array.selection.any_selection`.

        Args:
            selection: integers, slices and ``...``; with one array of indices or mask of a dimension beside them; an array of
                indices for each dimension; or a mask of the array's shape.
            out: an array to read into, with the selection's shape, this array's dtype and any strides.
            cancelled: called between chunks; reading stops when it returns True.

        Returns:
            ``out``, or a new C-contiguous array.

        Raises:
            SelectionError: indices outside the array, a result that does not fit in memory, or an unsuitable ``out``.
            CodecError: a chunk does not decode; the error names its key.
            StoreError: the store failed.
            UnsupportedError: a chunk that decodes to more than ``max_chunk_bytes``.
            ReadCancelledError: ``cancelled`` returned True.

        >>> import numpy, zarrcore
        >>> array = zarrcore.create("memory://read").create_array("a", data=numpy.arange(6).reshape(2, 3))
        >>> array.read((0, slice(1, None))).tolist(), array.read(1, out=numpy.empty(3, int)).tolist()
        ([1, 2], [3, 4, 5])
        """
        return self._read(normalize_any(selection, self.shape), out, cancelled)

    @property
    def oindex(self) -> Indexer[OuterSelection]:
        """Reads and writes outer selections: ``array.oindex[[0, 5], :, mask]`` combines each of the indices of one dimension
        with each of the others.
        """
        return Indexer(
            lambda selection: self._read(normalize_outer(selection, self.shape)),
            lambda selection, value: self._write(normalize_outer(selection, self.shape), value),
        )

    @property
    def vindex(self) -> Indexer[PointSelection]:
        """Reads and writes points: ``array.vindex[i, j, k]`` or ``array.vindex[mask]``; see `read_points`."""
        return Indexer(
            self.read_points,
            lambda selection, value: self._write(normalize_points(selection, self.shape), value),
        )

    @property
    def blocks(self) -> Indexer[BasicSelection]:
        """Reads and writes whole chunks by their indices in the chunk grid: ``array.blocks[0, 2:]``."""
        return Indexer(
            lambda selection: self._read(self._blocks(selection)),
            lambda selection, value: self._write(self._blocks(selection), value),
        )

    def _blocks(self, selection: BasicSelection) -> Outer:
        return normalize_blocks(selection, self.metadata.chunk_grid, self.shape)

    def read_points(
        self, selection: PointSelection, *, cancelled: Callable[[], bool] | None = None
    ) -> AnyArray:
        """Read single elements, as NumPy's integer-array indexing does. Each chunk that has some is decoded once.

        Args:
            selection: an integer or array of integers per dimension; they are broadcast against each other. Or a mask:
                a boolean array of this array's shape.
            cancelled: called between chunks; reading stops when it returns True.

        Returns:
            A new C-contiguous array: of the broadcast shape, or of one dimension for a mask.

        Raises:
            SelectionError: indices outside the array, or that do not broadcast; a mask of another shape.
            Else as `read`.
        """
        return self._read(normalize_points(selection, self.shape), None, cancelled)

    def _read(
        self,
        wanted: Outer | Points,
        out: AnyArray | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> AnyArray:
        """Read a normalized selection: see `read`."""
        if out is not None and not (
            out.shape == wanted.shape and out.dtype == self.dtype and out.flags.writeable
        ):
            raise SelectionError(
                f"expected a writable out of shape {wanted.shape} and type {self.dtype}, found {out.shape} of {out.dtype}"
            )
        is_direct = isinstance(wanted, Outer) and not wanted.rearranged
        if isinstance(wanted, Points):
            found = self._empty(wanted.shape)
            self._reader.read_points(wanted, found, self.chunk_cache, cancelled)
        else:
            found = out if is_direct and out is not None else self._empty(result_shape(wanted.axes))
            self.plan(wanted.axes).read_into(upwards(found, wanted.axes), cancelled=cancelled)
            found = wanted.arrange(found)
        if out is None or out is found:
            return found
        out[...] = found
        return out

    def _empty(self, shape: tuple[int, ...]) -> AnyArray:
        try:
            return np.empty(shape, self.dtype)
        except (MemoryError, ValueError) as error:  # NumPy has a limit of its own
            raise SelectionError(
                f"{shape} elements of {self.dtype} do not fit in memory: select less"
            ) from error

    def plan(self, axes: Sequence[Axis]) -> ReadPlan:
        """A plan for reading the selected indices of each dimension, all of them ascending. Reads nothing yet."""
        return ReadPlan(self._reader, axes, self.chunk_cache)

    def read_chunk(self, index: tuple[int, ...]) -> AnyArray:
        """The elements of one chunk that are inside the array.

        Raises:
            SelectionError: the index is outside the grid; else as `read`.
        """
        self.chunk_key(index)
        grid = self.metadata.chunk_grid
        places = zip(grid.chunk_origin(index), grid.chunk_shape_at(index), strict=True)
        return self.read(tuple(slice(first, first + length) for first, length in places) or ...)

    def chunks_surely_decode(self, indices: Sequence[tuple[int, ...]]) -> bool:
        """Whether the chunks at some grid indices are stored, and decode as a whole.

        This is several times faster than reading them. False only means that it could not be found out so fast.
        """
        return self._reader.chunks_surely_decode(indices)

    def __setitem__(self, selection: Selection, value: Any) -> None:
        """Same as `write`. Names among the indices write fields of structured elements; their other fields are read first."""
        fields, selection = split_fields(selection)
        if fields:
            field = field_of(fields, self.dtype)
            elements = self.read(selection)
            elements[field] = value
            value = elements
        self.write(selection, value)

    def write(
        self,
        selection: Selection,
        value: Any,
        *,
        write_empty_chunks: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Write to a selection.

        Chunks are written in parallel, each atomically. If the selection covers a chunk only in part, the rest of the
        chunk is read first. If several threads write an element, it gets the value of one of them. If several
        processes write to one chunk or shard, the last one's chunk replaces the others.

        Args:
            selection: as in `read`. If it selects an element twice, the last of its values stays.
            value: an array or array-like that broadcasts to the selection's shape.
            write_empty_chunks: also store chunks that contain only fill values; otherwise they are erased.
            cancelled: called between chunks; writing stops when it returns True.

        Raises:
            SelectionError: indices outside the array.
            ElementError: values that cannot be converted to the dtype, or do not fit the selection.
            ReadOnlyError: the array or its store is read-only.
            CodecError: a chunk that is written in part does not decode.
            StoreError: the store failed; other chunks may have been written.
            UnsupportedError: a chunk of more than ``max_chunk_bytes``, or a codec that cannot encode.
            ReadCancelledError: ``cancelled`` returned True; some chunks may have been written.

        >>> import zarrcore
        >>> array = zarrcore.create("memory://write").create_array("a", shape=(2, 3), dtype="int8")
        >>> array.write((0, slice(1, None)), 7)
        >>> array[...].tolist()
        [[0, 7, 7], [0, 0, 0]]
        """
        wanted = normalize_any(selection, self.shape)
        self._write(wanted, value, write_empty_chunks=write_empty_chunks, cancelled=cancelled)

    def _write(self, wanted: Outer | Points, value: Any, **options: Any) -> None:
        """Write to a normalized selection: see `write`."""
        values = as_elements(value, self.dtype, wanted.shape)
        writer = self._chunk_writer()
        if isinstance(wanted, Points):
            writer.write_points(wanted, values, self.chunk_cache, **options)
        else:
            values = upwards(wanted.ascending(values), wanted.axes)
            writer.write(wanted.axes, values, self.chunk_cache, **options)

    def _chunk_writer(self) -> ChunkWriter:
        if self._writer is None:
            if self.read_only:
                raise ReadOnlyError(f"{self!r} was opened read-only: open its hierarchy with mode 'r+'")
            self._writer = ChunkWriter(
                writable(self.store),
                self.store.get,
                self._keys,
                self.metadata,
                self._max_chunk_bytes,
                self._reader.forget,
            )
        return self._writer

    def storage_info(self, seen: Seen | None = None) -> StorageInfo:
        """The array's storage: chunks present and missing, stored bytes, compression ratio.

        Args:
            seen: called with the index and the stored bytes of each chunk as it is found, in no particular order.
                An exception that it raises ends the counting.

        Raises:
            ListingUnsupportedError: the store cannot list, and there are too many chunks to check one by one.
            StoreError: the store failed.
        """
        metadata = replace(self.metadata, chunk_key_encoding=self.chunk_key_encoding)
        return storage_info(self.store, self._prefix, metadata, seen)

    def forget_chunk(self, key: str) -> bool:
        """Drop the chunk under ``key`` from the chunk cache, because it was written. False if no chunk has that key."""
        prefix, index = self._keys.prefix, None
        if key.startswith(prefix):
            index = self._keys.encoding.decode(key[len(prefix) :], self.ndim)
        if index is None:
            return False
        inside = all(place < count for place, count in zip(index, self.chunk_grid_shape, strict=True))
        if inside and self.chunk_cache is not None:
            self._reader.forget(self.chunk_cache, index)
        return True

    def only_begins_chunk_keys(self, key: str) -> bool:
        """Whether ``key`` can be nothing but a folder of chunks: the store's key of no chunk, and the beginning of some.

        Raises:
            StoreError: the store failed while the chunk key encoding was detected.
        """
        prefix = self._keys.prefix
        return key.startswith(prefix) and self._keys.encoding.is_prefix(key[len(prefix) :], self.ndim)

    def with_chunk_cache(self, chunk_cache: ChunkCache) -> Array:
        """The same array with another cache for its decoded chunks."""
        return Array(
            self.store,
            self._prefix,
            self.metadata,
            chunk_cache,
            self._max_chunk_bytes,
            self.read_only,
            self._settled,
            self.missing,
            self.verify,
            self.confirmed,
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.shape} {self.data_type.name}>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "store": self.store,
            "prefix": self._prefix,
            "metadata": self.metadata,
            "max_chunk_bytes": self._max_chunk_bytes,
            "read_only": self.read_only,
            "settled": self._settled,
            "missing": self.missing,
            "verify": self.verify,
            "confirmed": self.confirmed,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        Array.__init__(self, **state)


def _has_ellipsis(selection: Any) -> bool:
    return selection is Ellipsis or (
        isinstance(selection, tuple) and any(item is Ellipsis for item in selection)
    )
