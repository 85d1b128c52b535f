"""Coordinate variables as values for people."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import zarrcore
from tests.core.conventions.described import described
from zarrcore.conventions import Variable, meaning
from zarrcore.conventions.cf import (
    Direction,
    coordinate_values,
    direction_of,
    find_coordinate,
    is_latitude,
    is_longitude,
)


@pytest.mark.parametrize(
    ("stored", "attributes", "expected", "unit"),
    [
        (
            np.array([0, 1], "i8"),
            {"units": "days since 2000-01-01"},
            np.array(["2000-01-01", "2000-01-02"], "M8[D]"),
            "",
        ),
        (
            np.array([0, 59], "i4"),
            {"units": "days since 2000-01-01", "calendar": "noleap"},
            ["2000-01-01", "2000-03-01"],
            "",
        ),
        (
            np.array([10, 20], "i2"),
            {"units": "degrees_north", "scale_factor": 0.5},
            [5.0, 10.0],
            "degrees_north",
        ),
        (np.array([1.0, -9.0]), {"units": 7, "missing_value": -9.0}, [1.0, np.nan], ""),
        (np.array([True, False]), {}, [1, 0], ""),
        (
            np.array(["2020-01-01", "2020-01-02"], "M8[ns]"),
            {},
            np.array(["2020-01-01", "2020-01-02"], "M8[D]"),
            "",
        ),
    ],
)
def test_values(stored: Any, attributes: dict[str, Any], expected: Any, unit: str) -> None:
    array = zarrcore.create("memory://").create_array(
        "a", shape=stored.shape, dtype=stored.dtype, attributes=attributes
    )
    array[...] = stored
    values, found = coordinate_values(array)
    assert found == unit
    np.testing.assert_array_equal(values, np.asarray(expected))
    assert values.dtype.kind == np.asarray(expected).dtype.kind


def test_coordinates_of_groups_above_count_where_the_length_fits() -> None:
    hierarchy = zarrcore.create("memory://")
    for path, length in (("x", 3), ("a/x", 4), ("a/b/y", 2), ("z", 9)):
        name = path.rpartition("/")[2]
        hierarchy.create_array(path, shape=(length,), dtype="uint8", dimension_names=[name])
    hierarchy.create_group("a/t")
    array = hierarchy.create_array(
        "a/b/v", shape=(2, 3, 4, 5, 6, 7), dtype="uint8", dimension_names=["y", "x", "w", "z", "t", None]
    )
    found = [find_coordinate(array, axis, hierarchy.node) for axis in range(6)]
    assert [node and node.path for node in found] == ["/a/b/y", "/x", None, None, None, None]


def test_a_tree_of_datasets_as_xarray_reads_it(tmp_path: Path) -> None:
    root = xr.Dataset(coords={"x": ("x", [1.0, 2.0], {"units": "m"})})
    child = xr.Dataset({"v": (("x", "y"), np.zeros((2, 3)), {"units": "K"})}, {"y": ("y", [1, 2, 3])})
    xr.DataTree.from_dict({"/": root, "/child": child}).to_zarr(tmp_path / "tree.zarr", consolidated=False)
    found = meaning(zarrcore.open_hierarchy(tmp_path / "tree.zarr")["child/v"])
    assert isinstance(found, Variable)
    assert [axis.unit for axis in found.axes] == ["m", ""]


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("lat", {}, Direction.UP),
        ("y", {}, None),
        ("y", {"axis": "Y"}, Direction.UP),
        ("y", {"standard_name": "projection_y_coordinate", "units": "m"}, Direction.UP),
        ("j", {"units": "degreesN"}, Direction.UP),
        ("lon", {"units": "degrees_east"}, Direction.RIGHT),
        ("x", {"axis": "x"}, Direction.RIGHT),
        ("height", {"positive": "up", "units": "m"}, Direction.UP),
        ("depth", {"positive": "Down", "units": "m"}, Direction.DOWN),
        ("plev", {"units": "hPa"}, Direction.DOWN),
        ("plev", {"units": "hPa", "positive": "up"}, Direction.UP),
        ("time", {"units": "days since 2000-01-01", "axis": "T"}, None),
        ("z", {"units": "m", "positive": 1}, None),
    ],
)
def test_where_greater_coordinates_lie(
    name: str, attributes: dict[str, Any], expected: Direction | None
) -> None:
    assert direction_of(described(f"/{name}", attributes)) is expected


@pytest.mark.parametrize(
    ("name", "attributes", "kind"),
    [
        ("y", {"units": "degrees_north"}, "latitude"),
        ("x", {"units": "degreeE"}, "longitude"),
        ("lat", {}, "latitude"),
        ("Longitude", {"units": "degrees"}, "longitude"),
        ("a", {"standard_name": "latitude", "units": "degrees"}, "latitude"),
        ("lon", {"standard_name": "grid_longitude", "units": "degrees"}, None),
        ("lat", {"units": "m"}, None),
        ("x", {"units": "degrees"}, None),
        ("lon", {"units": 7, "standard_name": None}, "longitude"),
    ],
)
def test_latitudes_and_longitudes_are_told_from_other_angles(
    name: str, attributes: dict[str, Any], kind: str | None
) -> None:
    node = SimpleNamespace(name=name, attributes=attributes)
    assert (is_latitude(node), is_longitude(node)) == (kind == "latitude", kind == "longitude")
