"""A file on disk without a name, which ends with its user: for bytes that are being written.

It is never mapped into memory. Where the disk is full, or a part of it fails, a mapping would end the process; reading tells.
"""

from __future__ import annotations

import errno
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from operator import mul
from typing import Any, Final

import numpy as np

from zarrcore.array import unnamed_files_folder
from zarrcore.errors import StoreError, StoreFullError
from zarrcore.stores.descriptors import read_descriptor, read_descriptor_into
from zarrfs.trees.errors import RefusedError

_LARGEST: Final = 1 << 30
"""Linux moves no more than twice this with one call."""
_NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT}
_BLOCK_MAX: Final = 64 << 20
_BLOCK_RATIO: Final = 8
"""How many times the wanted bytes are read at most, where that spares a call for each row of them."""


class UnnamedFile:
    """Bytes at offsets, zeros elsewhere. Not thread-safe, but for reading.

    Raises:
        StoreError: there can be none.
    """

    def __init__(self) -> None:
        with disk_errors_reported(), tempfile.TemporaryFile(dir=unnamed_files_folder()) as file:
            self.descriptor = os.dup(file.fileno())

    def write(self, offset: int, content: bytes | bytearray | memoryview) -> None:
        """Put bytes at an offset.

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
            StoreFullError: there can be no file of this size.
        """
        with disk_errors_reported():
            os.ftruncate(self.descriptor, nbytes)

    def read(self, offset: int, nbytes: int) -> bytes:
        """``nbytes`` from ``offset``, all of them within the file."""
        return bytes(read_descriptor(self.descriptor, nbytes, offset))

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill a buffer with the bytes from ``offset`` on, all of them within the file."""
        read_descriptor_into(self.descriptor, buffer, offset)

    def read_region(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], region: tuple[slice, ...], offset: int = 0
    ) -> np.ndarray[Any, Any]:
        """Part of an array whose elements lie in C order.

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
        """Let go of it."""
        os.close(self.descriptor)


def _axis_of_blocks(shape: tuple[int, ...], lengths: tuple[int, ...], itemsize: int) -> int:
    """The first axis of what is read with one call: a range of it with all that lies between its elements."""
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
    """Says in one line that a file without a name could not be written.

    Raises:
        StoreFullError: the disk is full.
        StoreError: something else is wrong with it, or with the folder.
        RefusedError: it would be larger than a file can be.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise RefusedError(errno.EFBIG, f"no file in {unnamed_files_folder()} can be so large") from error
        kind = StoreFullError if error.errno in _NO_ROOM else StoreError
        raise kind(
            f"what is being written finds no room in {unnamed_files_folder()}: {error.strerror}; TMPDIR names another folder"
        ) from error
