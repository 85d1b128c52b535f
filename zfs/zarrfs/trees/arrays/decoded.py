"""Virtual files, as the trees show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from zarrcore.filetypes import OmeTiffFile, VirtualFile
from zarrfs.trees.entry import BytesLike, File, OpenFile, WouldBlockError


class DecodedFile(File):
    """A virtual file. Its size is arithmetic; no chunk is touched before it is read.

    Args:
        make: makes it, always the same.
        version: as `Entry.version`, of the metadata; no other name's is the same. None where its number is computed, or where
            it is written to.
        mtime_s: when the document of what it shows was written.
        before_open: called before it is opened.
        size: its bytes, if they are known.
    """

    __slots__ = ("_before_open", "_make", "_version", "mtime_s", "size")

    def __init__(
        self,
        make: Callable[[], VirtualFile],
        version: str | None,
        mtime_s: float | None,
        before_open: Callable[[], None],
        size: int | None = None,
    ) -> None:
        self._make = make
        self._version = version
        self._before_open = before_open
        self.mtime_s = mtime_s
        self.size = make().size if size is None else size

    @property
    def version(self) -> str | None:
        return self._version

    def open(self, wait: bool) -> OpenFile:
        self._before_open()
        file = self._make()
        opened = OpenArrays(file) if isinstance(file, OmeTiffFile) else OpenDecoded(file)
        if self._version is not None:
            # All who have a number open share its pages: whoever opens it when metadata have changed must get another.
            opened.version, opened.shown = self._version, self
        return opened


class Decodes(Protocol):
    """A file that is decoded while it is read: a `VirtualFile`, or a chunk."""

    size: int

    @property
    def slabs(self) -> tuple[int, int]:
        """As `OpenFile.slabs`."""

    def readinto(self, offset: int, buffer: memoryview) -> int:
        """Copy bytes from ``offset`` on into ``buffer``; returns how many."""

    def cached(self, offset: int, nbytes: int) -> bool:
        """Whether reading a range of bytes costs no I/O and no decoding."""


class OpenDecoded(OpenFile):
    """A decoded file, open."""

    reads_ahead = True
    gets_old = True

    def __init__(self, file: Decodes) -> None:
        self._file = file
        self.size = file.size
        self.slabs = file.slabs

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        if not wait and not self._file.cached(offset, nbytes):
            raise WouldBlockError
        # NumPy's memory is not cleared first, and from 4 MiB on it comes in large pages: far fewer page faults.
        return self.read_into(offset, np.empty(max(0, min(nbytes, self.size - offset)), np.uint8).data)

    def read_into(self, offset: int, buffer: memoryview) -> BytesLike:
        return buffer[: self._file.readinto(offset, buffer)]


class HasArrays(Decodes, Protocol):
    """A file of several arrays, or of an array in tiles."""

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """As `OpenFile.array_at`."""


class OpenArrays(OpenDecoded):
    """Such a file, open: readers want one of them or a part, and after a few parts those behind them."""

    holds_many = True

    def __init__(self, file: HasArrays) -> None:
        super().__init__(file)
        self._arrays = file

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        return self._arrays.array_at(offset)
