"""The parts of a file that h5py wrote to memory."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import h5py

from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.file import Hdf5File
from zarrcore.stores.virtual.file_reader import FileReader

WHY_NOT_SHOWN = "the dataset holds integers of 128 bits in 16 bytes, for which Zarr has no data type"


def written(write: Callable[[h5py.File], Any], **options: Any) -> Hdf5File:
    """The file that a function fills."""
    memory = io.BytesIO()
    with h5py.File(memory, "w", **options) as file:
        write(file)
    return opened(memory.getvalue())


def wide_integer() -> h5py.h5t.TypeID:
    """A type for which Zarr has no counterpart: `WHY_NOT_SHOWN`."""
    kind = h5py.h5t.STD_I64LE.copy()
    kind.set_size(16)
    kind.set_precision(128)
    return kind


def add_unshown(group: h5py.Group, name: str) -> None:
    """Add a dataset that cannot be shown."""
    h5py.h5d.create(group.id, name.encode(), wide_integer(), h5py.h5s.create_simple((2,)))


def opened(content: bytes) -> Hdf5File:
    """The file of this content."""
    return Hdf5File(FileReader(MemoryStore("", {"a.h5": content}), "a.h5", "memory://a.h5"))


def node(file: Hdf5File, path: str) -> Any:
    """The object at a path."""
    found = file.find(path)
    assert found is not None
    assert found.node is not None
    return found.node
