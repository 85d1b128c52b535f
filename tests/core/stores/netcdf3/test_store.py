"""NetCDF-3 files, written by the NetCDF library and by SciPy, compared with what xarray reads."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import scipy.io
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from zarrcore.errors import BrokenReferenceError, StoreError
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import LocalStore, MemoryStore
from zarrcore.stores.netcdf3.store import NetCDF3Store

FORMATS = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA")


def write(path: Path, format_: Any, *, one_record_variable: bool = False) -> None:
    with netCDF4.Dataset(path, "w", format=format_) as file:
        file.title, file.number, file.numbers, file.nothing = (
            "héllo",
            np.int16(3),
            np.array([1.5, 2.5], "f4"),
            "",
        )
        for name, length in (("time", None), ("lat", 4), ("lon", 5)):
            file.createDimension(name, length)
        file.createVariable("short", "i2", ("time", "lon"), fill_value=-9)[:] = np.arange(15).reshape(3, 5)
        if not one_record_variable:
            time = file.createVariable("time", "f8", ("time",))
            time.units = "days since 2000-01-01"
            time[:] = np.arange(3)
            file.createVariable("byte", "i1", ("time",))[:] = [1, 2, 3]
            letters = file.createVariable("letters", "S1", ("time", "lon"))
            letters[:] = netCDF4.stringtochar(np.array(["abc", "defgh", "x"], "S5"))
        missing = file.createVariable("missing", "f4", ("lat", "lon"), fill_value=np.nan)
        missing[:] = np.arange(20).reshape(4, 5)
        missing.missing_value = np.float32(1e20)
        file.createVariable("scalar", "i4", ())[...] = 7
        if format_ == "NETCDF3_64BIT_DATA":
            file.createVariable("large", "u8", ("lat",))[:] = 2**63


@pytest.mark.sampled
@pytest.mark.parametrize("one_record_variable", [False, True])
@pytest.mark.parametrize("format_", FORMATS)
def test_a_copy_is_identical_for_xarray(tmp_path: Path, format_: str, one_record_variable: bool) -> None:
    write(tmp_path / "a.nc", format_, one_record_variable=one_record_variable)
    assert run_inside("copy", tmp_path / "a.nc", tmp_path / "a.zarr").status == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for options in ({}, {"decode_cf": False}):
            with (
                xr.open_dataset(tmp_path / "a.nc", engine="netcdf4", **options) as original,
                xr.open_dataset(tmp_path / "a.zarr", engine="zarr", consolidated=False, **options) as copied,
            ):
                xr.testing.assert_identical(original, copied)


@settings(max_examples=30, deadline=None)
@given(
    names=st.lists(st.sampled_from(["b", "h", "i", "f", "d"]), min_size=1, max_size=4),
    records=st.integers(0, 4),
    length=st.integers(1, 5),
    version=st.sampled_from([1, 2]),
)
def test_records_of_any_types_read_as_with_scipy(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], records: int, length: int, version: int
) -> None:
    path = tmp_path_factory.mktemp("a") / "a.nc"
    expected = {}
    with scipy.io.netcdf_file(path, "w", version=version) as file:
        file.createDimension("record", None)
        file.createDimension("x", length)
        for number, name in enumerate(names):
            variable = file.createVariable(f"v{number}", name, ("record", "x"))
            for record in range(records):
                variable[record] = np.arange(length) + record * 10 + number
            expected[f"v{number}"] = (np.arange(length) + np.arange(records)[:, None] * 10 + number).astype(
                name
            )
    store = NetCDF3Store(MemoryStore("", {"a.nc": path.read_bytes()}), "a.nc", "memory://a.nc")
    for name, values in expected.items():
        found = open_place(store)[name]
        assert found.shape == values.shape
        assert found[...].tobytes() == values.tobytes()


def test_keys_are_listed(tmp_path: Path) -> None:
    write(tmp_path / "a.nc", "NETCDF3_CLASSIC")
    with NetCDF3Store(LocalStore(tmp_path), "a.nc", "a.nc") as store:
        assert [entry.key for entry in store.list_prefix("short/")] == [
            *("short/zarr.json", "short/c/0/0", "short/c/1/0", "short/c/2/0")
        ]
        assert [entry.key for entry in store.list_dir("short/")] == ["short/zarr.json", "short/c/"]
        assert [entry.key for entry in store.list_dir("short/c/1/")] == ["short/c/1/0"]
        assert store.get("short/c/3/0") is None
        assert store.get("short/c/01/0") is None
        assert pickle.loads(pickle.dumps(store)).get("zarr.json") == store.get("zarr.json")


def test_records_beyond_the_end_are_errors(tmp_path: Path) -> None:
    write(tmp_path / "a.nc", "NETCDF3_CLASSIC")
    (tmp_path / "cut.nc").write_bytes((tmp_path / "a.nc").read_bytes()[:-20])
    with (
        zarrcore.open_hierarchy(tmp_path / "cut.nc") as hierarchy,
        pytest.raises(BrokenReferenceError, match="ends at byte"),
    ):
        hierarchy["letters"][...]


def test_a_broken_header_is_one_line(tmp_path: Path) -> None:
    write(tmp_path / "a.nc", "NETCDF3_CLASSIC")
    data = (tmp_path / "a.nc").read_bytes()
    (tmp_path / "cut.nc").write_bytes(data[:100])
    with pytest.raises(StoreError, match=r"cut\.nc is a broken NetCDF file: a part of the header"):
        zarrcore.open_hierarchy(tmp_path / "cut.nc")
