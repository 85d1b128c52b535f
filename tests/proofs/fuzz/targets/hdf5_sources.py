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
    "SMTB",
    "raw",
    "b.h5",
)
_NODES = 60
_MAX_SIZE = 1 << 16


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    source = MemoryStore("", {"a.h5": data, "raw": bytes(range(50)), "b.h5": _OTHER})
    store = Hdf5Store(source, "a.h5", "memory://a.h5")
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
        for fill in (_fill, _fill_with_others):
            memory = io.BytesIO()
            with h5py.File(memory, "w", **options) as file:
                fill(file)
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


def _fill_with_others(file: h5py.File) -> None:
    """Elements in other files, in other datasets, and of unusual bits."""
    numbers = np.arange(24, dtype="i2").reshape(6, 4)
    file.create_dataset("own", data=numbers, chunks=(2, 3), compression="gzip")
    layout = h5py.VirtualLayout((8, 4), "i4")
    layout[1:7:2] = h5py.VirtualSource(".", "own", (6, 4))[:3]
    layout[[0, 4, 6]] = h5py.VirtualSource("b.h5", "whole", (6, 4))[3:]
    file.create_virtual_dataset("virtual", layout, fillvalue=-1)
    layout = h5py.VirtualLayout((1, 4), "i2", maxshape=(None, 4))
    source = h5py.VirtualSource("b.h5", "growing", (6, 4), maxshape=(None, 4))
    layout[0 : h5py.h5s.UNLIMITED] = source[0 : h5py.h5s.UNLIMITED]
    file.create_virtual_dataset("unlimited", layout)
    layout = h5py.VirtualLayout((8,), "i4")
    layout[:] = h5py.VirtualSource(".", "virtual", (8, 4))[:, 2]
    file.create_virtual_dataset("nested", layout)
    # The library looks for the file only when elements are written.
    file.create_dataset("external", (6, 4), "i2", external=[("raw", 2, 20), ("raw", 0, 28)])
    for name, target in (("linked", "/group/inner"), ("groups", "/group"), ("own link", "/none")):
        file[name] = h5py.ExternalLink("b.h5" if name != "own link" else "a.h5", target)
    kind = h5py.h5t.STD_I16LE.copy()
    kind.set_precision(11)
    kind.set_offset(3)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((5,))
    plist.set_filter(h5py.h5z.FILTER_NBIT)
    made = h5py.h5d.create(file.id, b"bits", kind, h5py.h5s.create_simple((20,)), plist)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(-10, 10, dtype="i2"))
    group = file
    for _ in range(3):
        following = group.create_group("a")
        group["b"] = following
        group = following


def _other() -> bytes:
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        _fill(file)
    return memory.getvalue()


_OTHER = _other()
