"""An HDF5 file as its readers get it: h5py through the virtual file itself, other programs as a real one."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

import zarrcore
from zarrcore.filetypes.hdf5 import HDF5File

_PAGE_NBYTES = 4096


class Stream(io.RawIOBase):
    """A virtual file as Python's, of which whole pages are read as through a mount."""

    def __init__(self, file: zarrcore.VirtualFile) -> None:
        self._file = file
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
        within = self._position % _PAGE_NBYTES
        nbytes = -(-(within + len(target)) // _PAGE_NBYTES) * _PAGE_NBYTES
        part = self._file.read(self._position - within, nbytes)[within : within + len(target)]
        target[: len(part)] = part
        self._position += len(part)
        return len(part)


@contextmanager
def opened(node: Any, *, netcdf: bool = False) -> Iterator[h5py.File]:
    """The file of a node, nothing of which is read that is not asked for.

    h5py holds its lock while it reads, and wants it when a thread that decodes for it happens to collect files of before.
    """
    gc.disable()
    try:
        with h5py.File(Stream(HDF5File(node, netcdf=netcdf)), "r") as file:
            yield file
    finally:
        gc.enable()


def written(node: Any, path: Path) -> Path:
    """The file of a node, written; of NetCDF if its name says so."""
    with path.open("wb") as stream:
        HDF5File(node, netcdf=path.suffix == ".nc").write_to(stream)
    return path
