"""Encodings, compared with those of xarray's own engines, and copies by xarray, which keep how variables are stored."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import h5py
import numcodecs
import numpy as np
import pytest
import xarray as xr
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec
from zarr.registry import get_codec_class

import zarrcore
from zarrcore.interop.xarray import ZarrscopeBackend

ENGINE = ZarrscopeBackend
pytestmark = pytest.mark.filterwarnings("ignore:.*[Cc]onsolidated metadata", "ignore:.*not part of the Zarr")
"""What zarr-python says of its own files."""
FLAGS = ("zlib", "shuffle", "fletcher32", "bzip2", "zstd")


def dataset() -> xr.Dataset:
    data = {
        "plain": (("y", "x"), np.arange(600, dtype="i4").reshape(20, 30)),
        "sharded": (("y", "x"), np.arange(600.0).reshape(20, 30)),
        "filtered": (("y", "x"), np.arange(600, dtype="f4").reshape(20, 30)),
        "bytes": ("x", np.arange(30, dtype="u1")),
        "scalar": ((), np.int16(3)),
    }
    return xr.Dataset(data, {"y": np.arange(20.0)})


ZARR: dict[str, dict[str, Any]] = {
    "plain": {"chunks": (5, 30), "compressors": None, "fill_value": 7},
    "sharded": {"chunks": (5, 10), "shards": (10, 30), "compressors": (BloscCodec(cname="zstd"), Crc32cCodec())},
    "filtered": {
        "chunks": (20, 10), "compressors": (GzipCodec(level=3),), "filters": [TransposeCodec(order=(1, 0))],
        "serializer": BytesCodec(endian="big"),
    },
    "bytes": {"compressors": (ZstdCodec(level=9, checksum=True),)},
}  # fmt: skip


def as_zarr(encoding: Any) -> Any:
    """An encoding with codecs of zarr-python instead of JSON objects."""

    def codec(one: Any) -> Any:
        return get_codec_class(one["name"]).from_dict(one) if isinstance(one, dict) else one

    return {
        name: tuple(map(codec, value))
        if name in ("filters", "compressors")
        else codec(value)
        if name == "serializer"
        else value
        for name, value in encoding.items()
    }


@pytest.mark.skipif(
    sys.version_info < (3, 12),
    reason="the last zarr-python for Python 3.11 states no byte order for single bytes",
)
def test_encodings_of_zarr_v3_are_those_of_the_zarr_engine_and_a_copy_keeps_them(tmp_path: Path) -> None:
    dataset().to_zarr(tmp_path / "a.zarr", zarr_format=3, encoding=ZARR)
    with (
        xr.open_dataset(tmp_path / "a.zarr", engine="zarr") as expected,
        xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE) as found,
    ):
        found.to_zarr(tmp_path / "b.zarr")
        for name, variable in expected.variables.items():
            ours = as_zarr(found[name].encoding)
            np.testing.assert_equal(ours, dict(variable.encoding), err_msg=name)
    for name in dataset().variables:
        one, other = (
            json.loads((tmp_path / file / name / "zarr.json").read_text()) for file in ("a.zarr", "b.zarr")
        )
        assert one == other, name


def test_a_codec_that_zarr_python_lacks_is_left_out_and_the_layout_stays(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.zarr") as hierarchy:
        hierarchy.create_array(
            "x",
            shape=(8,),
            dtype="bool",
            chunks=(2,),
            shards=(4,),
            codecs=["packbits"],
            dimension_names=["x"],
        )
    with xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE) as found:
        assert (found.x.encoding["shards"], found.x.encoding["chunks"]) == ((4,), (2,))
        assert "compressors" not in found.x.encoding
        found.to_zarr(tmp_path / "b.zarr")
    assert zarr.open_array(tmp_path / "b.zarr/x").shards == (4,)


def test_zarr_v2_can_be_written_as_zarr_v3(tmp_path: Path) -> None:
    encoding = {"plain": {"chunks": (5, 30), "compressors": (numcodecs.Zlib(3),)}}
    dataset().to_zarr(tmp_path / "a.zarr", zarr_format=2, encoding=encoding)
    with xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE) as found:
        assert found.plain.encoding["chunks"] == (5, 30)
        assert "compressors" not in found.plain.encoding
        found.to_zarr(tmp_path / "b.zarr")
        xr.testing.assert_identical(xr.open_zarr(tmp_path / "b.zarr"), found)


NETCDF: dict[str, dict[str, Any]] = {
    "plain": {"zlib": True, "complevel": 4, "shuffle": True, "fletcher32": True, "chunksizes": (5, 30)},
    "sharded": {"chunksizes": (20, 10)},
    "filtered": {"zlib": True, "complevel": 9, "shuffle": False},
    "bytes": {"contiguous": True},
}


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
@pytest.mark.parametrize("unlimited", [[], ["y"]])
def test_encodings_of_netcdf_are_those_of_its_engines_and_a_copy_keeps_them(
    tmp_path: Path, engine: Any, unlimited: list[str]
) -> None:
    dataset().to_netcdf(tmp_path / "a.nc", engine=engine, encoding=NETCDF, unlimited_dims=unlimited)
    with xr.open_dataset(tmp_path / "a.nc", engine=ENGINE) as found:
        found.to_netcdf(tmp_path / "b.nc", engine=engine)
        encodings = [{name: found[name].encoding for name in found.variables}]
        unlimited_dims = [found.encoding["unlimited_dims"]]
    for file in ("a.nc", "b.nc"):
        with xr.open_dataset(tmp_path / file, engine="h5netcdf") as other:
            encodings.append({name: other[name].encoding for name in other.variables})
            unlimited_dims.append(other.encoding["unlimited_dims"])
    assert unlimited_dims == [{*unlimited}] * 3
    for name in dataset().variables:
        told = [
            {
                key: one[name].get(key)
                for key in (*FLAGS, "complevel", "contiguous", "chunksizes", "original_shape", "dtype")
            }
            for one in encodings
        ]
        assert told[0] == told[1] == told[2], name


def test_datasets_of_hdf5_tell_filters_of_netcdf_and_leave_out_others(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("lzf", data=np.zeros((8, 8)), chunks=(4, 4), compression="lzf", shuffle=True)
        file.create_dataset(
            "gzip", data=np.zeros((8, 8)), maxshape=(None, 8), compression="gzip", compression_opts=7
        )
        file["text"] = ["a", "b"]
    with xr.open_dataset(tmp_path / "a.h5", engine=ENGINE) as found:
        assert {name: found.lzf.encoding[name] for name in FLAGS} == dict.fromkeys(FLAGS, False) | {
            "shuffle": True
        }
        assert (found.gzip.encoding["zlib"], found.gzip.encoding["complevel"]) == (True, 7)
        assert found.encoding["unlimited_dims"] == {found.gzip.dims[0]}
        assert "zlib" not in found.text.encoding
        found.to_zarr(tmp_path / "a.zarr")


def test_other_formats_tell_their_chunks_only(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.n5", format="n5") as hierarchy:
        hierarchy.create_array("a", shape=(5, 6), dtype="int32", chunks=(2, 4))
    with xr.open_dataset(tmp_path / "a.n5", engine=ENGINE) as found:
        assert {*found.a.encoding} - {"fill_value", "dtype"} == {"chunks", "preferred_chunks"}
        assert "unlimited_dims" not in found.encoding


def test_xarray_chooses_the_engine_for_what_no_other_engine_opens(tmp_path: Path) -> None:
    values = np.arange(1, 7).reshape(2, 3)  # xarray takes the fill value of Zarr v2 for missing
    for name, kind in (("plain", "v3"), ("older", "v2"), ("a.n5", "n5"), ("a.zip", "v3")):
        with zarrcore.create(tmp_path / name, format=kind) as hierarchy:
            hierarchy.create_array("x", data=values)
        with xr.open_dataset(tmp_path / name) as found:
            np.testing.assert_array_equal(found.x, values)
    with zarrcore.open_hierarchy(tmp_path / "plain") as hierarchy, xr.open_dataset(hierarchy) as found:
        np.testing.assert_array_equal(found.x, values)


def test_other_engines_come_first_and_other_files_are_left_alone(tmp_path: Path) -> None:
    guess = ZarrscopeBackend().guess_can_open
    dataset().to_netcdf(tmp_path / "a.nc")
    dataset().to_zarr(tmp_path / "a.zarr")
    chosen = xr.backends.plugins.guess_engine
    assert (chosen(tmp_path / "a.nc"), chosen(tmp_path / "a.zarr")) == ("netcdf4", "zarr")
    (tmp_path / "a.txt").write_text("text")
    for source in (
        tmp_path / "a.txt",
        tmp_path,
        tmp_path / "absent",
        b"bytes",
        3,
        "https://x.example/a.nc",
        "s3://bucket/a",
    ):
        assert not guess(source), source
    for url in ("s3://bucket/a.n5", "https://x.example/a.zarr/", "gs://b/scan.nii.gz"):
        assert guess(url)
