"""What zarr-python 2.18 made of the draft of October 2020: writes ``zarr_python_2_drafts.tar.gz``, which the tests read.

It takes a Python of its own: zarr-python 3 no longer writes the drafts, and the two do not live side by side.

    python -m venv old && old/bin/pip install 'zarr==2.18.*' 'numcodecs<0.16' pytest
    old/bin/python tests/core/formats/drafts/zarr_python_2_drafts.py
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

from zarrcore.typing import AnyArray

ARCHIVE = Path(__file__).with_suffix(".tar.gz")
SHAPE, CHUNKS = (5, 6), (2, 4)
COMPRESSORS = ("gzip", "zlib", "blosc", "bz2", "lz4", "lzma", "zstd")
TYPES = {
    **{name: f"<{name}" for name in ("b1", "i1", "i2", "i8", "u1", "u4", "u8", "f2", "f8", "c8")},
    **{f"{name}-big": f">{name}" for name in ("i4", "u2", "f4", "c16")},
    "dates": "<M8[ns]",
    "spans": ">m8[s]",
    "bytes": "S5",
    "characters": "<U4",
    "raw": "V3",
    "record": [("a", "<i4"), ("b", ">f8")],
}
FILL_VALUES: dict[str, Any] = {
    "nan": np.nan,
    "infinity": np.inf,
    "minus_infinity": -np.inf,
    "none": None,
}


def values(dtype: Any) -> AnyArray:
    """Elements of any type, no two rows alike."""
    numbers = np.arange(30).reshape(SHAPE)
    dtype = np.dtype(dtype)
    if dtype.names:
        made = np.empty(SHAPE, dtype)
        for name in dtype.names:
            made[name] = numbers
        return made
    if dtype.kind == "V":
        return np.frombuffer(b"".join(bytes((n, n + 1, 255)) for n in range(30)), dtype).reshape(SHAPE)
    if dtype.kind in "mM":
        return numbers.astype("<i8").view(f"<{dtype.str[1:]}").astype(dtype)
    return (numbers % 2 if dtype.kind == "b" else numbers).astype(dtype)


def texts() -> AnyArray:
    """Texts of varying length."""
    return np.array([["", "é"], ["three", "☃" * 4]], object)


def write(store: Any) -> None:
    """The nodes, with zarr-python 2."""
    import numcodecs
    import zarr
    from zarr._storage.v3_storage_transformers import ShardingStorageTransformer

    def array(path: str, data: Any, **options: Any) -> Any:
        options = {"chunks": CHUNKS, "compressor": None, **options}
        made = zarr.create(data.shape, dtype=data.dtype, store=store, path=path, zarr_version=3, **options)
        made[...] = data
        return made

    root = zarr.group(store=store, zarr_version=3, path="group")
    root.attrs["who"] = "zarr-python"
    for name in COMPRESSORS:
        array(f"compressors/{name}", values("<i4"), compressor=numcodecs.get_codec({"id": name}))
    for name, dtype in TYPES.items():
        array(f"types/{name}", values(dtype))
    array("types/text", texts(), chunks=(1, 2), object_codec=numcodecs.VLenUTF8())
    for name, value in FILL_VALUES.items():
        zarr.create(
            SHAPE, chunks=CHUNKS, dtype=">f4", fill_value=value, compressor=None, store=store,
            path=f"fill_values/{name}", zarr_version=3,
        )  # fmt: skip
    array("order", values("<f4"), order="F").attrs["units"] = "m"
    array("separator", values("<i2"), dimension_separator=".")
    array("scalar", np.array(7, "<i4"), chunks=())
    array("empty", np.zeros((0, 3), "u1"), chunks=(1, 3))
    array("filters", values("<i4"), filters=[numcodecs.Delta("<i4")], compressor=numcodecs.Zlib(1))
    transformer = ShardingStorageTransformer("indexed", chunks_per_shard=(2, 1))
    sharded = array("shards/all", values(">i2"), storage_transformers=[transformer], order="F")
    assert sharded.shape == SHAPE
    transformer = ShardingStorageTransformer("indexed", chunks_per_shard=(2, 2))
    partly = zarr.create(
        SHAPE, chunks=CHUNKS, dtype="<i4", fill_value=9, store=store, path="shards/partly", zarr_version=3,
        compressor=numcodecs.GZip(1), storage_transformers=[transformer],
    )  # fmt: skip
    partly[2:4, 4:] = 3


def main() -> None:
    """Write the archive."""
    os.environ["ZARR_V3_EXPERIMENTAL_API"] = os.environ["ZARR_V3_SHARDING"] = "1"
    import zarr
    from zarr._storage.v3 import KVStoreV3

    stores: dict[str, dict[str, bytes]] = {"nodes": {}, "consolidated": {}, "array": {}}
    write(KVStoreV3(stores["nodes"]))
    store = KVStoreV3(stores["consolidated"])
    zarr.group(store=store, path="a", zarr_version=3)
    zarr.create(3, store=store, path="a/b", zarr_version=3, compressor=None)[...] = 5
    zarr.consolidate_metadata(store, path="a")
    store = KVStoreV3(stores["array"])
    zarr.create(SHAPE, chunks=CHUNKS, dtype="<i2", store=store, path="", zarr_version=3)[...] = values("<i2")
    with gzip.GzipFile(ARCHIVE, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name, found in stores.items():
            for key in sorted(found):
                value = bytes(found[key])
                member = tarfile.TarInfo(f"{name}/{key}")
                member.size = len(value)
                archive.addfile(member, io.BytesIO(value))


if __name__ == "__main__":
    main()
