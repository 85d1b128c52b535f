"""Elements of variable length in an HDF5 file: references, followed by the global heap that they refer to.

Specification: HDF5, "File Format Specification Version 3.0", III.E (global heap).

The place of everything after such an array depends on all its elements, so they are read before the file is laid out. This is
only done for files that are written as a whole. Files of a mount, whose size must be known at once, omit such arrays.
"""

from __future__ import annotations

import struct
import tempfile
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from zarrcore.array import Array
from zarrcore.errors import ReadCancelledError, UnsupportedError
from zarrcore.filetypes.hdf5.datatype import HEAP_ITEM
from zarrcore.filetypes.hdf5.elements import with_references
from zarrcore.filetypes.interface import VirtualFile
from zarrcore.filetypes.plan import BytesPlan, KnownBytes
from zarrcore.typing import AnyArray

_ITEM_HEAD: Final = struct.Struct("<HHIQ")
_HEAD_NBYTES: Final = 16
_COLLECTION_NBYTES: Final = 64 << 10
"""Readers read a collection as a whole; fewer bytes would mean more of them."""
_LEAST_COLLECTION_NBYTES: Final = 4096
_MAX_ITEMS: Final = (1 << 16) - 1
_SLAB_ELEMENTS: Final = 1 << 20
_BATCH_ELEMENTS: Final = 1 << 14
"""Elements that are written at a time; between two batches, the caller may cancel."""
_IN_MEMORY_NBYTES: Final = 64 << 20
"""More bytes are kept in a temporary file."""


class Texts(VirtualFile):
    """All elements of an array of texts or bytes of variable length, or with fields of texts, as they are in a file.

    Args:
        array: the array.
        cancelled: called between chunks, and between some thousand elements.

    Raises:
        UnsupportedError: an element is not text in HDF5.
        ReadCancelledError: ``cancelled`` returned True.
        As `Array.read`.
    """

    suffix = "raw"

    def __init__(self, array: Array, cancelled: Callable[[], bool] | None = None) -> None:
        self._elements = np.zeros(array.size, with_references(array.dtype))
        self._heap = tempfile.SpooledTemporaryFile(_IN_MEMORY_NBYTES)  # noqa: SIM115 - see below
        weakref.finalize(self, self._heap.close)
        self._heap_nbytes, self._base = 0, 0
        self._collection = bytearray(_HEAD_NBYTES)
        self._items = 0
        number = 0
        for values in _slabs(array, cancelled):
            self._put(self._elements[number : number + len(values)], values)
            number += len(values)
        self._end_collection()
        self._references = [*_references(self._elements)]
        self.size = self._elements.nbytes + self._heap_nbytes

    def place_at(self, offset: int) -> None:
        """Give the elements their place in the file, once it is known."""
        heap = offset + self._elements.nbytes
        for references in self._references:
            references["address"] += np.uint64(heap - self._base)
        self._base = heap

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        stop = self._clipped(offset, nbytes)
        middle, item = self._elements.nbytes, self._elements.itemsize
        first, last = offset // item, -(-min(stop, middle) // item)
        begin = first * item
        told = self._elements[first:last].tobytes()[offset - begin : stop - begin] if offset < middle else b""
        if stop > middle:
            self._heap.seek(max(offset, middle) - middle)
            told += self._heap.read(stop - max(offset, middle))
        return KnownBytes(told)

    def _put(self, target: AnyArray, values: AnyArray) -> None:
        """Fill elements, with references for the values of variable length."""
        if values.dtype.names is not None:
            for name in values.dtype.names:
                self._put(target[name], values[name])
        elif values.dtype.hasobject:
            kept = [self._keep(_encoded(value)) for value in values.ravel().tolist()]
            target[...] = np.array(kept, HEAP_ITEM).reshape(target.shape)
        else:
            target[...] = values.view(target.dtype)

    def _keep(self, data: bytes) -> tuple[int, int, int]:
        """Put an element into the heap; returns its reference, with an address within the heap."""
        length = len(data)
        padding = -length % 8
        if self._items == _MAX_ITEMS or (
            self._items and len(self._collection) + _HEAD_NBYTES + length + padding > _COLLECTION_NBYTES
        ):
            self._end_collection()
        self._items += 1
        self._collection += _ITEM_HEAD.pack(self._items, 0, 0, length) + data + bytes(padding)
        return length, self._heap_nbytes, self._items

    def _end_collection(self) -> None:
        if not self._items:
            return
        free = _LEAST_COLLECTION_NBYTES - len(self._collection)
        if free >= _HEAD_NBYTES:
            self._collection += _ITEM_HEAD.pack(0, 0, 0, free)
        size = max(_LEAST_COLLECTION_NBYTES, len(self._collection))
        self._collection[:_HEAD_NBYTES] = struct.pack("<4sB3xQ", b"GCOL", 1, size)
        self._heap.write(self._collection.ljust(size, b"\0"))
        self._heap_nbytes += size
        self._collection, self._items = bytearray(_HEAD_NBYTES), 0


def _references(elements: AnyArray) -> Iterator[AnyArray]:
    """The references in elements, as views."""
    if elements.dtype == HEAP_ITEM:
        yield elements
        return
    for name in elements.dtype.names or ():
        yield from _references(elements[name])


def _slabs(array: Array, cancelled: Callable[[], bool] | None) -> Iterator[AnyArray]:
    """The elements in C order, with one axis; some rows of chunks are read at a time."""
    for selection in _selections(array):
        _stop_if(cancelled)
        values = np.asarray(array.read(selection, cancelled=cancelled)).ravel()
        for start in range(0, len(values), _BATCH_ELEMENTS):
            _stop_if(cancelled)
            yield values[start : start + _BATCH_ELEMENTS]


def _stop_if(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise ReadCancelledError("the read was cancelled")


def _selections(array: Array) -> Iterator[Any]:
    if not array.shape or not array.size:
        yield ...
        return
    row = array.size // array.shape[0]
    length = max(1, array.chunk_shape[0])
    length *= max(1, _SLAB_ELEMENTS // (row * length))
    for start in range(0, array.shape[0], length):
        yield (slice(start, min(start + length, array.shape[0])),)


def _encoded(value: str | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    data = value.encode("utf-8", "replace")
    if b"\0" in data:
        raise UnsupportedError("text", repr(value[:20]), "has a zero byte, at which a text of HDF5 ends")
    return data
