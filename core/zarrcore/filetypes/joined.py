"""Several files as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import BinaryIO

from zarrcore.filetypes.interface import VirtualFile
from zarrcore.filetypes.plan import BytesPlan, joined


class JoinedFile(VirtualFile):
    """The concatenation of several files."""

    suffix = "raw"

    def __init__(self, files: Sequence[VirtualFile]) -> None:
        self._files = [file for file in files if file.size]
        ends = [*accumulate((file.size for file in self._files), initial=0)]
        self._starts = ends[:-1]
        self.size = ends[-1]

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        stop = self._clipped(offset, nbytes)
        return joined(file.plan(start, end - start) for file, start, end in self._runs(offset, stop))

    @property
    def slabs(self) -> tuple[int, int]:
        for start, file in zip(self._starts, self._files, strict=True):
            begin, nbytes = file.slabs
            if nbytes:
                return start + begin, nbytes
        return 0, 0

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        position = max(0, bisect_right(self._starts, offset) - 1)
        start, file = self._starts[position], self._files[position]
        begin, slab = file.slabs
        return start + begin, start + file.size, slab, slab

    def write_to(self, stream: BinaryIO, progress: Callable[[int], None] | None = None) -> None:
        for file in self._files:
            file.write_to(stream, progress)

    def _runs(self, offset: int, stop: int) -> Iterator[tuple[VirtualFile, int, int]]:
        """The files that contain a range of bytes, with the range in each."""
        position = max(0, bisect_right(self._starts, offset) - 1)
        while offset < stop:
            file, start = self._files[position], self._starts[position]
            end = min(stop, start + file.size)
            yield file, offset - start, end - start
            offset = end
            position += 1
