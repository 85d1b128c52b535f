"""A virtual file of an array, as the trees show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from zarrcore.array import Array, Selection
from zarrcore.filetypes import VirtualFile, virtual_file
from zarrfs.views.entry import BytesLike, File, OpenFile, WouldBlockError


class DecodedFile(File):
    """Part of an array in some file type. Its size is arithmetic; no chunk is touched before it is read."""

    __slots__ = ("_array", "_before_open", "_selection", "_suffix", "mtime_s", "size")

    def __init__(
        self,
        array: Array,
        selection: Selection,
        suffix: str,
        mtime_s: float | None,
        before_open: Callable[[], None],
        size: int | None = None,
    ) -> None:
        self._array = array
        self._selection = selection
        self._suffix = suffix
        self._before_open = before_open
        self.mtime_s = mtime_s
        self.size = self._file().size if size is None else size

    def _file(self) -> VirtualFile:
        return virtual_file(self._array, selection=self._selection, suffix=self._suffix)

    def open(self, wait: bool) -> OpenFile:
        self._before_open()
        return OpenDecoded(self._file())


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
