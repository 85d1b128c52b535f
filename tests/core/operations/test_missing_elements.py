"""xarray finds the same missing elements in an array of Zarr v2 and in what is made of it in Zarr v3."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
import zarr

import zarrcore as zc
from tests.command import run_inside
from zarrcore.interop.zarr import ZarrcoreStore

VALUES = [0, 1, 2, -9, 7, 5]
ARRAYS = [
    *(("i2", value) for value in (None, 0, 7, -9)),
    *(("f4", value) for value in (None, 0, 7, -9, np.nan)),
    ("f2", 7),
    (">f8", -9),
    ("u1", 7),
]
every_array = pytest.mark.parametrize(("dtype", "fill_value"), ARRAYS)
with_and_without_attribute = pytest.mark.parametrize("told", [None, -9])


def write(path: Path, dtype: str, fill_value: Any, told: int | None) -> xarray.Dataset:
    """Write an array of 12 elements, of which the last four are not stored; return what xarray finds."""
    attributes = {"_ARRAY_DIMENSIONS": ["x"], **({} if told is None else {"_FillValue": told})}
    with warnings.catch_warnings(action="ignore"):
        array = zarr.create_group(path, zarr_format=2).create_array(
            "p", shape=(12,), chunks=(4,), dtype=dtype, fill_value=fill_value, attributes=attributes
        )
    array[:6] = np.abs(VALUES) if dtype == "u1" else VALUES
    return xarray.open_zarr(path, consolidated=False, zarr_format=2).load()


def opened(store: Any) -> xarray.Dataset:
    return xarray.open_zarr(store, consolidated=False, zarr_format=3).load()


@pytest.mark.sampled(12)
@every_array
@with_and_without_attribute
def test_of_a_copy(tmp_path: Path, dtype: str, fill_value: Any, told: int | None) -> None:
    expected = write(tmp_path / "a", dtype, fill_value, told)
    copy = str(tmp_path / "copy")
    assert run_inside("copy", str(tmp_path / "a"), copy, "--to", "v3", "--quiet").status == 0
    xarray.testing.assert_identical(opened(copy), expected)
    xarray.testing.assert_equal(xarray.open_dataset(copy, engine="zarrscope"), expected)
    assert run_inside("diff", str(tmp_path / "a"), copy).stdout == b""


@pytest.mark.sampled(12)
@every_array
@with_and_without_attribute
def test_of_a_conversion(tmp_path: Path, dtype: str, fill_value: Any, told: int | None) -> None:
    expected = write(tmp_path / "a", dtype, fill_value, told)
    assert run_inside("convert", str(tmp_path / "a"), "--remove-v2", "--quiet").status == 0
    xarray.testing.assert_identical(opened(tmp_path / "a"), expected)


@pytest.mark.sampled(12)
@every_array
@with_and_without_attribute
def test_of_references(tmp_path: Path, dtype: str, fill_value: Any, told: int | None) -> None:
    expected = write(tmp_path / "a", dtype, fill_value, told)
    output = str(tmp_path / "b.json")
    arguments = ("reference", str(tmp_path / "a"), "--zarr-format", "3", "--output", output, "--quiet")
    assert run_inside(*arguments).status == 0
    xarray.testing.assert_identical(opened(f"reference::{output}"), expected)


@pytest.mark.sampled(12)
@every_array
@with_and_without_attribute
def test_of_the_view_with_plain_chunks(tmp_path: Path, dtype: str, fill_value: Any, told: int | None) -> None:
    expected = write(tmp_path / "a", dtype, fill_value, told)
    with zc.open_hierarchy(tmp_path / "a") as hierarchy:
        xarray.testing.assert_identical(opened(ZarrcoreStore(hierarchy)), expected)
