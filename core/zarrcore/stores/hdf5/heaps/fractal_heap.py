"""Fractal heaps: many links, attributes or shared messages. HDF5 File Format Specification, "Fractal Heap"."""

from __future__ import annotations

from zarrcore.stores.hdf5.btree2 import records
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned


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
