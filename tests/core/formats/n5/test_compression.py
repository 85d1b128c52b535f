"""N5's compressions, with tensorstore and z5py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore

import zarrcore
from zarrcore.errors import MetadataError
from zarrcore.formats.n5.compression import nearest_compression
from zarrcore.metadata import NamedConfiguration

TYPES = ["uint8", "int16", "uint32", "int64", "float32", "float64"]


COMPRESSIONS = [
    {"type": "raw"},
    {"type": "gzip", "level": 3},
    {"type": "gzip", "level": -1, "useZlib": True},
    {"type": "bzip2", "blockSize": 2},
    {"type": "xz", "preset": 1},
    {"type": "zstd", "level": 2},
    *({"type": "blosc", "cname": "lz4", "clevel": 4, "shuffle": shuffle} for shuffle in (0, 1, 2)),
]


@pytest.mark.parametrize("compression", COMPRESSIONS, ids=str)
def test_to_and_from_tensorstore(tmp_path: Path, compression: dict[str, Any]) -> None:
    values = np.arange(7 * 5 * 4).reshape(7, 5, 4)
    hierarchy = zarrcore.create(tmp_path / "ours.n5", format="n5")
    for data_type in TYPES:
        spec = {"driver": "n5", "kvstore": {"driver": "file", "path": f"{tmp_path}/theirs.n5/{data_type}/"}}
        metadata = {
            "dimensions": [7, 5, 4],
            "blockSize": [3, 2, 4],
            "dataType": data_type,
            "compression": compression,
        }
        theirs = tensorstore.open({**spec, "metadata": metadata, "create": True}).result()
        theirs.write(values.astype(data_type)).result()
        array = zarrcore.open_hierarchy(tmp_path / "theirs.n5", format="n5")[data_type]
        assert isinstance(array, zarrcore.Array)
        np.testing.assert_array_equal(array[...], values.T.astype(data_type))
        ours = hierarchy.create_node(f"group/{data_type}", array.metadata)
        ours[...] = values.T
        spec["kvstore"]["path"] = f"{tmp_path}/ours.n5/group/{data_type}/"
        np.testing.assert_array_equal(tensorstore.open(spec).result().read().result(), values)


@pytest.mark.parametrize("compression", ["raw", "gzip", "bzip2", "xz", "lz4", "zstd", "blosc"])
def test_datasets_of_z5py_read(tmp_path: Path, compression: str) -> None:
    z5py = pytest.importorskip("z5py")  # there are packages for one kind of processor only
    values = np.arange(7 * 5 * 4, dtype="u2").reshape(7, 5, 4)
    root = z5py.File(f"{tmp_path}/x.n5", "a")
    array = root.create_group("g").create_dataset(
        "a", shape=values.shape, chunks=(3, 2, 4), dtype="uint16", compression=compression
    )
    array[...] = values
    array.attrs["resolution"] = [4, 4, 40]
    assert len((tmp_path / "x.n5/g/a/0/2/2").read_bytes()) < 3 * 2 * 4 * 2 + 64
    found = zarrcore.open_hierarchy(tmp_path / "x.n5")["g/a"]
    np.testing.assert_array_equal(found[...], values)
    assert found.attributes == {"resolution": [4, 4, 40]}


@pytest.mark.parametrize(
    "codec",
    [
        None,
        {"name": "gzip", "configuration": {"level": 2}},
        {"name": "numcodecs.zlib", "configuration": {"level": 2}},
        {"name": "numcodecs.bz2", "configuration": {"level": 2}},
        {"name": "numcodecs.lzma", "configuration": {"preset": 2}},
        {"name": "zstd", "configuration": {"level": 2}},
        {"name": "blosc", "configuration": {"cname": "zstd", "shuffle": "bitshuffle"}},
    ],
    ids=str,
)
def test_z5py_and_tensorstore_read_our_datasets(tmp_path: Path, codec: Any) -> None:
    z5py = pytest.importorskip("z5py")
    values = np.arange(7 * 5 * 4, dtype="u2").reshape(7, 5, 4)
    hierarchy = zarrcore.create(tmp_path / "x.n5", format="n5")
    array = hierarchy.create_array(
        "g/a", shape=values.shape, dtype="uint16", chunks=(3, 2, 4), codecs=[codec] if codec else []
    )
    array[:, 1:] = values[:, 1:]  # and later the rest of the blocks, those at the edges among them
    array[:, :1] = values[:, :1]
    np.testing.assert_array_equal(z5py.File(f"{tmp_path}/x.n5", "r")["g/a"][...], values)
    spec = {"driver": "n5", "kvstore": {"driver": "file", "path": f"{tmp_path}/x.n5/g/a/"}}
    np.testing.assert_array_equal(tensorstore.open(spec).result().read().result(), values.T)


def test_a_compressor_with_a_broken_parameter_is_not_converted() -> None:
    with pytest.raises(MetadataError, match="preset"):
        nearest_compression((NamedConfiguration("numcodecs.lzma", {"preset": [1]}),))
