"""Global heaps: elements of variable length. HDF5 File Format Specification, "Global Heap"."""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np

from zarrcore.stores.hdf5.heaps.room import Room
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned
from zarrcore.typing import AnyArray

LONGER_THAN_ITS_OBJECT: Final = "an element of variable length is longer than its object in the global heap"

_KEPT_NBYTES: Final = 32 << 20
_REFERENCE: Final = np.dtype([("nbytes", "<u4"), ("address", "<u8"), ("index", "<u4")])
_OBJECT_HEAD: Final = struct.Struct("<H6xQ")
"""Number and size; between them, the number of its uses, and a reserve."""
_HEAD_NBYTES: Final = 16
"""Of a collection, and of an object."""
_LEAST_RUN: Final = 16
"""Shorter runs of objects are taken one by one: that is faster."""


class GlobalHeaps:
    """The collections of a file's global heap; those that were read last are kept. Thread-safe.

    Attributes:
        references: what references lead to: `zarrcore.stores.hdf5.references.References`, set by the file, whose tree they need.
    """

    references: Any

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
        self._kept: OrderedDict[int, _Collection] = OrderedDict()
        self._nbytes = 0
        self._lock = threading.Lock()

    def object(self, address: int, index: int) -> bytes:
        """The bytes of an object of the collection at an address.

        Raises:
            BrokenFileError: there is none.
        """
        return self._collection(address).object(index)

    def texts(self, references: bytes, count: int) -> Iterator[bytes]:
        """The texts to which references lead, each without its end.

        Args:
            references: 16 bytes for each: the size of the text, the address of its collection, and its number there.
            count: how many.

        Raises:
            BrokenFileError: a reference leads to no text, or to one that is too short.
        """
        parts, is_present = _parsed(references, count)
        collection, known = None, UNDEFINED
        for present, nbytes, address, index in zip(
            is_present.tolist(), *(parts[name].tolist() for name in _REFERENCE.names or ()), strict=True
        ):
            if not present:
                yield b""
                continue
            if collection is None or address != known:
                collection, known = self._collection(address), address
            value = collection.part(index, nbytes)
            yield value if b"\0" not in value else value[: value.index(b"\0")]

    def joined(self, references: bytes, count: int, room: Room) -> tuple[AnyArray, AnyArray]:
        """The elements to which references lead, one after another, and the size of each.

        Args:
            references: as for `texts`; the sizes are in bytes.
            count: how many.
            room: what they may take.

        Raises:
            BrokenFileError: as for `texts`, or the elements take too much.
        """
        parts, is_present = _parsed(references, count)
        sizes = np.where(is_present, parts["nbytes"], 0).astype("<u4")
        room.take(int(sizes.sum(dtype="u8")))
        stored = parts[is_present]
        # Elements that were written together lie one after another.
        follows = (np.diff(stored["address"]) == 0) & (np.diff(stored["index"].astype("i8")) == 1)
        bounds = [0, *(np.flatnonzero(~follows) + 1).tolist(), len(stored)] if len(stored) else []
        found = []
        for first, last in pairwise(bounds):
            collection = self._collection(int(stored["address"][first]))
            found += collection.run(int(stored["index"][first]), stored["nbytes"][first:last])
        return np.frombuffer(b"".join(found), "u1"), sizes

    def _collection(self, address: int) -> _Collection:
        with self._lock:
            found = self._kept.get(address)
            if found is not None:
                self._kept.move_to_end(address)
                return found
        head = self._reader.read(address, _HEAD_NBYTES, "a global heap")
        if head[:4] != b"GCOL":
            raise BrokenFileError(f"no global heap is at byte {self._reader.base + address:,}")
        data = self._reader.read(address, unsigned(head, 8, 8), "a global heap")
        found = _Collection(address, data)
        with self._lock:
            if address not in self._kept:
                self._kept[address] = found
                self._nbytes += len(data)
            while self._nbytes > _KEPT_NBYTES and len(self._kept) > 1:
                self._nbytes -= len(self._kept.popitem(last=False)[1].data)
        return found


class _Collection:
    """Objects by their numbers."""

    def __init__(self, address: int, data: bytes) -> None:
        self.data = data
        self._address = address
        self._places: dict[int, tuple[int, int]] | None = None
        self._starts = {1: _HEAD_NBYTES}
        """Where the head of an object is expected, if the one before it is known."""

    def object(self, index: int) -> bytes:
        """The bytes of an object."""
        begin, end = self._place(index)
        return self.data[begin:end]

    def part(self, index: int, nbytes: int) -> bytes:
        """The first bytes of an object."""
        begin, end = self._place(index)
        if end - begin < nbytes:
            raise BrokenFileError(LONGER_THAN_ITS_OBJECT)
        return self.data[begin : begin + nbytes]

    def run(self, index: int, sizes: AnyArray) -> list[bytes]:
        """The bytes of objects with consecutive numbers, of these sizes; some may be joined."""
        if len(sizes) >= _LEAST_RUN:
            start = self._starts.get(index) or self._place(index)[0] - _HEAD_NBYTES
            joined = self._joined(start, index, sizes.astype("i8"))
            if joined is not None:
                return [joined]
        return [self.part(index + number, nbytes) for number, nbytes in enumerate(sizes.tolist())]

    def _place(self, index: int) -> tuple[int, int]:
        """Where an object begins and ends."""
        if self._places is None:
            self._places = _places(self.data)
        place = self._places.get(index)
        if place is None:
            raise BrokenFileError(f"the global heap at {self._address:,} has no object {index}")
        return place

    def _joined(self, start: int, index: int, sizes: AnyArray) -> bytes | None:
        """The objects, if they lie one after another from a position on, according to their heads."""
        filled = -(-sizes // 8) * 8
        ends = start + np.cumsum(_HEAD_NBYTES + filled)
        heads = (ends - filled - _HEAD_NBYTES) // 8
        words = np.frombuffer(self.data, "<u8", len(self.data) // 8)
        if heads[-1] + 1 >= len(words) or ends[-1] - filled[-1] + sizes[-1] > len(self.data):
            return None
        numbers = index + np.arange(len(sizes))
        if (words[heads] & 0xFFFF != numbers).any() or (words[heads + 1] != sizes).any():
            return None
        self._starts[index + len(sizes)] = int(ends[-1])
        parts = np.stack([np.full(len(sizes), _HEAD_NBYTES), sizes, filled - sizes], 1)
        is_content = np.repeat(np.tile([False, True, False], len(sizes)), parts.reshape(-1))
        content = np.frombuffer(self.data, "u1")[start : ends[-1]]
        joined: bytes = content[is_content[: len(content)]].tobytes()
        return joined


def _parsed(references: bytes, count: int) -> tuple[AnyArray, AnyArray]:
    """References as records, and whether each leads to an object."""
    if len(references) < count * _REFERENCE.itemsize:
        raise BrokenFileError("a structure ends early")
    parts = np.frombuffer(references, _REFERENCE, count)
    return parts, (parts["nbytes"] > 0) & (parts["address"] != 0) & (parts["address"] != UNDEFINED)


def _places(data: bytes) -> dict[int, tuple[int, int]]:
    """Where each object of a collection begins and ends."""
    places, at = {}, _HEAD_NBYTES
    while at + _HEAD_NBYTES <= len(data):
        index, nbytes = _OBJECT_HEAD.unpack_from(data, at)
        if not index:
            break
        if at + _HEAD_NBYTES + nbytes > len(data):
            raise BrokenFileError("an object lies outside its global heap")
        places[index] = (at + _HEAD_NBYTES, at + _HEAD_NBYTES + nbytes)
        at += _HEAD_NBYTES + -(-nbytes // 8) * 8
    return places
