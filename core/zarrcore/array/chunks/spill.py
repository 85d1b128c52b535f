"""Decoded chunks on disk, for arrays of which a slab of chunks is larger than the memory for chunks.

Read in C order, such an array needs each chunk once per row of elements. Chunks lie side by side in large files that have no
name: the system frees their space once no chunk in them is referenced, and when the process ends, in whatever way.
They are mapped into memory: a row of a chunk costs the pages that it lies in, and most often not even these are fetched.
"""

from __future__ import annotations

import math
import mmap
import os
import shutil
import tempfile
import threading
from typing import Any, Final

import numpy as np

Chunk = np.ndarray[Any, Any]

_FILE_NBYTES: Final = 64 << 20
_LEFT_MIN: Final = 1 << 30
"""Bytes of the disk that are left to others."""
_ALIGNMENT: Final = 64
_FOLDER: Final = "/var/tmp" if os.access("/var/tmp", os.W_OK) else tempfile.gettempdir()  # noqa: S108 - files without names


def unnamed_files_folder() -> str:
    """Where files without names lie: TMPDIR or ``/var/tmp``, since ``/tmp`` often is memory itself."""
    return os.environ.get("TMPDIR") or _FOLDER


def slab_nbytes(shape: tuple[int, ...], chunk_shape: tuple[int, ...], itemsize: int) -> int:
    """What is decoded before a reader in C order is done with the first chunk.

    Along leading dimensions in which chunks are one element long they are read one after another.

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
    """Room for chunks on disk.

    Args:
        max_bytes: the cache that keeps chunks here drops some beyond these.
        folder: where the files lie; by default `unnamed_files_folder`.
    """

    def __init__(self, max_bytes: int, folder: str | None = None) -> None:
        self.max_bytes = max_bytes
        self._folder = folder or unnamed_files_folder()
        self._lock = threading.Lock()
        self._file: mmap.mmap | None = None
        self._used = 0

    def keep(self, chunk: Chunk) -> Chunk | None:
        """The chunk's elements on disk; None where they cannot lie there, or the disk is full."""
        has_bytes = not chunk.dtype.hasobject and chunk.dtype.kind != "T" and chunk.nbytes > 0
        if not has_bytes or 0 in chunk.strides or (place := self._place(chunk.nbytes)) is None:
            return None
        file, offset = place
        kept: Chunk = np.ndarray(chunk.shape, chunk.dtype, file, offset)
        np.copyto(kept, chunk)
        return kept

    def forget(self) -> None:
        """Let go of the file that is being filled."""
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
            # A page that the disk has no room for when it is written to would end the process.
            os.posix_fallocate(file.fileno(), 0, nbytes)
            return mmap.mmap(file.fileno(), nbytes)
