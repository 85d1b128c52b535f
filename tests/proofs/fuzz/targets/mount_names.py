"""Names in a mount's directories: no entry, one of our errors, or a file of the size it says, with the array's elements."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

import zarrcore
from zarrcore.errors import ZarrError
from zarrcore.stores import MemoryStore
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Directory, Entry, File
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.hdf5.tree import HDF5Tree
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.names import file_name, segment
from zarrfs.trees.zarr3.tree import Zarr3Tree

_VALUES = np.arange(7 * 5 * 4, dtype="i2").reshape(7, 5, 4)
_READ_MAX = 1 << 16
WORDS = (
    *(
        "a/",
        "text/",
        "record/",
        "g/",
        "slices/",
        "data",
        "image",
        ".npy",
        ".raw",
        ".png",
        ".tiff",
        ".ome.tiff",
        ".csv",
        ".json",
        ".nrrd",
    ),
    *(
        ".h5",
        ".nc",
        "__all__",
        "metadata.json",
        "attributes.json",
        "zarr.json",
        "c/",
        "0/",
        "1",
        "-1",
        "::2",
        "0-3",
        ",",
        "_",
        "...",
    ),
    *(
        "time=",
        "y=",
        "[",
        "]",
        "%",
        "%2E",
        "%00",
        "%25",
        "..",
        ".",
        "/",
        "\x00",
        " ",
        "é",
        "99999999999999999999",
        "+1",
        "1_0",
        "error.txt",
    ),
)


@cache
def _roots() -> tuple[Directory, ...]:
    """The trees of a mount of a hierarchy with names that are hard to write."""
    store = MemoryStore()
    hierarchy = zarrcore.create(store)
    hierarchy.create_array(
        "a",
        shape=_VALUES.shape,
        dtype="int16",
        chunks=(3, 2, 4),
        dimension_names=("time", "y", None),
    )
    hierarchy["a"][...] = _VALUES  # type: ignore[index]
    hierarchy.create_array("text", shape=(3,), dtype="string")
    hierarchy.create_array("record", shape=(4,), dtype=np.dtype([("a", "<i2"), ("b", "<f4")]))
    for name in ("g/data.npy", "g/%2E", "g/a.h5", "g/x y", "g/é", "g/50%"):
        hierarchy.create_array(name, shape=(2,), dtype="uint8")
    for key in ("g/a//b", "g/./c", "g/%/d", "odd\0key"):
        store.set(key, b"x")
    arrays = ArraysTree(lambda: zarrcore.open_hierarchy(store), Freshness(math.inf))
    keys = KeysTree(store, Freshness(math.inf))
    return arrays.root(True), HDF5Tree(arrays).root(True), Zarr3Tree(arrays).root(True), keys.root()


def check(data: bytes) -> None:
    """The first byte is the tree; the rest are names, each of which is looked up in what the one before is."""
    if not data:
        return
    number = data[0] % len(_roots())
    names = data[1:].decode("utf-8", "surrogateescape").split("/")
    for name in names:
        _check_file_name(name)
    entry: Entry | None = _roots()[number]
    for name in names:
        if not isinstance(entry, Directory) or name in ("", ".", "..") or "\0" in name:
            return  # the kernel never asks that
        try:
            entry = entry.lookup(name, True)
        except (ZarrError, RefusedError):
            return
    _check_entry(entry, names if number == 0 else [])


def _check_file_name(name: str) -> None:
    """Each segment of a key has a file name, and only that one."""
    written = file_name(name)
    assert segment(written) == name
    assert written not in ("", ".", "..")
    assert "\0" not in written


def _check_entry(entry: Entry | None, names: list[str]) -> None:
    """A file has as many bytes as it says, and they are the array's elements."""
    if isinstance(entry, Directory):
        listed = [name for (name, _), _ in zip(entry.entries(), range(40), strict=False)]
        assert len(set(listed)) == len(listed)
        return
    if not isinstance(entry, File):
        return
    try:
        entry = entry.sized(True)
        if entry.size > 1 << 22:
            return
        file = entry.open(True)
        content = bytes(file.read(0, min(file.size, _READ_MAX), True))
        file.close()
    except (ZarrError, RefusedError):
        return
    assert len(content) == min(entry.size, _READ_MAX)
    if names[:1] == ["a"] and len(content) == entry.size:
        _check_elements(names[-1], content)


def _check_elements(name: str, content: bytes) -> None:
    if name.endswith(".npy"):
        found: Any = np.load(io.BytesIO(content))
    elif name.endswith(".raw"):
        found = np.frombuffer(content, "<i2")
    elif name.endswith(".json") and name not in ("metadata.json", "attributes.json"):
        found = np.array(json.loads(content), "i2")
    else:
        return
    assert np.isin(found, _VALUES).all()
    assert found.size <= _VALUES.size


def examples() -> Iterable[bytes]:
    """Each kind of name in each tree."""
    names = [
        *(
            "a/data.npy",
            "a/slices/3.png",
            "a/3,:,0-2.npy",
            "a/time=5.json",
            "a/data.csv",
            "a/metadata.json",
            "text/data.json",
        ),
        *(
            "record/data.npy",
            "g/data.npy/data.raw",
            "g/%252E/data.raw",
            "a/slices/3/2.npy",
            "g/x y/data.nrrd",
            "a/data.tiff",
        ),
    ]
    yield from (b"\0" + name.encode() for name in names)
    yield from (b"\1" + name.encode() for name in ("a.h5", "__all__.nc", "g/é.h5", "text/error.txt"))
    yield from (b"\2" + name.encode() for name in ("a/zarr.json", "a/c/0/1/0", "g"))
    yield from (b"\3" + name.encode() for name in ("a/zarr.json", "g/%/b", "g/%252E", "g"))
