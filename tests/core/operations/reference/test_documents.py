"""Documents of Zarr v3 in references, read by fsspec with zarr-python, by xarray, and by zarrscope."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import h5py
import numcodecs
import numpy as np
import pytest
import xarray
import zarr
from zarr.codecs import BytesCodec, TransposeCodec

import zarrcore as zc
from tests.core.operations.reference.readers import assert_equal, by_zarr, store_of, written
from tests.zarr_python import has_data_type
from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.operations.reference.documents import array_documents

VALUES = (np.arange(64 * 48) // 5 % 120).reshape(64, 48).astype("<i4")
pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")


def _both(path: Path, expected: dict[str, Any]) -> None:
    theirs = by_zarr(path, 3)
    for name, values in expected.items():
        assert_equal(zc.open_hierarchy(path)[name][...], values)
        assert_equal(theirs[name][...], values)


def test_arrays_of_zarr_v3_keep_their_documents(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3, attributes={"title": "t"})
    like: dict[str, Any] = {"shape": VALUES.shape, "chunks": (8, 8), "dtype": "i4"}
    group.create_array(
        "shards", **like, shards=(32, 24), dimension_names=["y", "x"], attributes={"units": "m"}
    )
    order: Any = [TransposeCodec(order=(1, 0))]
    group.create_array("order", **like, filters=order, serializer=BytesCodec(endian="big"))
    group.create_array("keys", **like, chunk_key_encoding={"name": "v2", "separator": "."})
    for name in ("shards", "order", "keys"):
        group[name][...] = VALUES
    group["shards"][40:] = 0
    group.create_array("g/texts", shape=(3,), chunks=(2,), dtype=str)[:] = ["a", "é", ""]
    group.create_array("times", shape=(3,), chunks=(2,), dtype="M8[s]")[:] = np.arange(3).astype("M8[s]")
    group.create_array("scalar", shape=(), dtype="f8")[...] = 2.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(tmp_path / "a.zarr")
    path, result = written(tmp_path / "a.zarr", 3)
    names = ("shards", "order", "keys", "g/texts", "times", "scalar")
    _both(path, {name: group[name][...] for name in names})
    assert result.references == 4 + 48 + 48 + 1 + 2 + 1  # chunks of the fill value are not stored
    ours, source = zc.open_hierarchy(path), zc.open_hierarchy(tmp_path / "a.zarr")
    for name in names:
        assert ours[name].documents == source[name].documents
    assert ours.root.attributes == {"title": "t"}
    told = json.loads(path.read_text())["refs"]
    assert {"shards/c/0/0", "keys/0.0"} <= told.keys()
    assert "consolidated_metadata" not in told["zarr.json"]


def test_arrays_of_zarr_v2_get_documents_of_zarr_v3(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    blosc, lz4, delta = numcodecs.Blosc(cname="lz4", shuffle=2), numcodecs.LZ4(), numcodecs.Delta("<i4")
    made: dict[str, dict[str, Any]] = {
        "blosc": {"compressors": blosc, "attributes": {"_ARRAY_DIMENSIONS": ["y", "x"]}},
        "delta": {"compressors": lz4, "filters": [delta], "order": "F", "fill_value": 7},
    }
    for name, options in made.items():
        group.create_array(name, shape=VALUES.shape, chunks=(8, 8), dtype="<i4", **options)[:40] = VALUES[:40]
    path, _ = written(tmp_path / "a.zarr", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _both(path, {name: group[name][...] for name in made})
    assert zc.open_hierarchy(path)["blosc"].metadata.dimension_names == ("y", "x")


def test_a_node_below_the_root_becomes_the_root(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    group.create_array("g/x", shape=VALUES.shape, shards=(32, 24), chunks=(8, 8), dtype="i4")[...] = VALUES
    path, _ = written(tmp_path / "a.zarr", 3, path="/g/x")
    assert_equal(zarr.open_array(store_of(path), mode="r")[...], VALUES)
    assert_equal(zc.open_hierarchy(path)["/"][...], VALUES)


def test_types_of_hdf5(tmp_path: Path) -> None:
    record = np.dtype([("a", "<i4"), ("b", "<f8"), ("s", "S3")])
    made = {
        "complex": VALUES.astype("c8"),
        "half": VALUES.astype(">f2"),
        "truth": VALUES % 2 == 0,
        "records": np.array([(1, 2.5, b"ab"), (3, -1.0, b"abc")], record),
        "short": np.array([b"ab", b"c"]),
        "scalar": np.float32(3),
    }
    if not has_data_type(
        {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int8"}]}}
    ):
        del made["records"]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, values in made.items():
            file.create_dataset(name, data=values)
        file.create_dataset("texts", data=["a", "é"], dtype=h5py.string_dtype())
    path, _ = written(tmp_path / "a.h5", 3)
    _both(path, {**made, "texts": np.array(["a", "é"], object)})


def test_xarray_decodes_netcdf_as_the_file(tmp_path: Path) -> None:
    values = np.where(VALUES > 100, np.nan, VALUES.astype("f4"))
    time = np.arange(64).astype("M8[D]").astype("M8[ns]")
    made = xarray.Dataset(
        {"t": (("y", "x"), values), "q": (("y", "x"), VALUES, {"_FillValue": 119})},
        coords={"y": np.arange(64.0), "time": ("y", time)},
    )
    made.to_netcdf(
        tmp_path / "a.nc", engine="h5netcdf", encoding={"t": {"zlib": True, "chunksizes": (16, 16)}}
    )
    path, _ = written(tmp_path / "a.nc", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf").load()
        theirs = xarray.open_zarr(store_of(path), consolidated=False, zarr_format=3).load()
        ours = xarray.open_dataset(path, engine="zarrscope").load()
    xarray.testing.assert_identical(theirs, expected)
    xarray.testing.assert_identical(ours, expected)


def test_references_to_references(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    group.create_array("x", shape=VALUES.shape, shards=(32, 24), chunks=(8, 8), dtype="i4")[...] = VALUES
    first, _ = written(tmp_path / "a.zarr", 3)
    path, _ = written(first, 3)
    _both(path, {"x": VALUES})


def test_blocks_of_n5_are_refused(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.n5", format="n5") as hierarchy:
        hierarchy.create_array("/x", shape=(4, 4), chunks=(2, 2), dtype="int16")[...] = 5
    for to in (Format.V2, Format.V3):
        with pytest.raises(
            UnsupportedError, match=r"cannot describe its chunks, which use the codecs .*n5_default"
        ):
            array_documents(zc.open_hierarchy(tmp_path / "a.n5")["x"], to)
