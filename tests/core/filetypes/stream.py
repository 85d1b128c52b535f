"""A virtual file as a Python file object."""

from __future__ import annotations

import io
from typing import Any

import zarrcore


class Stream(io.RawIOBase):
    """A virtual file that is read in whole pages, as through a mount."""

    def __init__(self, file: zarrcore.VirtualFile, page_nbytes: int = 1) -> None:
        self._file = file
        self._page_nbytes = page_nbytes
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._file.size}[whence]
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        target = memoryview(buffer).cast("B")
        within = self._position % self._page_nbytes
        nbytes = -(-(within + len(target)) // self._page_nbytes) * self._page_nbytes
        part = self._file.read(self._position - within, nbytes)[within : within + len(target)]
        target[: len(part)] = part
        self._position += len(part)
        return len(part)
