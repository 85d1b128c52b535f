"""Integers that ``_Unsigned`` reinterprets, as NumPy, xarray and netCDF4 do it."""

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
from zarrcore.conventions.cf import Packing, missing_values, outside, packing_of
from zarrcore.conventions.cf.signedness import kind_of, reinterpreted_bound, reinterpreted_type, stored_range

TYPES = [f"{order}{kind}{size}" for order in "<>" for kind in "iu" for size in (1, 2, 4, 8)]


def array(dtype: str, **attributes: Any) -> Any:
    node = described("/a", attributes, kind="array")
    node.dtype = np.dtype(dtype)
    return node


@pytest.mark.parametrize(
    ("told", "dtype", "expected"),
    [
        ("true", "i2", "u"),
        ("True", "i2", "u"),
        (True, "i1", "u"),
        ("false", "u1", "i"),
        ("true", "u1", None),
        ("false", "i1", None),
        ("true", "f4", None),
        ("yes", "i1", None),
        (1, "i1", None),
        (None, "i1", None),
    ],
)
def test_the_attribute(told: Any, dtype: str, expected: str | None) -> None:
    assert kind_of({"_Unsigned": told}, np.dtype(dtype)) == expected


@pytest.mark.parametrize("dtype", TYPES)
def test_the_bytes_stay(dtype: str) -> None:
    stored = np.array([0, 1, 127, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    packing = packing_of(array(dtype, _Unsigned="true" if np.dtype(dtype).kind == "i" else "false"))
    assert packing is not None
    values = packing.unpacked(stored)
    assert values.dtype == reinterpreted_type(stored.dtype, packing.kind)
    assert values.tobytes() == stored.tobytes()
    assert np.array_equal(packing.stored(values), stored)


@given(
    st.lists(st.integers(-128, 127), min_size=1, max_size=9),
    st.none() | st.floats(1e-3, 1e3),
    st.none() | st.integers(-128, 127),
    st.booleans(),
)
def test_values_are_those_of_xarray(
    stored: list[int], scale: float | None, fill: int | None, is_unsigned: bool
) -> None:
    dtype = np.dtype("i1" if is_unsigned else "u1")
    values = np.array(stored, "i1").view(dtype)
    attributes: dict[str, Any] = {"_Unsigned": "true" if is_unsigned else "false"}
    if scale is not None:
        attributes["scale_factor"] = scale
    if fill is not None:
        attributes["_FillValue"] = np.array(fill, "i1").view(dtype)[()]
    decoded = xr.decode_cf(xr.Dataset({"a": ("x", values, attributes)})).a.values
    listed = attributes | ({} if fill is None else {"_FillValue": int(attributes["_FillValue"])})
    packing = packing_of(array(dtype.str, **listed))
    assert packing is not None
    np.testing.assert_allclose(packing.unpacked(values).astype("f8"), decoded.astype("f8"), rtol=1e-6)


@settings(max_examples=30)  # each of them writes a file
@given(
    st.lists(st.integers(-128, 127), min_size=1, max_size=9),
    st.none() | st.integers(-128, 127),
    st.none() | st.integers(-128, 127),
    st.booleans(),
)
def test_valid_bounds_are_reinterpreted_as_in_netcdf4(
    stored: list[int], low: int | None, high: int | None, is_packed: bool
) -> None:
    attributes: dict[str, Any] = {"_Unsigned": "true"}
    attributes |= {"scale_factor": 0.5, "add_offset": 3.0} if is_packed else {}
    bounds = {name: bound for name, bound in (("valid_min", low), ("valid_max", high)) if bound is not None}
    values = np.array(stored, "i1")
    with netCDF4.Dataset("memory", "w", diskless=True) as file:
        file.createDimension("x", len(stored))
        variable = file.createVariable("a", "i1", "x", fill_value=np.int8(100))
        variable.set_auto_maskandscale(False)
        variable[:] = values
        variable.setncatts(attributes | {name: np.int8(bound) for name, bound in bounds.items()})
        variable.set_auto_maskandscale(True)
        expected = np.ma.filled(np.ma.asarray(variable[:]).astype("f8"), np.nan)
    packing = packing_of(array("i1", _FillValue=100, **attributes, **bounds))
    assert packing is not None
    np.testing.assert_array_equal(packing.unpacked(values).astype("f8"), expected)


@given(st.integers(-300, 300), st.integers(-300, 300), st.sampled_from([("i1", "u"), ("u1", "i")]))
def test_a_range_of_stored_numbers_holds_what_the_range_of_values_does(
    low: int, high: int, types: tuple[str, Any]
) -> None:
    dtype = np.dtype(types[0])
    stored = np.arange(256).astype("u1").view(dtype)
    numbers = stored.view(reinterpreted_type(dtype, types[1])).astype(int)
    # A bound that only the stored type can hold is a stored number.
    first, last = (reinterpreted_bound(bound, dtype, types[1]) for bound in (low, high))
    found = outside(stored, stored_range(first, last, dtype, types[1]))
    expected = (numbers < first) | (numbers > last)
    assert (np.zeros(256, bool) if found is None else found).tolist() == expected.tolist()


def test_bounds_between_integers_and_open_ones() -> None:
    signed = np.dtype("i1")
    assert stored_range(9.5, math.inf, signed, "u") == (10, -1)
    assert stored_range(-math.inf, 249.5, signed, "u") == (0, -7)
    assert stored_range(0.2, 0.8, signed, "u") == (math.inf, -math.inf)


def test_missing_values_may_be_told_in_either_type() -> None:
    signed = np.dtype("i1")
    assert missing_values({"_Unsigned": "true", "_FillValue": 255}, signed)["_FillValue"] == -1
    assert missing_values({"_Unsigned": "true", "missing_value": [-1, 254, 300]}, signed)[
        "missing_value"
    ].tolist() == [-1, -2]
    assert missing_values({"_FillValue": 255}, signed) == {}


def test_how_numbers_are_unpacked_is_told_in_words() -> None:
    assert Packing(0.1, kind="u").description == "stored, read as unsigned × 0.1 + 0"
    assert Packing(kind="i").description == "stored, read as signed"
    assert Packing(2.0, 1.0).description == "stored × 2 + 1"


def test_bounds_of_scaled_values_are_not_stored_numbers() -> None:
    """Half a step below 0, which a signed number could be, is the bound of the value 0."""
    packing = packing_of(array("i1", _Unsigned="true", scale_factor=0.1, valid_range=[0.0, 20.0]))
    assert packing is not None
    stored = np.array([0, 127, -56, -55], "i1")  # 0, 127, 200 and 201 as unsigned numbers
    assert np.isnan(packing.unpacked(stored)).tolist() == [False, False, False, True]
