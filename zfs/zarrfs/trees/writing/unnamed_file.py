"""An unnamed file on disk for bytes being written; it disappears with its process.

It is never mapped into memory: a full or failing disk would then kill the process, while reads and writes report an error.
"""

from __future__ import annotations

import errno
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from operator import mul
from typing import Any, Final

import numpy as np

from zarrcore.array import unnamed_files_folder
from zarrcore.errors import StoreError, StoreFullError
from zarrcore.stores import read_descriptor, read_descriptor_into
from zarrcore.system import os
from zarrcore.typing import AnyArray
from zarrfs.trees.errors import RefusedError

_LARGEST: Final = 1 << 30
"""Half of the most bytes that Linux reads or writes in one call."""
_NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT}
_BLOCK_MAX: Final = 64 << 20
_BLOCK_RATIO: Final = 8
"""Read up to this many times the wanted bytes if that saves one call for each row."""


class UnnamedFile:
    """Bytes at offsets, zeros elsewhere. Only reading is thread-safe.

    Raises:
        StoreError: the file cannot be made.
    """

    def __init__(self) -> None:
        with disk_errors_reported(), tempfile.TemporaryFile(dir=unnamed_files_folder()) as file:
            self.descriptor = os.dup(file.fileno())

    def write(self, offset: int, content: bytes | bytearray | memoryview) -> None:
        """Write bytes at an offset.

        Raises:
            StoreFullError: the disk has no room for them.
        """
        rest = memoryview(content)
        while len(rest):
            with disk_errors_reported():
                done = os.pwrite(self.descriptor, rest[:_LARGEST], offset)
            rest, offset = rest[done:], offset + done

    def resize(self, nbytes: int) -> None:
        """Cut it, or add zeros.

        Raises:
            StoreFullError: there is no room for a file of this size.
        """
        with disk_errors_reported():
            os.ftruncate(self.descriptor, nbytes)

    def read(self, offset: int, nbytes: int) -> bytes:
        """``nbytes`` from ``offset``, all of them within the file."""
        return bytes(read_descriptor(self.descriptor, nbytes, offset))

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill a buffer with the bytes from ``offset``, all of them within the file."""
        read_descriptor_into(self.descriptor, buffer, offset)

    def read_region(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], region: tuple[slice, ...], offset: int = 0
    ) -> AnyArray:
        """Part of an array whose elements are in C order.

        Args:
            shape: of the whole array, in elements.
            dtype: of its elements.
            region: a slice with start and stop for each of its axes.
            offset: bytes before its first element.
        """
        if not shape:
            return self.read_region((1,), dtype, (slice(0, 1),), offset).reshape(())
        lengths = tuple(part.stop - part.start for part in region)
        axis = _axis_of_blocks(shape, lengths, dtype.itemsize)
        strides = [dtype.itemsize * math.prod(shape[i + 1 :]) for i in range(axis + 1)]
        found = np.empty(lengths, dtype)
        block = np.empty((lengths[axis], *shape[axis + 1 :]), dtype)
        for index in np.ndindex(lengths[:axis]):
            starts = (part.start + i for part, i in zip(region, (*index, 0), strict=False))
            begin = offset + sum(map(mul, starts, strides))
            self.read_into(begin, block.reshape(-1).view(np.uint8).data)
            found[index] = block[(slice(None), *region[axis + 1 :])]
        return found

    def close(self) -> None:
        """Close the file."""
        os.close(self.descriptor)


def _axis_of_blocks(shape: tuple[int, ...], lengths: tuple[int, ...], itemsize: int) -> int:
    """The axis from which one call reads a contiguous block: a range of this axis, and all of the later axes."""
    axis = len(shape) - 1
    while axis and lengths[axis] == shape[axis]:
        axis -= 1
    if axis:
        nbytes = itemsize * lengths[axis - 1] * math.prod(shape[axis:])
        wanted = itemsize * math.prod(lengths[axis - 1 :])
        if nbytes <= min(_BLOCK_MAX, _BLOCK_RATIO * wanted):
            axis -= 1
    return axis


@contextmanager
def disk_errors_reported() -> Iterator[None]:
    """Convert an OSError that is raised while an unnamed file is written.

    Raises:
        StoreFullError: the disk is full.
        StoreError: another error of the disk or the folder.
        RefusedError: the file would be larger than a file can be.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise RefusedError(
                errno.EFBIG, f"a file in {unnamed_files_folder()} cannot be this large"
            ) from error
        kind = StoreFullError if error.errno in _NO_ROOM else StoreError
        raise kind(
            f"cannot write temporary data in {unnamed_files_folder()}: {error.strerror}; set TMPDIR to another folder"
        ) from error
