"""NetCDF and HDF5 files by independent writers, and kerchunk's references to them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest


def kerchunk_references(path: Path, **options: object) -> dict:
    """Kerchunk's references to a file of HDF5 or NetCDF-3."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from kerchunk.hdf import SingleHdf5ToZarr
        from kerchunk.netCDF3 import NetCDF3ToZarr

        with path.open("rb") as file:
            kind = SingleHdf5ToZarr if file.read(4) == b"\x89HDF" else NetCDF3ToZarr
        return kind(str(path), **options).translate()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``day0.nc`` and ``day1.nc`` (NetCDF-4), ``plain.h5`` and ``classic.nc`` (NetCDF-3)."""
    folder = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(0)
    for day in range(2):
        with netCDF4.Dataset(folder / f"day{day}.nc", "w") as file:
            for name, length in (("time", 3), ("lat", 20), ("lon", 30)):
                file.createDimension(name, length)
                variable = file.createVariable(name, "f8", (name,))
                variable[:] = np.arange(length) + (3 * day if name == "time" else 0)
            air = file.createVariable("air", "i2", ("time", "lat", "lon"), zlib=True, chunksizes=(1, 7, 11))
            air.units = "K"
            air.set_auto_scale(False)
            air[:] = random.integers(-999, 999, (3, 20, 30))
    with h5py.File(folder / "plain.h5", "w") as file:
        file.create_dataset(
            "group/x", data=random.random((40, 50)), chunks=(8, 9), shuffle=True, compression=4
        )
        file.create_dataset("y", data=random.integers(0, 99, 1000, dtype="i4"))
    with netCDF4.Dataset(folder / "classic.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 12)
        file.createDimension("t", None)
        file.createVariable("fixed", "f4", ("x",))[:] = random.random(12)
        file.createVariable("records", "i4", ("t", "x"))[:] = random.integers(0, 99, (5, 12))
    return folder


@pytest.fixture(scope="session")
def documents(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with kerchunk's references to each of ``files``, in JSON."""
    folder = tmp_path_factory.mktemp("documents")
    for path in files.iterdir():
        document = kerchunk_references(path)
        (folder / f"{path.name}.refs.json").write_text(json.dumps(document))
    return folder
