"""zarrscope's side: an array by the library, and by the trees of the mount without a kernel."""

from __future__ import annotations

import io
from pathlib import Path

import h5py
import numpy as np

import zarrcore as zc
from tests.proofs.oracles.description import Description, Write
from zarrcore.metadata import ChunkKeyEncoding
from zarrcore.typing import AnyArray
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Directory, Entry, File
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.hdf5.tree import HDF5Tree
from zarrfs.trees.names import file_name
from zarrfs.trees.zarr3.tree import Zarr3Tree

Array = AnyArray


def create(folder: Path, name: str, description: Description) -> None:
    """Create an array below a hierarchy's root."""
    before, to_bytes, after = description.v3_codecs()
    encodings = {"v2": "v2", "v3": "default"}
    encoding = encodings.get(description.format)
    zc.open_hierarchy(folder, mode="r+").create_array(
        name,
        shape=description.shape,
        dtype=description.dtype,
        chunks=description.chunk_shape,
        shards=description.shard_shape,
        codecs=after if description.format == "n5" else [*before, to_bytes, *after],
        fill_value=description.fill_value,
        chunk_key_encoding=ChunkKeyEncoding(encoding, description.separator) if encoding else None,
    )


def write(folder: Path, name: str, description: Description, change: Write) -> None:
    """Write elements of an array."""
    zc.open_hierarchy(folder, mode="r+")[name][change.region] = change.values(description)


def opened(folder: Path, name: str) -> zc.Array:
    """An array for reading."""
    array = zc.open_hierarchy(folder)[name]
    assert isinstance(array, zc.Array)
    return array


def export_zarr3(folder: Path, path: str, to: Path) -> None:
    """Copy the files of an array in ``zarr3/``."""
    tree = Zarr3Tree(ArraysTree(lambda: zc.open_hierarchy(folder), Freshness(60.0)))
    entry = _lookup(tree.root(True), path)
    assert isinstance(entry, Directory)
    _copy(entry, to)


def read_hdf5(folder: Path, path: str) -> Array:
    """The elements that h5py finds in the array's file of ``hdf5/``."""
    tree = HDF5Tree(ArraysTree(lambda: zc.open_hierarchy(folder), Freshness(60.0)))
    entry = _lookup(tree.root(True), path, ".h5")
    assert isinstance(entry, File)
    with h5py.File(io.BytesIO(_content(entry)), "r") as file:
        return np.asarray(file[path.rpartition("/")[2]][()])


def _lookup(entry: Entry | None, path: str, ending: str = "") -> Entry | None:
    *groups, last = map(file_name, path.split("/"))
    for part in (*groups, last + ending):
        assert isinstance(entry, Directory), part
        entry = entry.lookup(part, True)
    return entry


def _copy(directory: Directory, to: Path) -> None:
    to.mkdir()
    for name, _ in directory.entries():
        entry = directory.lookup(name, True)
        if isinstance(entry, Directory):
            _copy(entry, to / name)
        elif isinstance(entry, File):
            (to / name).write_bytes(_content(entry))


def _content(entry: File) -> bytes:
    file = entry.sized(True)
    return bytes(file.open(True).read(0, file.size, True))
