"""HDF5 and NetCDF-4 files in buckets and on the web: the same arrays, with few requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest

import zarrcore as zc
from tests.command import run_inside
from tests.servers import AzureServer, GCSServer, S3Server, WebServer, environment
from tests.servers.distant import distant_server
from zarrcore.errors import StoreError
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores.wrapper.interface import writable

VALUES = np.arange(1_000_000, dtype="i4").reshape(1000, 1000)


def write_files(folder: Path) -> None:
    """``a.h5`` with chunks and without, and ``b.nc``."""
    folder.mkdir(parents=True, exist_ok=True)
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("g/x", data=VALUES, chunks=(50, 50), compression="gzip")
        file["flat"] = np.arange(1_000_000.0)
        file["text"] = np.array(["a", "bb"] * 20, object)
    with netCDF4.Dataset(folder / "b.nc", "w") as data:
        data.createDimension("t", None)
        data.createDimension("x", 1000)
        data.createVariable("v", "f4", ("t", "x"), zlib=True)[:] = np.sqrt(VALUES[:40])
        data.createVariable("x", "i4", ("x",))[:] = np.arange(1000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files in a folder that servers show as a bucket."""
    root = tmp_path_factory.mktemp("served")
    write_files(root / "bucket")
    return root


def assert_same(url: str, local: Path, **options: Any) -> None:
    """Compare all arrays of a remote file with those of the file on this machine."""
    with zc.open_hierarchy(url, **options) as hierarchy, zc.open_hierarchy(local) as expected:
        assert hierarchy.store.is_remote
        nodes = [*expected.walk()]
        assert [node.path for node in hierarchy.walk()] == [node.path for node in nodes]
        for node in nodes:
            assert hierarchy[node.path].attributes == node.attributes
            if isinstance(node, ArrayNode):
                assert np.array_equal(hierarchy[node.path][...], node[...])


def test_files_in_s3(folder: Path, s3: S3Server) -> None:
    s3.upload(folder / "bucket", "bucket/hdf5")
    for name in ("a.h5", "b.nc"):
        assert_same(f"s3://bucket/hdf5/{name}", folder / "bucket" / name, **s3.options)
    with zc.open_hierarchy("s3://bucket/hdf5", **s3.options) as hierarchy:
        assert {node.path for node in hierarchy.walk()} >= {"/a.h5/g/x", "/b.nc/v"}
    address = "s3://bucket/hdf5/a.h5"
    assert "x  1,000 × 1,000  int32" in run_inside("tree", address, *s3.arguments).text
    assert "numcodecs.zlib" in run_inside("info", address, "g/x", *s3.arguments).text
    selected = run_inside("cat", address, "g/x", "--select", "7,3:6", "--as", "csv", *s3.arguments)
    assert selected.text.split() == ["7003", "7004", "7005"]
    with pytest.raises(StoreError, match=r"none\.h5"):
        zc.open_hierarchy("s3://bucket/hdf5/none.h5", **s3.options)


def test_files_in_gcs(folder: Path, s3: S3Server, gcs: GCSServer) -> None:
    s3.put("gcs/hdf5/b.nc", (folder / "bucket/b.nc").read_bytes())
    assert_same("gs://gcs/hdf5/b.nc", folder / "bucket/b.nc", **gcs.options)


def test_files_in_azure(folder: Path, azure: AzureServer) -> None:
    with environment(azure.environment):
        with zc.open_store("az://container/hdf5", **azure.options) as store:
            writable(store).set("b.nc", (folder / "bucket/b.nc").read_bytes())
        assert_same("az://container/hdf5/b.nc", folder / "bucket/b.nc", **azure.options)


def test_files_on_the_web(folder: Path, nginx: WebServer) -> None:
    write_files(nginx.root / "hdf5")
    assert_same(f"{nginx.plain_url}/hdf5/a.h5", folder / "bucket/a.h5")
    assert_same(f"{nginx.url}/hdf5/b.nc", folder / "bucket/b.nc")


@pytest.mark.parametrize("scheme", ["s3", "http"])
def test_requests_for_opening_and_for_chunks(folder: Path, scheme: str) -> None:
    with distant_server(folder, 0.005) as server:
        place, options = ("s3://", server.s3_options) if scheme == "s3" else (f"{server.url}/", {})
        with zc.open_hierarchy(f"{place}bucket/a.h5", **options) as hierarchy:
            nodes = [*hierarchy.walk()]
            assert (len(nodes), len(server.requests)) == (
                5,
                2,
            )  # the first block, and that of what was written last
            server.forget()
            assert hierarchy["g/x"][7, 3] == 7003
            assert len(server.requests) <= 2  # the index, and the chunk
            server.forget()
            assert np.array_equal(hierarchy["g/x"][...], VALUES)
            assert len(server.requests) < 100  # of 400 chunks
            server.forget()
            assert hierarchy["flat"][700_000] == 700_000
            assert len(server.requests) == 1
            assert server.sent < 100_000


def test_chunks_are_kept_in_a_cache(folder: Path, tmp_path: Path) -> None:
    with distant_server(folder) as server:
        for attempt in range(2):
            server.forget()
            with zc.open_hierarchy(f"{server.url}/bucket/a.h5", cache_dir=tmp_path) as hierarchy:
                assert np.array_equal(hierarchy["g/x"][...], VALUES)
            assert (len(server.requests) == 0) is (attempt == 1)
