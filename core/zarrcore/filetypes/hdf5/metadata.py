"""The metadata at the beginning of a file: each piece comes after those whose addresses it contains.

Specification: HDF5, "File Format Specification Version 3.0", III.E (global heap, for values of variable length).
"""

from __future__ import annotations

import struct
from typing import Final

from zarrcore.filetypes.hdf5.object_header import padded

SUPERBLOCK_NBYTES: Final = 96
_COLLECTION_NBYTES: Final = 4096
_HEAD_NBYTES: Final = 16
_MAX_ITEMS: Final = (1 << 16) - 1


class Metadata:
    """A growing sequence of bytes, with room for the superblock at the beginning.

    Attributes:
        content: the bytes so far; each piece begins at a multiple of eight.
    """

    def __init__(self) -> None:
        self.content = bytearray(SUPERBLOCK_NBYTES)
        self._collection = self._next_item = self._collection_end = 0
        self._items = _MAX_ITEMS

    @property
    def end(self) -> int:
        """The address of the next piece."""
        return len(self.content)

    def append(self, piece: bytes | bytearray) -> int:
        """Append a piece; returns its address."""
        address = len(self.content)
        self.content += piece
        return address

    def put(self, place: int, piece: bytes) -> None:
        """Write a piece into reserved room, once its content is known."""
        self.content[place : place + len(piece)] = piece

    def keep(self, data: bytes, count: int) -> bytes:
        """Put a value of ``count`` elements into the global heap; returns the element that refers to it."""
        nbytes = _HEAD_NBYTES + len(data) + -len(data) % 8
        if self._next_item + nbytes > self._collection_end or self._items == _MAX_ITEMS:
            self._begin_collection(nbytes)
        self._items += 1
        self.put(self._next_item, struct.pack("<HHIQ", self._items, 0, 0, len(data)) + padded(data))
        self._next_item += nbytes
        return struct.pack("<IQI", count, self._collection, self._items)

    def end_collection(self) -> None:
        """Write the free size of a collection of the global heap into it, if there is room."""
        free = self._collection_end - self._next_item
        if free >= _HEAD_NBYTES:
            self.put(self._next_item, struct.pack("<HHIQ", 0, 0, 0, free))

    def _begin_collection(self, nbytes: int) -> None:
        self.end_collection()
        size = max(_COLLECTION_NBYTES, _HEAD_NBYTES + nbytes)
        self._collection = self.append(struct.pack("<4sB3xQ", b"GCOL", 1, size).ljust(size, b"\0"))
        self._next_item, self._collection_end = self._collection + _HEAD_NBYTES, self._collection + size
        self._items = 0


class MetadataLength(Metadata):
    """Metadata of which only the length is kept: whatever writes them thus also measures them."""

    def __init__(self) -> None:
        super().__init__()
        self._end = SUPERBLOCK_NBYTES

    @property
    def end(self) -> int:
        return self._end

    def append(self, piece: bytes | bytearray) -> int:
        address = self._end
        self._end += len(piece)
        return address

    def put(self, place: int, piece: bytes) -> None:
        """Do nothing: the room is already counted."""
