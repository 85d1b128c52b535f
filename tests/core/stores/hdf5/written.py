"""The parts of a file that h5py wrote to memory."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import h5py

from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.file import Hdf5File
from zarrcore.stores.virtual.file_reader import FileReader


def written(write: Callable[[h5py.File], Any], **options: Any) -> Hdf5File:
    """The file that a function fills."""
    memory = io.BytesIO()
    with h5py.File(memory, "w", **options) as file:
        write(file)
    return opened(memory.getvalue())


def opened(content: bytes) -> Hdf5File:
    """The file of this content."""
    return Hdf5File(FileReader(MemoryStore("", {"a.h5": content}), "a.h5", "memory://a.h5"))


def node(file: Hdf5File, path: str) -> Any:
    """The object at a path."""
    found = file.find(path)
    assert found is not None
    assert found.node is not None
    return found.node
