"""Bytes being written: a few in memory, many in an unnamed file."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import Any, Final

import numpy as np

from zarrcore.errors import StoreError
from zarrcore.stores import WritableStore
from zarrcore.typing import AnyArray
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.writing.unnamed_file import UnnamedFile

_IN_MEMORY_MAX: Final = 4 << 20


class SpoolMemory:
    """Memory for all values that are being written in a mount. Thread-safe.

    Args:
        nbytes: the size of the memory.
    """

    def __init__(self, nbytes: int) -> None:
        self._left = nbytes
        self._lock = Lock()

    def reserve(self, nbytes: int) -> bool:
        """Reserve bytes; False if there are not enough."""
        with self._lock:
            if nbytes > self._left:
                return False
            self._left -= nbytes
            return True

    def release(self, nbytes: int) -> None:
        """Release reserved bytes."""
        with self._lock:
            self._left += nbytes


class Spool:
    """A value that grows, shrinks and changes. Not thread-safe.

    Args:
        memory: the shared memory. If there is not enough, or from 4 MiB on, the value is on disk.

    Attributes:
        size: its size in bytes.
    """

    def __init__(self, memory: SpoolMemory) -> None:
        self.size = 0
        self._budget = memory
        self._memory = bytearray()
        self._file: UnnamedFile | None = None

    def read(self, offset: int, nbytes: int) -> bytes:
        """``nbytes`` from ``offset``, fewer only at the end."""
        if self._file is None:
            return bytes(self._memory[offset : offset + nbytes])
        return self._file.read(offset, max(0, min(nbytes, self.size - offset)))

    def read_region(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], region: tuple[slice, ...], offset: int
    ) -> AnyArray:
        """Like `UnnamedFile.read_region`."""
        if self._file is None:
            place: Any = (*region, ...)
            copied: AnyArray = np.ndarray(shape, dtype, self._memory, offset)[place].copy()
            return copied
        return self._file.read_region(shape, dtype, region, offset)

    def write(self, offset: int, content: bytes | memoryview) -> None:
        """Write bytes at ``offset``; a gap after the end is filled with zeros. After a failure, the size is unchanged.

        Raises:
            StoreFullError: the disk has no room for them.
            RefusedError: no file can have this size.
        """
        end = offset + len(content)
        if self._file is None and not self._has_memory(end):
            self._move_to_disk()
        if self._file is None:
            self._memory[offset:end] = content
        else:
            try:
                self._file.write(offset, content)
            except BaseException:
                with suppress(StoreError, RefusedError):
                    self._file.resize(self.size)
                raise
        self.size = max(self.size, end)

    def resize(self, nbytes: int) -> None:
        """Cut it, or add zeros.

        Raises:
            StoreFullError: there is no room for a file of this size.
            RefusedError: no file can have this size.
        """
        if self._file is None and not self._has_memory(nbytes):
            self._move_to_disk()
        if self._file is not None:
            self._file.resize(nbytes)
        else:
            self._budget.release(len(self._memory) - nbytes)
            del self._memory[nbytes:]
        self.size = nbytes

    def _has_memory(self, nbytes: int) -> bool:
        """Provide at least ``nbytes`` in memory, new ones as zeros; False if there is no room."""
        grown = nbytes - len(self._memory)
        if grown <= 0:
            return True
        if nbytes > _IN_MEMORY_MAX or not self._budget.reserve(grown):
            return False
        try:
            self._memory.extend(bytes(grown))
        except MemoryError:
            self._budget.release(grown)
            return False
        return True

    def _move_to_disk(self) -> None:
        file = UnnamedFile()
        try:
            file.write(0, self._memory)
        except BaseException:
            file.close()
            raise
        self._file = file
        self._empty()

    def _empty(self) -> None:
        self._budget.release(len(self._memory))
        self._memory = bytearray()

    def set_in(self, store: WritableStore, key: str, *, if_absent: bool = False) -> bool:
        """Store it under a key; raises as `WritableStore.set` does."""
        if self._file is None:
            return store.set(key, bytes(self._memory), if_absent=if_absent)
        return store.set_file(key, self._file.descriptor, if_absent=if_absent)

    def close(self) -> None:
        """Release it; its size stays available."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._empty()
