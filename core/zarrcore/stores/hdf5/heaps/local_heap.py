"""Local heaps: the names of links. HDF5 File Format Specification, "Local Heaps"."""

from __future__ import annotations

from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader, unsigned


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
