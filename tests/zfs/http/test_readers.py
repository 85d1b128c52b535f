"""Other readers of Zarr, pointed at ``zarr3/``: they read N5, Zarr v2 and HDF5 through it, equal to what was written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zarr
from obstore.store import HTTPStore
from zarr.storage import FsspecStore, ObjectStore

from tests.zfs.http.serving import get, serving

VALUES = np.arange(3 * 20 * 30, dtype="uint16").reshape(3, 20, 30) * 7
ZARRITA = Path(sys.prefix) / "azurite" / "node_modules" / "zarrita" / "dist" / "src" / "index.js"
PROGRAM = Path(__file__).with_name("read_with_zarrita.mjs")


def write_n5(path: Path) -> None:
    z5py = pytest.importorskip("z5py")
    with z5py.File(str(path), "w", use_zarr_format=False) as file:
        file.create_dataset("g/x", data=VALUES, chunks=(2, 8, 9), compression="gzip")


def write_v2(path: Path) -> None:
    group = zarr.open_group(path, mode="w", zarr_format=2)
    group.create_array("g/x", data=VALUES, chunks=(2, 8, 9))


def write_hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("g/x", data=VALUES, chunks=(2, 8, 9), compression="gzip", shuffle=True)


WRITERS = {"a.n5": write_n5, "a.zarr": write_v2, "a.h5": write_hdf5}


@pytest.mark.parametrize("name", WRITERS)
def test_zarr_python_and_zarrita_read_what_was_written(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    with serving(tmp_path / name) as server:
        url = f"{server.url}/zarr3"
        assert np.array_equal(zarr.open_group(FsspecStore.from_url(url), mode="r")["g/x"][...], VALUES)
        store = ObjectStore(
            HTTPStore.from_url(f"{url}/g/x/", client_options={"allow_http": True}), read_only=True
        )
        assert np.array_equal(zarr.open_array(store, mode="r")[1:, ::3], VALUES[1:, ::3])
        found = read_with_zarrita(f"{url}/g/x")
    assert (found["shape"], found["dtype"]) == ([3, 20, 30], "uint16")
    assert found["values"] == VALUES.ravel().tolist()
    assert found["plane"] == VALUES[1, :, 2:5].ravel().tolist()


def read_with_zarrita(url: str) -> dict[str, Any]:
    if shutil.which("node") is None or not ZARRITA.exists():
        pytest.skip("node or zarrita is not installed: packaging/setup installs them")
    done = subprocess.run(["node", PROGRAM, ZARRITA, url], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_token_in_the_address_reaches_every_request_of_zarrita(tmp_path: Path) -> None:
    from zarrfs.http.options import Token

    write_v2(tmp_path / "a.zarr")
    with serving(tmp_path / "a.zarr", token=Token("abc")) as server:
        assert get(f"{server.url}/zarr3/g/x/zarr.json").status_code == 401
        found = read_with_zarrita(f"{server.url}/zarr3/g/x?token=abc")
    assert found["values"] == VALUES.ravel().tolist()
