"""Broken HDF5 files as sources: an error of zarrscope with one line, or nodes and values; never more memory than limits allow."""

from __future__ import annotations

import io
from collections.abc import Iterable
from itertools import islice

import h5py
import numpy as np

from zarrcore.errors import ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.store import Hdf5Store

WORDS = (
    "\x89HDF\r\n\x1a\n",
    "OHDR",
    "OCHK",
    "TREE",
    "SNOD",
    "HEAP",
    "GCOL",
    "FRHP",
    "FHDB",
    "BTHD",
    "FAHD",
    "EAHD",
)
_NODES = 60
_MAX_SIZE = 1 << 16


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    store = Hdf5Store(MemoryStore("", {"a.h5": data}), "a.h5", "memory://a.h5")
    try:
        nodes = [*islice(open_place(store).walk(), _NODES)]
    except ZarrError as error:
        check_sentence(error)
        return
    for node in nodes:
        try:
            if (
                isinstance(node, ArrayNode)
                and node.size <= _MAX_SIZE
                and node.metadata.chunk_grid.chunk_shape
            ):
                assert node[...].shape == node.shape
        except ZarrError as error:
            check_sentence(error)
    try:
        for entry in islice(store.list_prefix(""), 200):
            store.stat(entry.key)
    except ZarrError as error:
        check_sentence(error)


def check_sentence(error: ZarrError) -> None:
    """An error is one line."""
    assert str(error), type(error)
    assert "\n" not in str(error)


def examples() -> Iterable[bytes]:
    """Files of both generations of the format, with all layouts, indexes and kinds of links."""
    for options in ({}, {"libver": "v110"}, {"libver": "latest"}, {"userblock_size": 512}):
        memory = io.BytesIO()
        with h5py.File(memory, "w", **options) as file:
            _fill(file)
        yield memory.getvalue()


def _fill(file: h5py.File) -> None:
    numbers = np.arange(24, dtype="i2").reshape(6, 4)
    file["whole"] = numbers
    file.create_dataset("chunks", data=numbers, chunks=(2, 3), compression="gzip", shuffle=True)
    file.create_dataset("growing", data=numbers, chunks=(2, 3), maxshape=(None, 4), fletcher32=True)
    file.create_dataset("free", data=numbers, chunks=(2, 3), maxshape=(None, None))
    file.create_dataset("texts", data=np.array(["a", "", "ü"], object))
    file["records"] = np.zeros(2, [("a", "i1"), ("b", ">f8", (2,)), ("c", "S3")])
    file["group/inner"] = 1.5
    file["group/soft"] = h5py.SoftLink("/whole")
    file["group/up"] = file["/"]
    for number in range(12):
        file["group"].attrs[f"a{number}"] = [number, 2.5]
    file["whole"].attrs["text"] = "é"
    file["whole"].dims[0].label = "y"
    file["scale"] = np.arange(4)
    file["scale"].make_scale("x")
    file["whole"].dims[1].attach_scale(file["scale"])
