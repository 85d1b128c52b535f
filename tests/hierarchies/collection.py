"""A folder of hierarchies of several formats, at several depths, among other files and folders."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import zarr

import zarrcore
from tests.core.formats.drafts.draft_writer import Array, write
from tests.hierarchies.writer import Expected

VALUES = np.arange(30, dtype="i4").reshape(5, 6)

NODES = [
    ("/", "collection"),
    ("/2020", "group"),
    ("/2020/b", "array"),
    ("/broken.zarr", "broken"),
    ("/notes", "collection"),
    ("/notes/empty", "collection"),
    ("/sites", "collection"),
    ("/sites/north", "collection"),
    ("/sites/north/v2.zarr", "group"),
    ("/sites/north/v2.zarr/b", "array"),
    ("/sites/south.n5", "group"),
    ("/sites/south.n5/g", "group"),
    ("/sites/south.n5/g/b", "array"),
    ("/v3.zarr", "group"),
    ("/v3.zarr/b", "array"),
    ("/zipped.zip", "group"),
    ("/zipped.zip/b", "array"),
]
"""Path and kind of each node of `write_collection`, in the order of a walk."""


def write_collection(root: str | os.PathLike[str]) -> Expected:
    """Fill a directory; returns the content of each array by its path in the collection."""
    folder = Path(root)
    with warnings.catch_warnings(action="ignore"):
        zarr.create_group(folder / "v3.zarr").create_array("b", data=VALUES, chunks=(2, 4))
        zarr.create_group(folder / "sites/north/v2.zarr", zarr_format=2).create_array(
            "b", data=VALUES, chunks=(2, 4)
        )
        with zarr.storage.ZipStore(folder / "zipped.zip", mode="w") as store:
            zarr.create_group(store).create_array("b", data=VALUES, chunks=(2, 4))
    with zarrcore.create(folder / "sites/south.n5", "n5") as hierarchy:
        array = hierarchy.create_array("/g/b", shape=VALUES.shape, dtype="int32", chunks=(2, 4))
        array[...] = VALUES
    files = {
        f"2020/{key}": value for key, value in write("2020-10-16", {"/b": Array(VALUES, (2, 4))}).items()
    }
    files |= {
        "broken.zarr/zarr.json": b"{",
        "readme.txt": b"The content of this folder",
        "notes/today.md": b"# Today",
    }
    files |= {".cache/zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "notes/archive.zip.txt": b"PK"}
    for key, value in files.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(value)
    (folder / "notes/empty").mkdir()
    return {path: VALUES for path, kind in NODES if kind == "array"}
