"""Broken chunks of each HDF5 filter: one of our errors, or the elements that the HDF5 library reads."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import h5py
import hdf5plugin
import numpy as np

from tests.proofs.fuzz.sources import check_sentence
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.store import Hdf5Store
from zarrcore.typing import AnyArray

_COUNT = 300
_NUMBERS = (np.arange(_COUNT) % 37 * 11 % 64).astype("<i4")
_GZIP: dict[str, Any] = {"compression": "gzip", "shuffle": True}
_SZIP: dict[str, Any] = {"compression": "szip"}
_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("<i4", _GZIP),
    ("<i2", {"fletcher32": True}),
    ("<f4", {**_GZIP, "fletcher32": True}),
    ("<i4", {"compression": "lzf"}),
    (">i2", {"compression": "lzf", "shuffle": True}),
    ("|u1", {**_SZIP, "compression_opts": ("nn", 8)}),
    ("<i2", {**_SZIP, "compression_opts": ("ec", 16)}),
    (">f8", {**_SZIP, "compression_opts": ("nn", 8)}),
    ("<i4", {"scaleoffset": 0}),
    ("|u1", {"scaleoffset": 5, "fillvalue": 3}),
    (">u8", {"scaleoffset": 0, "fillvalue": 7}),
    ("<f4", {"scaleoffset": 2}),
    (">f8", {"scaleoffset": 3, "fillvalue": -1.5}),
    ("<i4", hdf5plugin.Bitshuffle(nelems=0, cname="none")),
    ("<i2", hdf5plugin.Bitshuffle(nelems=0, cname="lz4")),
    ("|V3", hdf5plugin.Bitshuffle(nelems=64, cname="lz4")),
    ("<f8", hdf5plugin.Bitshuffle(nelems=128, cname="zstd")),
    ("<i4", hdf5plugin.LZ4(nbytes=0)),
    ("<i4", hdf5plugin.LZ4(nbytes=512)),
    ("<i4", hdf5plugin.Zstd()),
    ("<i4", hdf5plugin.BZip2()),
    ("<i4", hdf5plugin.Blosc(cname="lz4", shuffle=hdf5plugin.Blosc.SHUFFLE)),
    ("<i4", hdf5plugin.Blosc(cname="zstd", shuffle=hdf5plugin.Blosc.BITSHUFFLE)),
    ("<i4", hdf5plugin.Blosc2(cname="zstd")),
)


def check(data: bytes) -> None:
    """The first byte is the dataset, the second says which of its filters were skipped; the rest is its only chunk."""
    if len(data) < 3:
        return
    make, skipped = _DATASETS[data[0] % len(_DATASETS)], data[1] % 4
    with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
        make(file).id.write_direct_chunk((0,), data[2:], skipped)
        file.flush()
        image = file.id.get_file_image()
    store = Hdf5Store(MemoryStore("", {"a.h5": image}), "a.h5", "memory://a.h5")
    try:
        (node,) = (node for node in open_place(store).walk() if isinstance(node, ArrayNode))
        found = node[...]
    except ZarrError as error:
        check_sentence(error)
        return
    if make is _SMALL_BLOCKS:
        return
    theirs = _theirs(image, found.dtype)
    assert theirs is None or found.tobytes() == theirs.tobytes(), f"{found!r} instead of {theirs!r}"


def _theirs(image: bytes, dtype: np.dtype[Any]) -> AnyArray | None:
    """What the library reads, in a file of its own: it ignores the filter mask where the chunk has just been written."""
    elements = np.empty(_COUNT, dtype)
    with h5py.File(io.BytesIO(image)) as file:
        try:
            file["a"].id.read(h5py.h5s.ALL, h5py.h5s.ALL, elements)
        except OSError:
            return None
    return elements


def _filtered(dtype: str, options: dict[str, Any]) -> Callable[[h5py.File], h5py.Dataset]:
    def make(file: h5py.File) -> h5py.Dataset:
        return file.create_dataset("a", (_COUNT,), dtype, chunks=(_COUNT,), **options)

    return make


def _of_bits(kind: h5py.h5t.TypeID) -> Callable[[h5py.File], h5py.Dataset]:
    """A dataset whose type uses some bits of its bytes."""

    def make(file: h5py.File) -> h5py.Dataset:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((_COUNT,))
        plist.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL)
        return h5py.Dataset(h5py.h5d.create(file.id, b"a", kind, h5py.h5s.create_simple((_COUNT,)), plist))

    return make


def _bits(base: h5py.h5t.TypeID, precision: int, offset: int) -> h5py.h5t.TypeID:
    kind = base.copy()
    kind.set_precision(precision)
    kind.set_offset(offset)
    return kind


def _record() -> h5py.h5t.TypeID:
    kind = h5py.h5t.create(h5py.h5t.COMPOUND, 12)
    kind.insert(b"a", 0, _bits(h5py.h5t.STD_I16LE, 11, 3))
    kind.insert(b"b", 4, h5py.h5t.IEEE_F64LE)
    return kind


_SMALL_BLOCKS = _filtered("<i4", {**_SZIP, "compression_opts": ("nn", 4)})
"""If such a chunk ends early, the library gives what its memory held."""
_DATASETS = (
    *(_filtered(dtype, dict(options)) for dtype, options in _OPTIONS),
    _SMALL_BLOCKS,
    _of_bits(_bits(h5py.h5t.STD_I16LE, 11, 3)),
    _of_bits(_bits(h5py.h5t.STD_U32BE, 21, 9)),
    _of_bits(h5py.h5t.STD_I32LE),
    _of_bits(_record()),
)


@cache
def _chunk(number: int) -> bytes:
    """What the library stores for numbers that can be compressed."""
    with h5py.File(io.BytesIO(), "w") as file:
        dataset = _DATASETS[number](file)
        elements = np.zeros(_COUNT, dataset.dtype)
        if elements.dtype.kind == "V":
            elements.view("u1")[:: elements.dtype.itemsize] = _NUMBERS % 256
        else:
            elements[...] = _NUMBERS
        dataset.id.write(h5py.h5s.ALL, h5py.h5s.ALL, elements)
        file.flush()
        _, stored = dataset.id.read_direct_chunk((0,))
        return bytes(stored)


def examples() -> Iterable[bytes]:
    """A chunk of each dataset, with all filters and without the last one."""
    for number in range(len(_DATASETS)):
        for skipped in (0, 1):
            yield bytes([number, skipped]) + _chunk(number)
