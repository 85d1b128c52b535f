"""The file's table of shared messages: types, shapes and attributes that many objects have are stored once.

HDF5 File Format Specification, "Superblock Extension", "Shared Message Table Message", "Shared Object Header Message Table".
"""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from zarrcore.stores.hdf5.heaps.fractal_heap import FractalHeap
from zarrcore.stores.hdf5.object_header import FILL_VALUE, OLD_FILL_VALUE, ObjectHeader
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned

_TABLE: Final = 0x0F
_ENTRY_NBYTES: Final = 30
_MAX_INDEXES: Final = 8

_known: WeakKeyDictionary[FileReader, dict[int, FractalHeap]] = WeakKeyDictionary()


def shared_message(reader: FileReader, kind: int, identifier: bytes) -> bytes:
    """The data of a message of a kind, by its identifier in the heap of that kind.

    Raises:
        BrokenFileError: there is none.
    """
    heaps = _known.get(reader)
    if heaps is None:
        heaps = _known[reader] = _heaps(reader)
    heap = heaps.get(FILL_VALUE if kind == OLD_FILL_VALUE else kind)
    if heap is None:
        raise BrokenFileError(f"the file has no shared messages of type {kind}")
    return heap.object(identifier)


def _heaps(reader: FileReader) -> dict[int, FractalHeap]:
    """The heaps of shared messages, by the kinds of messages that they have."""
    head = reader.read(0, 48, "the superblock")
    extension = unsigned(head, 20, 8) if head[8] >= 2 else UNDEFINED
    message = None if extension == UNDEFINED else ObjectHeader(reader, extension).first(_TABLE)
    if message is None:
        return {}
    count = unsigned(message, 9, 1)
    if not 0 < count <= _MAX_INDEXES:
        raise BrokenFileError(f"the table of shared messages has {count} indexes")
    nbytes = 4 + _ENTRY_NBYTES * count + 4
    table = reader.read_checked(unsigned(message, 1, 8), nbytes, "the table of shared messages")
    if table[:4] != b"SMTB":
        raise BrokenFileError("the file has no table of shared messages")
    found = {}
    for at in range(4, 4 + _ENTRY_NBYTES * count, _ENTRY_NBYTES):
        kinds, heap = unsigned(table, at + 2, 2), unsigned(table, at + 22, 8)
        if heap != UNDEFINED:
            objects = FractalHeap(reader, heap)
            found.update({kind: objects for kind in range(16) if kinds >> kind & 1})
    return found
