"""Packed numbers are unpacked as xarray does it."""

from __future__ import annotations

import math
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.conventions.described import described
from zarrcore.conventions.cf import Packing, among, packing_of


def array(dtype: str, **attributes: Any) -> Any:
    node = described("/a", attributes, kind="array")
    node.dtype = np.dtype(dtype)
    return node


@given(
    st.lists(st.integers(-32768, 32767), min_size=1, max_size=9),
    st.floats(1e-3, 1e3),
    st.floats(-1e3, 1e3),
    st.none() | st.integers(-32768, 32767),
)
def test_values_are_those_of_xarray(stored: list[int], scale: float, offset: float, fill: int | None) -> None:
    values = np.array(stored, "i2")
    attributes = {"scale_factor": scale, "add_offset": offset} | (
        {} if fill is None else {"_FillValue": fill}
    )
    decoded = xr.decode_cf(xr.Dataset({"a": ("x", values, attributes)})).a.values
    packing = packing_of(array("i2", **attributes))
    assert packing is not None
    np.testing.assert_allclose(packing.unpacked(values), decoded, rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "attributes", "expected"),
    [
        ("i2", {"scale_factor": [0.5]}, Packing(0.5)),
        ("i2", {"scale_factor": ["x", 2]}, Packing(2.0)),
        ("i2", {"add_offset": 10**400}, None),
        ("i2", {"scale_factor": True}, None),
        ("M8[s]", {"scale_factor": 2.0}, None),
        ("i8", {"missing_value": 2**62 + 1}, Packing(missing=(2**62 + 1,))),
        ("f4", {"_FillValue": float("nan")}, None),
        ("f4", {"valid_min": 0.5}, Packing(valid=(0.5, math.inf))),
        ("i2", {"valid_max": 7, "scale_factor": 2.0}, Packing(2.0, valid=(-math.inf, 7))),
        ("i2", {"valid_range": [0.0, 10.0], "scale_factor": -2.0}, Packing(-2.0, valid=(-5.5, 0.5))),
        ("i2", {"valid_range": [0.0, 10.0], "scale_factor": 0.0}, Packing(0.0, valid=(0.0, 10.0))),
        ("i2", {"valid_range": [1, float("nan")]}, None),
        ("u1", {}, None),
    ],
)
def test_attributes(dtype: str, attributes: dict[str, Any], expected: Packing | None) -> None:
    assert packing_of(array(dtype, **attributes)) == expected


def test_stored_numbers_without_packing_stay() -> None:
    stored = np.array([1, 2], "i2")
    assert Packing(missing=(9,)).unpacked(stored) is stored


@pytest.mark.parametrize(
    ("dtype", "numbers", "expected"),
    [
        ("u1", (300, -1, 0.5), None),
        ("u1", (1, 2), [True, True, False]),
        ("f4", (float("nan"), 10**400), None),
        ("u1", (float("nan"), float("inf"), 10**400), None),
        ("c8", (1,), None),
        ("?", (1,), [True, True, False]),
    ],
)
def test_masks(dtype: str, numbers: tuple[float, ...], expected: list[bool] | None) -> None:
    found = among(np.array([1, 2, 0]).astype(dtype), numbers)
    assert (None if found is None else found.tolist()) == expected


@settings(max_examples=30)  # each of them writes a file
@given(
    st.lists(st.integers(-99, 99), min_size=1, max_size=9),
    st.none() | st.integers(-99, 99),
    st.none() | st.integers(-99, 99),
    st.booleans(),
)
def test_values_outside_the_valid_range_are_missing_as_in_netcdf4(
    stored: list[int], low: int | None, high: int | None, is_packed: bool
) -> None:
    attributes = {"scale_factor": 0.5, "add_offset": 3.0} if is_packed else {}
    bounds = {name: bound for name, bound in (("valid_min", low), ("valid_max", high)) if bound is not None}
    values = np.array(stored, "i2")
    with netCDF4.Dataset("memory", "w", diskless=True) as file:
        file.createDimension("x", len(stored))
        variable = file.createVariable("a", "i2", "x")
        variable.set_auto_maskandscale(False)
        variable[:] = values
        variable.setncatts(attributes | {name: np.int16(bound) for name, bound in bounds.items()})
        variable.set_auto_maskandscale(True)
        expected = np.ma.filled(np.ma.asarray(variable[:]).astype("f8"), np.nan)
    packing = packing_of(array("i2", **attributes, **bounds)) or Packing()
    np.testing.assert_array_equal(packing.unpacked(values).astype("f8"), expected)


def test_bounds_that_are_floats_are_values_of_packed_integers() -> None:
    packing = packing_of(array("u1", scale_factor=0.1, valid_range=[0.3, 0.7]))
    assert packing is not None
    unpacked = packing.unpacked(np.arange(10, dtype="u1"))
    assert np.flatnonzero(~np.isnan(unpacked)).tolist() == [3, 4, 5, 6, 7]
    floats = packing_of(array("f4", scale_factor=0.1, valid_range=[3.0, 7.0]))
    assert floats is not None
    assert floats.valid == (3.0, 7.0)


@pytest.mark.sampled(48)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("fill", [None, 7])
@pytest.mark.parametrize("offset", [None, np.float32(2.5), np.float32(0.3), 0.3, 3, np.int16(-2)])
@pytest.mark.parametrize("scale", [np.float32(0.1), 0.1])
def test_values_have_the_type_that_xarray_gives_them(dtype: str, fill: Any, offset: Any, scale: Any) -> None:
    stored = np.arange(9).astype(dtype)
    attributes = {"scale_factor": scale, "add_offset": offset, "_FillValue": fill}
    attributes = {name: value for name, value in attributes.items() if value is not None}
    expected = xr.decode_cf(xr.Dataset({"a": ("x", stored, attributes)})).a.values
    packing = packing_of(
        array(dtype, **{name: np.asarray(value).item() for name, value in attributes.items()})
    )
    assert packing is not None
    found = packing.unpacked(stored)
    if fill is None or expected.dtype == found.dtype:
        assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.astype(expected.dtype), expected)
