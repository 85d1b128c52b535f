"""HDF5 files for their readers: h5py reads the virtual file itself, other programs a real file."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from tests.core.filetypes.stream import Stream
from zarrcore.filetypes.hdf5 import HDF5File

_PAGE_NBYTES = 4096


@contextmanager
def opened(node: Any, *, netcdf: bool = False) -> Iterator[h5py.File]:
    """The file of a node; only requested bytes are read.

    h5py holds its lock while it reads, and also needs it when a decoding thread happens to collect earlier files.
    """
    gc.disable()
    try:
        with h5py.File(Stream(HDF5File(node, netcdf=netcdf), _PAGE_NBYTES), "r") as file:
            yield file
    finally:
        gc.enable()


def written(node: Any, path: Path) -> Path:
    """The written file of a node; a NetCDF file if its name says so."""
    with path.open("wb") as stream:
        HDF5File(node, netcdf=path.suffix == ".nc").write_to(stream)
    return path
