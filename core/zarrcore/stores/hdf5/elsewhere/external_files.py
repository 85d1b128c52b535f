"""Elements of a dataset without chunks in other files, which hold nothing else.

HDF5 File Format Specification, "Data Storage - External Data Files". Names are looked up in the folder of the file. A file that
is shorter than its part of the elements is continued by zeros, as in the HDF5 library.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores.hdf5.elsewhere.files import OtherFiles
from zarrcore.stores.hdf5.heaps.local_heap import LocalHeap
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader, unsigned
from zarrcore.stores.virtual.store import Part

_UNLIMITED: Final = 2**64 - 1


class Segment(NamedTuple):
    """Bytes of a dataset in another file."""

    name: str
    start: int
    """In the file."""
    nbytes: int


def parse_segments(reader: FileReader, data: bytes) -> list[Segment]:
    """The segments that a message describes, one after another.

    Raises:
        BrokenFileError: they are broken.
    """
    version, count = unsigned(data, 0, 1), unsigned(data, 6, 2)
    if version != 1:
        raise BrokenFileError(f"a list of external files has version {version}")
    names = LocalHeap(reader, unsigned(data, 8, 8))
    found = []
    for at in range(16, 16 + 24 * count, 24):
        name = names.text(unsigned(data, at, 8))
        found.append(Segment(name, unsigned(data, at + 8, 8), unsigned(data, at + 16, 8)))
    return found


class ExternalElements:
    """The elements of a dataset as segments of other files."""

    def __init__(self, files: OtherFiles, segments: list[Segment]) -> None:
        self._files = files
        self._segments = segments

    def read(self, offset: int, nbytes: int) -> bytes | Part:
        """Bytes of the dataset, or where they are.

        Raises:
            BrokenFileError: the segments end before them.
            BrokenReferenceError: a file does not exist, or may not be read.
            StoreError: a store failed.
        """
        parts = []
        for segment in self._segments:
            if offset < segment.nbytes and nbytes:
                taken = min(nbytes, segment.nbytes - offset)
                parts.append(Segment(segment.name, segment.start + offset, taken))
                nbytes -= taken
            offset = max(0, offset - segment.nbytes)
        if nbytes:
            raise BrokenFileError("the external files of a dataset are too small for it")
        if len(parts) == 1:
            found = self._part(parts[0])
            facts = found.store.stat(found.key)
            if facts is not None and facts.size >= found.start + (found.nbytes or 0):
                return found
        return b"".join(self._bytes(self._part(part)) for part in parts)

    def _part(self, segment: Segment) -> Part:
        place = self._files.place(segment.name)
        if place is None:
            raise BrokenReferenceError(
                f"the file {segment.name!r}, which has elements of a dataset of {self._files.url}, does not exist",
                url=self._files.url,
            )
        return Part(*place, segment.start, segment.nbytes)

    @staticmethod
    def _bytes(part: Part) -> bytes:
        nbytes = part.nbytes or 0
        facts = part.store.stat(part.key)
        stop = min(part.start + nbytes, 0 if facts is None else facts.size)
        value = part.store.get(part.key, ByteRange(part.start, stop)) if part.start < stop else b""
        return bytes(value or b"").ljust(nbytes, b"\0")
