"""HDF5 files that independent writers make, and their comparison with what h5py reads."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np

import zarrcore
from zarrcore.hierarchy import ArrayNode

GENERATIONS: dict[str, dict[str, Any]] = {
    "earliest": {},
    "v110": {"libver": "v110"},
    "latest": {"libver": "latest"},
    "user block": {"userblock_size": 1024},
}

FILTERS: dict[str, dict[str, Any]] = {
    "deflate": {"compression": "gzip"},
    "shuffle, deflate and fletcher32": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf": {"compression": "lzf"},
    "szip": {"compression": "szip"},
    "scaleoffset": {"scaleoffset": 0},
    "blosc": dict(hdf5plugin.Blosc()),
    "blosc2": dict(hdf5plugin.Blosc2()),
    "zstd": dict(hdf5plugin.Zstd()),
    "lz4": dict(hdf5plugin.LZ4()),
    "bitshuffle": dict(hdf5plugin.Bitshuffle(cname="none")),
    "bitshuffle and lz4": dict(hdf5plugin.Bitshuffle()),
    "bitshuffle and zstd": dict(hdf5plugin.Bitshuffle(cname="zstd")),
    "bzip2": dict(hdf5plugin.BZip2()),
}

MAX_SHAPES: dict[str, tuple[int | None, ...] | None] = {
    "fixed": None,
    "one unlimited": (None, 40),
    "the other unlimited": (50, None),
    "both unlimited": (None, None),
}


def write_types(file: h5py.File) -> None:
    """A dataset of each type that has a counterpart."""
    file["scalar"] = 3.5
    file["text"] = "héllo"
    file["bool"] = np.array([True, False, True])
    for name in ("i1", "u1", "<i2", ">i2", "<u4", ">u4", "<i8", ">u8", "<f2", ">f4", "<f8", "<c8", ">c16"):
        file[f"numbers/{name}"] = np.arange(12).astype(name).reshape(3, 4)
    file["enumeration"] = np.array([1, 2, 1], h5py.enum_dtype({"low": 1, "very high": 2}, basetype="i2"))
    file["packed"] = np.array([(1, 2.5, b"ab"), (3, 4.5, b"c")], [("a", "i1"), ("b", ">f8"), ("s", "S3")])
    nested = np.dtype([("a", "i1"), ("b", "f8", (2, 2)), ("n", [("x", "i4"), ("y", "c8")])], align=True)
    file["nested"] = np.array([(1, [[1, 2], [3, 4]], (5, 6j))], nested)
    file["texts"] = np.array(["a", "bb", "", "ünï"], object)
    file.create_dataset(
        "filtered texts",
        data=np.array(["a", "bb", "", "ünï"] * 50, object),
        chunks=(7,),
        compression="gzip",
        shuffle=True,
    )
    ragged = file.create_dataset("ragged", (3,), dtype=h5py.vlen_dtype("i4"))
    ragged[0], ragged[2] = [1, 2], [5]
    file["bytes"] = np.array([b"abc", b"d"], "S5")
    file["opaque"] = np.array([b"12", b"34"], "V2")
    file["times"] = np.arange(3).astype("M8[s]").astype(h5py.opaque_dtype("M8[s]"))
    for name, padding in (("spaces", h5py.h5t.STR_SPACEPAD), ("terminated", h5py.h5t.STR_NULLTERM)):
        kind = h5py.h5t.C_S1.copy()
        kind.set_size(4)
        kind.set_strpad(padding)
        made = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((2,)))
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"ab", b"a c"], "S4"))
    arrays = file.create_dataset("arrays", (3,), dtype=np.dtype(("i4", (2, 3))))
    arrays[...] = np.arange(18).reshape(3, 2, 3)
    file["null"] = h5py.Empty("f4")
    file["committed"] = np.dtype("i4")
    file.create_dataset("of committed type", data=[1, 2], dtype=file["committed"])
    file["empty"] = np.zeros((0, 5))


def write_layouts(file: h5py.File, rows: int = 2000) -> None:
    """A dataset of each layout, and with each kind of chunk index: with 1000 rows, B-trees of several levels."""
    numbers = np.arange(rows * 10, dtype="i2").reshape(rows, 10)
    file["contiguous"] = numbers
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((5,))
    compact = h5py.h5d.create(file.id, b"compact", h5py.h5t.NATIVE_INT32, space, plist)
    compact.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(5, dtype="i4"))
    for name, max_shape in (("fixed", None), ("growing", (None, 10)), ("free", (None, None))):
        file.create_dataset(f"many {name}", data=numbers, chunks=(1, 3), maxshape=max_shape)
        sparse = file.create_dataset(
            f"sparse {name}",
            (300, 90),
            "f4",
            chunks=(2, 10),
            maxshape=max_shape and (None, max_shape[1] and 90),
        )
        sparse[155:160, 3:30] = 1
        file.create_dataset(
            f"filled {name}", (9, 9), "f4", chunks=(2, 2), maxshape=max_shape, fillvalue=np.nan
        )
    file.create_dataset("single", data=numbers, chunks=numbers.shape)
    file.create_dataset("single filtered", data=numbers, chunks=numbers.shape, compression="gzip")


def write_skipped(file: h5py.File) -> None:
    """Chunks that went through some filters only."""
    numbers = np.arange(32, dtype="i4").tobytes()
    mixed = file.create_dataset("mixed", (96,), "i4", chunks=(32,), compression="gzip", shuffle=True)
    mixed.id.write_direct_chunk((0,), numbers, filter_mask=3)
    mixed.id.write_direct_chunk((32,), zlib.compress(numbers), filter_mask=1)
    noise = np.frombuffer(np.random.default_rng(0).bytes(5000), "u1")
    for name, options in FILTERS.items():
        if name != "scaleoffset":
            file.create_dataset(f"noise {name}", data=noise, chunks=(1000,), **options)


def assert_same(path: Path, skip: tuple[str, ...] = ()) -> int:
    """Compare all arrays with what h5py reads, bit for bit; their number."""
    count = 0
    with zarrcore.open_hierarchy(path) as hierarchy, h5py.File(path) as file:
        for node in hierarchy.walk():
            assert node.kind in ("group", "array"), (node.path, node)
            if isinstance(node, ArrayNode) and node.path not in skip:
                assert_equal(np.asarray(node[...]), file[node.path], node.path)
                count += 1
    return count


def assert_equal(found: np.ndarray, dataset: h5py.Dataset, what: str) -> None:
    """Compare elements with those that h5py reads."""
    if isinstance(dataset[()], h5py.Empty):
        assert found.shape == (0,), what
        return
    expected = np.asarray(dataset[...])
    if expected.dtype == object:
        told = [
            item.decode()
            if isinstance(item, bytes)
            else item
            if isinstance(item, str)
            else json.dumps(item.tolist())
            for item in expected.ravel()
        ]
        assert found.ravel().tolist() == told, what
    elif expected.dtype.names:
        assert found.shape == expected.shape, what
        assert (found == expected).all(), what
    else:
        assert found.shape == expected.shape, what
        assert found.tobytes() == expected.astype(expected.dtype.newbyteorder("<")).tobytes(), what
