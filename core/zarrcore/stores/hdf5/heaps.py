"""Heaps: local ones with the names of links, global ones with elements of variable length, fractal ones with many links.

HDF5 File Format Specification, "Local Heaps", "Global Heap", "Fractal Heap".
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

import numpy as np

from zarrcore.stores.hdf5.btree2 import records
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned

LONGER_THAN_ITS_OBJECT: Final = "an element of variable length is longer than its object in the global heap"

_KEPT_NBYTES: Final = 32 << 20
_REFERENCE: Final = np.dtype([("nbytes", "<u4"), ("address", "<u8"), ("index", "<u4")])
_OBJECT_HEAD: Final = struct.Struct("<H6xQ")
"""Number and size; between them, the number of its uses, and a reserve."""


class LocalHeap:
    """Texts by their position."""

    def __init__(self, reader: FileReader, address: int) -> None:
        head = reader.read(address, 32, "a local heap")
        if head[:4] != b"HEAP":
            raise BrokenFileError(f"no local heap is at byte {reader.base + address:,}")
        self._data = reader.read(unsigned(head, 24, 8), unsigned(head, 8, 8), "a local heap")

    def text(self, position: int) -> str:
        """The text at a position."""
        end = self._data.find(b"\0", position)
        if end < 0:
            raise BrokenFileError("a name lies outside its heap")
        return self._data[position:end].decode("utf-8", "surrogateescape")


class Room:
    """What the values of one object or chunk may still take: a small file can refer to the same long value many times.

    Args:
        nbytes: the most that they may take.
        what: they, in the plural, for the error.
    """

    def __init__(self, nbytes: int, what: str) -> None:
        self._nbytes, self._left, self._what = nbytes, nbytes, what

    def take(self, nbytes: int) -> None:
        """Note one more value.

        Raises:
            BrokenFileError: they take too much.
        """
        self._left -= nbytes
        if self._left < 0:
            raise BrokenFileError(f"{self._what} take more than {self._nbytes >> 20} MiB")


class GlobalHeaps:
    """The collections of a file's global heap; those that were read last are kept. Thread-safe."""

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
        self._kept: OrderedDict[int, tuple[bytes, dict[int, tuple[int, int]]]] = OrderedDict()
        self._nbytes = 0
        self._lock = threading.Lock()

    def object(self, address: int, index: int) -> bytes:
        """The bytes of an object of the collection at an address.

        Raises:
            BrokenFileError: there is none.
        """
        data, places = self._collection(address)
        begin, end = _place_in(places, address, index)
        return data[begin:end]

    def texts(self, references: bytes, count: int) -> Iterator[bytes]:
        """The texts to which references lead, each without its end.

        Args:
            references: 16 bytes for each: the size of the text, the address of its collection, and its number there.
            count: how many.

        Raises:
            BrokenFileError: a reference leads to no text, or to one that is too short.
        """
        if len(references) < count * _REFERENCE.itemsize:
            raise BrokenFileError("a structure ends early")
        parts = np.frombuffer(references, _REFERENCE, count)
        data, places, known = b"", dict[int, tuple[int, int]](), UNDEFINED
        for nbytes, address, index in zip(
            *(parts[name].tolist() for name in _REFERENCE.names or ()), strict=True
        ):
            if not nbytes or address in (0, UNDEFINED):
                yield b""
                continue
            if address != known:
                (data, places), known = self._collection(address), address
            begin, end = _place_in(places, address, index)
            if end - begin < nbytes:
                raise BrokenFileError(LONGER_THAN_ITS_OBJECT)
            value = data[begin : begin + nbytes]
            yield value if b"\0" not in value else value[: value.index(b"\0")]

    def _collection(self, address: int) -> tuple[bytes, dict[int, tuple[int, int]]]:
        with self._lock:
            found = self._kept.get(address)
            if found is not None:
                self._kept.move_to_end(address)
                return found
        head = self._reader.read(address, 16, "a global heap")
        if head[:4] != b"GCOL":
            raise BrokenFileError(f"no global heap is at byte {self._reader.base + address:,}")
        data = self._reader.read(address, unsigned(head, 8, 8), "a global heap")
        places, at = {}, 16
        while at + 16 <= len(data):
            index, nbytes = _OBJECT_HEAD.unpack_from(data, at)
            if not index:
                break
            if at + 16 + nbytes > len(data):
                raise BrokenFileError("an object lies outside its global heap")
            places[index] = (at + 16, at + 16 + nbytes)
            at += 16 + -(-nbytes // 8) * 8
        with self._lock:
            if address not in self._kept:
                self._kept[address] = data, places
                self._nbytes += len(data)
            while self._nbytes > _KEPT_NBYTES and len(self._kept) > 1:
                self._nbytes -= len(self._kept.popitem(last=False)[1][0])
        return data, places


def _place_in(places: dict[int, tuple[int, int]], address: int, index: int) -> tuple[int, int]:
    """Where an object begins and ends in its collection."""
    place = places.get(index)
    if place is None:
        raise BrokenFileError(f"the global heap at {address:,} has no object {index}")
    return place


class FractalHeap:
    """Objects by their identifiers."""

    def __init__(self, reader: FileReader, address: int) -> None:
        self._reader = reader
        head = reader.read(address, 142, "the header of a fractal heap")
        if head[:4] != b"FRHP" or head[4] != 0:
            raise BrokenFileError(f"no fractal heap is at byte {reader.base + address:,}")
        if unsigned(head, 7, 2):
            raise BrokenFileError("a fractal heap has filters, which are not supported")
        self._id_nbytes = unsigned(head, 5, 2)
        self._huge = unsigned(head, 22, 8)
        self._width = unsigned(head, 110, 2)
        self._start = unsigned(head, 112, 8)
        self._largest_direct = unsigned(head, 120, 8)
        self._offset_nbytes = (unsigned(head, 128, 2) + 7) // 8
        largest = min(self._largest_direct, unsigned(head, 10, 4))
        self._length_nbytes = (largest.bit_length() + 7) // 8
        self._root = unsigned(head, 132, 8)
        self._rows = unsigned(head, 140, 2)
        self._huge_objects: dict[int, tuple[int, int]] | None = None
        for number in (self._width, self._start, self._largest_direct):
            if not number or number & (number - 1):
                raise BrokenFileError("the header of a fractal heap is broken")

    def object(self, identifier: bytes) -> bytes:
        """The bytes of an object.

        Raises:
            BrokenFileError: there is none.
        """
        kind = unsigned(identifier, 0, 1) >> 4 & 3
        if kind == 0:
            offset = unsigned(identifier, 1, self._offset_nbytes)
            nbytes = unsigned(identifier, 1 + self._offset_nbytes, self._length_nbytes)
            return self._managed(offset, nbytes)
        if kind == 1:
            return self._reader.read(*self._huge_place(identifier), "a huge object")
        if kind == 2:
            if self._id_nbytes <= 18:
                return identifier[1 : 2 + (identifier[0] & 15)]
            nbytes = ((identifier[0] & 15) << 8 | unsigned(identifier, 1, 1)) + 1
            return identifier[2 : 2 + nbytes]
        raise BrokenFileError("an identifier of a fractal heap is broken")

    def _huge_place(self, identifier: bytes) -> tuple[int, int]:
        if self._id_nbytes >= 17:
            return unsigned(identifier, 1, 8), unsigned(identifier, 9, 8)
        if self._huge_objects is None:
            self._huge_objects = {
                unsigned(record, 16, 8): (unsigned(record, 0, 8), unsigned(record, 8, 8))
                for record in records(self._reader, self._huge, 1)
            }
        key = unsigned(identifier, 1, min(self._id_nbytes - 1, 8))
        if key not in self._huge_objects:
            raise BrokenFileError(f"a fractal heap has no huge object {key}")
        return self._huge_objects[key]

    def _managed(self, offset: int, nbytes: int) -> bytes:
        address, rows = self._root, self._rows
        first_row = self._width * self._start
        direct_rows = self._largest_direct.bit_length() - self._start.bit_length() + 2
        while (
            rows
        ):  # an indirect block: rows of blocks, each row with blocks twice as large as the one before
            row = 0 if offset < first_row else (offset // first_row).bit_length()
            size = self._start << max(0, row - 1)
            offset -= first_row << (row - 1) if row else 0
            if row >= rows:
                raise BrokenFileError("an object lies outside its fractal heap")
            entry = row * self._width + offset // size
            offset %= size
            start = address + 13 + self._offset_nbytes
            if self._reader.read(address, 4, "a block of a fractal heap") != b"FHIB":
                raise BrokenFileError(
                    f"no block of a fractal heap is at byte {self._reader.base + address:,}"
                )
            address = unsigned(self._reader.read(start + 8 * entry, 8), 0, 8)
            below = size.bit_length() - first_row.bit_length() + 1
            if row >= direct_rows and not 0 < below < rows:
                raise BrokenFileError("a fractal heap is broken")
            rows = 0 if row < direct_rows else below
        if address == UNDEFINED or self._reader.read(address, 4, "a block of a fractal heap") != b"FHDB":
            raise BrokenFileError("a block of a fractal heap is missing")
        return self._reader.read(address + offset, nbytes, "an object of a fractal heap")
