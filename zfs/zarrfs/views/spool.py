"""Bytes that are being written: in memory while they are few, then in a file without a name, which ends with its user."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from zarrcore.array.spill import unnamed_files_folder
from zarrcore.errors import StoreFullError

_MEMORY_MAX: Final = 4 << 20


class Spool:
    """A value that grows, shrinks and changes. Not thread-safe.

    Args:
        in_memory: bytes that it may have in memory.

    Attributes:
        size: how many bytes there are.
    """

    def __init__(self, in_memory: int = _MEMORY_MAX) -> None:
        self.size = 0
        self._in_memory = in_memory
        self._memory = bytearray()
        self._file: int | None = None

    def read(self, offset: int, nbytes: int) -> bytes:
        """``nbytes`` from ``offset``, fewer at the end only."""
        if self._file is None:
            return bytes(self._memory[offset : offset + nbytes])
        return os.pread(self._file, max(0, min(nbytes, self.size - offset)), offset)

    def write(self, offset: int, content: bytes | memoryview) -> None:
        """Put bytes at ``offset``; what lies between the end and it is zeros.

        Raises:
            StoreFullError: the disk has no room for them.
        """
        end = offset + len(content)
        if end > self.size:
            self.resize(end)
        if self._file is None:
            self._memory[offset:end] = content
            return
        rest = memoryview(content)
        while len(rest):
            with room():
                done = os.pwrite(self._file, rest, end - len(rest))
            rest = rest[done:]

    def resize(self, nbytes: int) -> None:
        """Cut it, or add zeros.

        Raises:
            StoreFullError: there is no room for a file of this size.
        """
        if self._file is None and nbytes > self._in_memory:
            self._move_to_disk()
        if self._file is None:
            del self._memory[nbytes:]
            self._memory.extend(bytes(nbytes - len(self._memory)))
        else:
            with room():
                os.ftruncate(self._file, nbytes)
        self.size = nbytes

    def _move_to_disk(self) -> None:
        with room(), tempfile.TemporaryFile(dir=unnamed_files_folder()) as file:
            os.pwrite(file.fileno(), self._memory, 0)
            self._file = os.dup(file.fileno())
        self._memory = bytearray()

    @contextmanager
    def value(self) -> Iterator[memoryview]:
        """All of it, for as long as the block lasts; it must not be changed meanwhile."""
        if self._file is None or not self.size:
            with memoryview(self._memory) as view:
                yield view
            return
        with mmap.mmap(self._file, self.size, prot=mmap.PROT_READ) as mapped, memoryview(mapped) as view:
            yield view

    def close(self) -> None:
        """Let go of it; its size can still be asked."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._memory = bytearray()


@contextmanager
def room() -> Iterator[None]:
    """Says in one line that a file without a name could not be written.

    Raises:
        StoreFullError: so it was.
    """
    try:
        yield
    except OSError as error:
        raise StoreFullError(
            f"what is being written finds no room in {unnamed_files_folder()}: {error.strerror}; TMPDIR names another folder"
        ) from error
