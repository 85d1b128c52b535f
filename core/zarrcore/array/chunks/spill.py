"""Decoded chunks on disk, for arrays with slabs of chunks larger than the memory for chunks.

Read in C order, these arrays need each chunk once per row of elements. Chunks are stored side by side in large unnamed files:
the system frees their space when no chunk in them is referenced any more, and when the process ends or is killed.
The files are mapped into memory: reading a row of a chunk touches only its pages, which are usually still in memory.
"""

from __future__ import annotations

import math
import mmap
import shutil
import tempfile
import threading
from typing import Final

import numpy as np

from zarrcore.system import os
from zarrcore.typing import AnyArray

Chunk = AnyArray

_FILE_NBYTES: Final = 64 << 20
_LEFT_MIN: Final = 1 << 30
"""Bytes to leave free on the disk."""
_ALIGNMENT: Final = 64
_FOLDER: Final = "/var/tmp" if os.access("/var/tmp", os.W_OK) else tempfile.gettempdir()  # noqa: S108 - unnamed files


def unnamed_files_folder() -> str:
    """The folder for unnamed files: TMPDIR or ``/var/tmp``, because ``/tmp`` is often in memory."""
    return os.environ.get("TMPDIR") or _FOLDER


def slab_nbytes(shape: tuple[int, ...], chunk_shape: tuple[int, ...], itemsize: int) -> int:
    """The number of bytes that are decoded before a reader in C order has finished the first chunk.

    Leading dimensions with chunks of one element do not count: along them, chunks are read one after another.

    >>> slab_nbytes((512, 100, 512), (64, 64, 64), 4)
    16777216
    >>> slab_nbytes((512, 512, 512), (1, 512, 512), 2)
    524288
    """
    axes = [*zip(shape, chunk_shape, strict=True)]
    while axes and axes[0][1] == 1:
        del axes[0]
    if not axes:
        return itemsize
    return itemsize * axes[0][1] * math.prod(-(-extent // length) * length for extent, length in axes[1:])


class Spill:
    """Space for chunks on disk.

    Args:
        max_bytes: the limit above which the cache drops chunks.
        folder: the folder of the files; by default `unnamed_files_folder`.
    """

    def __init__(self, max_bytes: int, folder: str | None = None) -> None:
        self.max_bytes = max_bytes
        self._folder = folder or unnamed_files_folder()
        self._lock = threading.Lock()
        self._file: mmap.mmap | None = None
        self._used = 0

    def keep(self, chunk: Chunk) -> Chunk | None:
        """The chunk's elements on disk; None if they cannot be stored there or the disk is full."""
        has_bytes = not chunk.dtype.hasobject and chunk.dtype.kind != "T" and chunk.nbytes > 0
        if not has_bytes or 0 in chunk.strides or (place := self._place(chunk.nbytes)) is None:
            return None
        file, offset = place
        kept: Chunk = np.ndarray(chunk.shape, chunk.dtype, file, offset)
        np.copyto(kept, chunk)
        return kept

    def forget(self) -> None:
        """Release the file that is being filled."""
        self._file = None

    def start_anew(self) -> None:
        """In a forked child: the thread that held the lock does not exist, and the file is the parent's."""
        self._lock = threading.Lock()
        self._file = None

    def _place(self, nbytes: int) -> tuple[mmap.mmap, int] | None:
        with self._lock:
            if self._file is None or self._used + nbytes > len(self._file):
                try:
                    self._file, self._used = self._new_file(max(nbytes, _FILE_NBYTES)), 0
                except OSError:
                    self._file = None
                    return None
            offset = self._used
            self._used += -(-nbytes // _ALIGNMENT) * _ALIGNMENT
            return self._file, offset

    def _new_file(self, nbytes: int) -> mmap.mmap:
        if shutil.disk_usage(self._folder).free - nbytes < _LEFT_MIN:
            raise OSError("the disk is full")
        with tempfile.TemporaryFile(dir=self._folder) as file:
            # Writing to a page for which the disk has no space would kill the process.
            os.posix_fallocate(file.fileno(), 0, nbytes)
            return mmap.mmap(file.fileno(), nbytes)
