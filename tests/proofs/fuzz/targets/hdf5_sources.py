"""Broken HDF5 files as sources: an error of zarrscope with one line, or nodes and values; never more memory than limits allow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import h5py
import numpy as np

from tests.proofs.fuzz.sources import check_source
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


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    source = MemoryStore("", {"a.h5": data, "raw": bytes(range(50)), "b.h5": _OTHER})
    store = Hdf5Store(source, "a.h5", "memory://a.h5")
    check_source(store)


def examples() -> Iterable[bytes]:
    """Files of both generations of the format, with all layouts, indexes and kinds of links.

    Each is about one of them: a change of a small file is seen more often, and takes less time.
    """
    for options in ({}, {"libver": "v110"}, {"libver": "latest"}):
        for fill in _FILLS:
            yield _file(fill, **options)
    yield _file(_add_links, userblock_size=512)


def _file(*fills: Callable[[h5py.File], None], **options: Any) -> bytes:
    memory = io.BytesIO()
    with h5py.File(memory, "w", **options) as file:
        for fill in fills:
            fill(file)
    return memory.getvalue()


_NUMBERS = np.arange(24, dtype="i2").reshape(6, 4)


def _add_whole(file: h5py.File) -> None:
    file["whole"] = _NUMBERS
    file["whole"].attrs["text"] = "é"


def _add_chunks(file: h5py.File) -> None:
    file.create_dataset("chunks", data=_NUMBERS, chunks=(2, 3), compression="gzip", shuffle=True)


def _add_growing(file: h5py.File) -> None:
    file.create_dataset("growing", data=_NUMBERS, chunks=(2, 3), maxshape=(None, 4), fletcher32=True)


def _add_free(file: h5py.File) -> None:
    file.create_dataset("free", data=_NUMBERS, chunks=(2, 3), maxshape=(None, None))


def _add_texts(file: h5py.File) -> None:
    file.create_dataset("texts", data=np.array(["a", "", "ü"], object))


def _add_records(file: h5py.File) -> None:
    file["records"] = np.zeros(2, [("a", "i1"), ("b", ">f8", (2,)), ("c", "S3")])


def _add_links(file: h5py.File) -> None:
    file["group/inner"] = 1.5
    file["group/soft"] = h5py.SoftLink("/group/inner")
    file["group/up"] = file["/"]


def _add_attributes(file: h5py.File) -> None:
    group = file.require_group("group")
    for number in range(12):
        group.attrs[f"a{number}"] = [number, 2.5]


def _add_scales(file: h5py.File) -> None:
    whole = file["whole"] if "whole" in file else file.create_dataset("whole", data=_NUMBERS)
    whole.dims[0].label = "y"
    file["scale"] = np.arange(4)
    file["scale"].make_scale("x")
    whole.dims[1].attach_scale(file["scale"])


def _add_virtual(file: h5py.File) -> None:
    file.create_dataset("own", data=_NUMBERS, chunks=(2, 3), compression="gzip")
    layout = h5py.VirtualLayout((8, 4), "i4")
    layout[1:7:2] = h5py.VirtualSource(".", "own", (6, 4))[:3]
    layout[[0, 4, 6]] = h5py.VirtualSource("b.h5", "whole", (6, 4))[3:]
    file.create_virtual_dataset("virtual", layout, fillvalue=-1)
    layout = h5py.VirtualLayout((8,), "i4")
    layout[:] = h5py.VirtualSource(".", "virtual", (8, 4))[:, 2]
    file.create_virtual_dataset("nested", layout)


def _add_unlimited(file: h5py.File) -> None:
    layout = h5py.VirtualLayout((1, 4), "i2", maxshape=(None, 4))
    source = h5py.VirtualSource("b.h5", "growing", (6, 4), maxshape=(None, 4))
    layout[0 : h5py.h5s.UNLIMITED] = source[0 : h5py.h5s.UNLIMITED]
    file.create_virtual_dataset("unlimited", layout)


def _add_elsewhere(file: h5py.File) -> None:
    # The library looks for the file only when elements are written.
    file.create_dataset("external", (6, 4), "i2", external=[("raw", 2, 20), ("raw", 0, 28)])
    for name, target in (("linked", "/group/inner"), ("groups", "/group"), ("own link", "/none")):
        file[name] = h5py.ExternalLink("b.h5" if name != "own link" else "a.h5", target)


def _add_bits(file: h5py.File) -> None:
    kind = h5py.h5t.STD_I16LE.copy()
    kind.set_precision(11)
    kind.set_offset(3)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((5,))
    plist.set_filter(h5py.h5z.FILTER_NBIT)
    made = h5py.h5d.create(file.id, b"bits", kind, h5py.h5s.create_simple((20,)), plist)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(-10, 10, dtype="i2"))


def _add_paths(file: h5py.File) -> None:
    """Groups that many paths lead to."""
    group = file
    for _ in range(3):
        following = group.create_group("a")
        group["b"] = following
        group = following


def _add_many(file: h5py.File) -> None:
    """So many links that the newer format indexes them."""
    for number in range(10):
        file[f"n{number}"] = number


def _add_distant_scale(file: h5py.File) -> None:
    """A scale that is in no group above its dataset."""
    file["elsewhere/scale"] = np.arange(4)
    file["elsewhere/scale"].make_scale("x")
    file["group/whole"] = _NUMBERS
    file["group/whole"].dims[1].attach_scale(file["elsewhere/scale"])


def _add_types(file: h5py.File) -> None:
    """Types that are named in the file, enumerations, complex numbers and bits without a meaning."""
    file["type"] = np.dtype([("a", "<i4"), ("b", "<f4")])
    file.create_dataset("of type", data=np.zeros(2, file["type"].dtype), dtype=file["type"])
    file["flags"] = np.array([True, False])
    file["complex"] = np.array([1 + 2j], "c8")
    file["opaque"] = np.zeros(2, "V3")


def _add_filtered(file: h5py.File) -> None:
    file.create_dataset("lzf", data=_NUMBERS, chunks=(2, 3), compression="lzf")
    file.create_dataset("offset", data=_NUMBERS, chunks=(2, 3), scaleoffset=0)
    file.create_dataset("filled", (6, 4), "f4", chunks=(2, 3), fillvalue=1.5)


_FILLS = (
    *(
        _add_whole,
        _add_chunks,
        _add_growing,
        _add_free,
        _add_texts,
        _add_records,
        _add_links,
        _add_attributes,
    ),
    *(_add_scales, _add_virtual, _add_unlimited, _add_elsewhere, _add_bits, _add_paths),
    *(_add_many, _add_distant_scale, _add_types, _add_filtered),
)
_OTHER = _file(*_FILLS[:9])
