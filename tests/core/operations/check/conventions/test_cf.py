"""Rules of CF, each broken once; what xarray writes breaks none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import zarrcore
from tests.core.operations.check.conventions.broken_rules import broken


def of_array(
    attributes: dict[str, Any], values: Any = (1, 2, 3), name: str = "v", dimension: str = "x"
) -> list[str]:
    hierarchy = zarrcore.create("memory://")
    elements = np.asarray(values)
    hierarchy.create_array(
        name,
        shape=elements.shape,
        dtype=elements.dtype,
        dimension_names=[dimension],
        attributes={"units": "m", **attributes},
    )[...] = elements
    return broken(hierarchy, name)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"bounds": "x_bnds"}, "bounds: names x_bnds, which does not exist"),
        ({"grid_mapping": "crs:"}, "grid_mapping: names crs, which does not exist"),
        ({"coordinates": "/lat"}, "coordinates: names /lat, which does not exist"),
        ({"standard_name": "Air Temperature"}, "standard_name: expected words in lower case"),
        ({"axis": "W"}, "axis: expected one of X, Y, Z, T, found 'W'"),
        ({"positive": "north"}, "positive: expected one of up, down, found 'north'"),
        ({"flag_values": [1, 2], "flag_meanings": "one"}, "flag_values: 2 values for 1 meanings"),
        ({"flag_values": [1, 1], "flag_meanings": "one two"}, "flag_values: a value has several meanings"),
        ({"flag_masks": 1, "flag_meanings": "one two"}, "flag_masks: 1 values for 2 meanings"),
        ({"scale_factor": "0.1"}, "scale_factor: expected a number, found '0.1'"),
        ({"_FillValue": 1e30}, "_FillValue: 1e+30 is not a value of int64"),
        ({"valid_range": [1]}, "valid_range: expected two numbers, found [1]"),
        ({"valid_range": [1, 2], "valid_min": 1}, "valid_range: stands beside valid_min or valid_max"),
        (
            {"units": "days since yesterday"},
            "units: 'days since yesterday' is not a unit of time, since, and a date",
        ),
        (
            {"units": "months since 2000-01-01"},
            "units: 'months since 2000-01-01' has a unit without a fixed length",
        ),
        ({"units": "days since 2000-01-01", "calendar": "lunar"}, "calendar: 'lunar' is not known"),
    ],
)
def test_broken_rules(attributes: dict[str, Any], expected: str) -> None:
    found = of_array(attributes)
    assert len(found) == 1, found
    assert found[0].startswith(f"CF: {expected}")


@pytest.mark.parametrize("values", [[1.0, 1.0], [1.0, 3.0, 2.0], [1.0, np.nan]])
def test_coordinates_must_be_monotonic(values: list[float]) -> None:
    assert "must rise or fall" in of_array({}, values, "x")[0]


@pytest.mark.parametrize("values", [[1.0, 2.0], [3.0, -2.0], [1.0], np.array(["b", "a"])])
def test_monotonic_coordinates(values: Any) -> None:
    assert of_array({}, values, "x") == []


def test_a_dataset_of_xarray(tmp_path: Path) -> None:
    time = np.arange("2000-01-01", "2000-01-04", dtype="M8[D]").astype("M8[ns]")
    data = xr.Dataset(
        {
            "v": (
                ("time", "x"),
                np.zeros((3, 2)),
                {"standard_name": "air_temperature", "units": "K", "grid_mapping": "crs"},
            )
        },
        {"time": time, "x": ("x", [1, 2], {"axis": "X", "units": "m", "bounds": "x_bnds"}), "crs": 0},
        {"Conventions": "CF-1.8"},
    )
    data["x_bnds"] = (("x", "b"), np.zeros((2, 2)))
    data.v.encoding = {"dtype": "int16", "scale_factor": 0.1, "_FillValue": -1}
    data.to_zarr(tmp_path / "a.zarr", consolidated=False)
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a.zarr")
    assert [sentence for node in hierarchy.walk() for sentence in broken(hierarchy, node.path)] == []
