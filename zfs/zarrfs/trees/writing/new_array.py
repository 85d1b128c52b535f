"""A file in NumPy's format that becomes an array when it is complete and closed."""

from __future__ import annotations

import ast
import errno
import io
import math
import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any, Final

import numpy as np

from zarrcore.errors import UnsupportedError, ZarrError
from zarrcore.hierarchy import ArrayNode, Hierarchy
from zarrcore.metadata import numpy_dtype
from zarrcore.typing import AnyArray
from zarrfs.trees.entry import BytesLike, OpenFile, WritableOpenFile
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.writing.spool import Spool, SpoolMemory
from zarrfs.trees.writing.unfinished import UnfinishedFile, turn

_VERSIONS: Final = ((1, 0), (2, 0), (3, 0))
_HEADER_MAX: Final = 1 << 17
_SLAB_NBYTES: Final = 64 << 20

Slab = Callable[[int, int], AnyArray]
"""Returns the elements of an array between two positions along its first axis."""


class NewArray(WritableOpenFile):
    """The file, open for writing by one handle.

    Args:
        hierarchy: opens the hierarchy of the new array.
        path: the path of the array.
        closed: called when the last writer has closed it.
        memory: for data being written.
    """

    def __init__(
        self, hierarchy: Callable[[], Hierarchy], path: str, closed: Callable[[], object], memory: SpoolMemory
    ) -> None:
        self.path = path
        self.version = f"new-{path}-{time.monotonic_ns()}"
        self.mtime_s = time.time()
        self.holds_changes = True
        self.shown = FileOfNewArray(self)
        self._hierarchy = hierarchy
        self._closed = closed
        self._spool = Spool(memory)
        self._lock = Lock()

    @property
    def size(self) -> int:  # type: ignore[override]
        """The bytes written so far."""
        return self._spool.size

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        with turn(self._lock, wait):
            return self._spool.read(offset, nbytes)

    def write(self, offset: int, data: bytes, wait: bool) -> int:
        with turn(self._lock, wait):
            self._refuse_change()
            self._spool.write(offset, data)
        return len(data)

    def resize(self, nbytes: int, wait: bool) -> None:
        with turn(self._lock, wait):
            self._refuse_change()
            self._spool.resize(nbytes)

    def _refuse_change(self) -> None:
        if not self.holds_changes:
            raise RefusedError(errno.EPERM, f"{self.path} is already an array: write to its data.npy")

    def store(self, closing: bool) -> None:
        with turn(self._lock, wait=True):
            if not self.holds_changes or not closing:
                return
            shape, is_fortran, dtype, start = self._header()
            self._make(shape, dtype, partial(self._slab, shape, dtype, start, is_fortran))
            self.holds_changes = False

    def _slab(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        offset: int,
        is_fortran: bool,
        begin: int,
        end: int,
    ) -> AnyArray:
        """The elements from ``begin`` to ``end`` along the first axis."""
        region = (slice(begin, end), *(slice(0, length) for length in shape[1:]))[: len(shape)]
        if not is_fortran:
            return self._spool.read_region(shape, dtype, region, offset)
        return self._spool.read_region(shape[::-1], dtype, region[::-1], offset).transpose()

    def _header(self) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
        """Shape, order, type, and the offset of the elements.

        Raises:
            RefusedError: it is not a header, or the number of bytes after it is wrong.
            UnsupportedError: the elements are Python objects.
        """
        stream = io.BytesIO(self._spool.read(0, _HEADER_MAX))
        try:
            shape, is_fortran, dtype = _read_header(stream)
        except (ValueError, OSError) as error:
            raise RefusedError(
                errno.EINVAL, f"{self.path}.npy does not begin with the header of a NumPy file"
            ) from error
        if dtype.hasobject:
            raise UnsupportedError("data type", str(dtype), "are Python objects, which only Python can read")
        start = stream.tell()
        nbytes = start + math.prod(shape) * dtype.itemsize
        if nbytes != self.size:
            raise RefusedError(
                errno.EINVAL,
                f"{self.path}.npy has {self.size} bytes; according to its header, it needs {nbytes}",
            )
        return shape, is_fortran, dtype, start

    def _make(self, shape: tuple[int, ...], dtype: np.dtype[Any], slab: Slab) -> None:
        hierarchy = self._hierarchy()
        array = hierarchy.create_array(self.path, shape=shape, dtype=dtype)
        try:
            _fill(array, slab)
        except BaseException:
            with suppress(ZarrError):
                hierarchy.erase(self.path)
            raise

    def close(self) -> None:
        self._closed()
        self._spool.close()


def _read_header(stream: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type; afterwards the stream is at the first element.

    Raises:
        ValueError: it is not a header, or its shape or type is not that of an array.
    """
    version = np.lib.format.read_magic(stream)
    if version not in _VERSIONS:
        raise ValueError("the version is unknown")
    length_nbytes, encoding = (2 if version == (1, 0) else 4), ("utf-8" if version == (3, 0) else "latin-1")
    nbytes = int.from_bytes(stream.read(length_nbytes), "little")
    # NumPy has no public function for version 3, whose names are in UTF-8 and not in Latin-1.
    stored = stream.read(nbytes)
    if len(stored) < nbytes:
        raise ValueError("the header is longer than the file")
    header = stored.decode(encoding).encode("ascii", "backslashreplace")
    _check_type(header)
    try:
        shape, is_fortran, dtype = np.lib.format.read_array_header_2_0(
            io.BytesIO(len(header).to_bytes(4, "little") + header)
        )
    except (TypeError, IndexError, KeyError, OverflowError) as error:
        raise ValueError("the header has another form") from error
    if any(type(length) is not int or length < 0 for length in shape):
        raise ValueError("the shape has other numbers than lengths")
    return shape, is_fortran, dtype


def _check_type(header: bytes) -> None:
    """Check the type before NumPy sees it: some spellings of types make it divide by zero, which ends the process.

    Raises:
        ValueError: the header or its type has another form.
    """
    # Python 2 wrote L after long numbers. NumPy leaves that out too, and so the type is at worst stricter than for NumPy.
    text = re.sub(rb"(?<=[0-9])L", b"", header).decode("ascii")
    try:
        numpy_dtype(_with_plain_names(ast.literal_eval(text)["descr"]), "descr")
    except (SyntaxError, TypeError, LookupError, MemoryError, RecursionError) as error:
        raise ValueError("the header has another form") from error


def _with_plain_names(descr: Any) -> Any:
    """A type as in a header, with other names of fields: NumPy's may be empty, or pairs with a title."""
    if isinstance(descr, tuple):  # of an array in a field
        return _with_plain_names(descr[0])
    if isinstance(descr, list):
        fields = enumerate(descr)
        return [(f"f{number}", _with_plain_names(field[1]), *field[2:3]) for number, field in fields]
    return descr


def _fill(array: ArrayNode, slab: Slab) -> None:
    """Write all elements, whole rows of chunks at a time."""
    if not array.shape:
        array[...] = slab(0, 1)
        return
    length = array.chunk_shape[0]
    row = max(1, length * math.prod(array.shape[1:]) * array.itemsize)
    step = length * max(1, _SLAB_NBYTES // row)
    for start in range(0, array.shape[0], step):
        stop = min(start + step, array.shape[0])
        array[start:stop] = slab(start, stop)


class FileOfNewArray(UnfinishedFile):
    """The entry of the file until it is closed."""

    def __init__(self, new: NewArray) -> None:
        super().__init__(new)
        self._new = new

    def open(self, wait: bool) -> OpenFile:
        raise RefusedError(errno.ENOENT, f"{self._new.path} is not an array yet", is_logged=False)

    def open_to_write(self, truncate: bool, wait: bool) -> WritableOpenFile:
        raise RefusedError(errno.EBUSY, f"{self._new.path} is being written")
