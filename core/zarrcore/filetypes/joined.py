"""Files one after another, as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import BinaryIO

from zarrcore.filetypes.interface import VirtualFile, check_offset


class JoinedFile(VirtualFile):
    """Files one after another."""

    suffix = "raw"

    def __init__(self, files: Sequence[VirtualFile]) -> None:
        self._files = [file for file in files if file.size]
        ends = [*accumulate((file.size for file in self._files), initial=0)]
        self._starts = ends[:-1]
        self.size = ends[-1]

    def readinto(self, offset: int, buffer: memoryview) -> int:
        check_offset(offset)
        done = 0
        for file, start, stop in self._runs(offset, len(buffer)):
            file.readinto(start, buffer[done : done + stop - start])
            done += stop - start
        return done

    def prefetch(self, offset: int, nbytes: int) -> None:
        for file, start, stop in self._runs(offset, nbytes):
            file.prefetch(start, stop - start)

    def cached(self, offset: int, nbytes: int) -> bool:
        return all(file.cached(start, stop - start) for file, start, stop in self._runs(offset, nbytes))

    @property
    def slabs(self) -> tuple[int, int]:
        for start, file in zip(self._starts, self._files, strict=True):
            begin, nbytes = file.slabs
            if nbytes:
                return start + begin, nbytes
        return 0, 0

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """Where the elements of the array at an offset begin and end, and twice the bytes from one row of its chunks to the next.

        As `HDF5File.array_at`; here there are no planes shorter than such a row.
        """
        position = max(0, bisect_right(self._starts, offset) - 1)
        start, file = self._starts[position], self._files[position]
        begin, slab = file.slabs
        return start + begin, start + file.size, slab, slab

    def write_to(self, stream: BinaryIO, progress: Callable[[int], None] | None = None) -> None:
        for file in self._files:
            file.write_to(stream, progress)

    def _runs(self, offset: int, nbytes: int) -> Iterator[tuple[VirtualFile, int, int]]:
        """Of which files a run of bytes is made, and of which of their bytes."""
        stop = min(self.size, offset + nbytes)
        position = max(0, bisect_right(self._starts, offset) - 1)
        while offset < stop:
            file, start = self._files[position], self._starts[position]
            end = min(stop, start + file.size)
            yield file, offset - start, end - start
            offset = end
            position += 1
