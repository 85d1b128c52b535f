"""Names, units, scale and translation of layers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pint
import pytest
import xarray as xr

import zarrcore
from tests.core.conventions.nexus.files import DATA, opened
from tests.core.interop.napari.viewers import RELEASE, napari
from zarrcore.conventions import Axis, CoordinateReferenceSystem, Georeference, Level, MultiscaleImage
from zarrcore.conventions.units import LENGTHS, TIMES
from zarrcore.interop.napari.placement import AxisPlacement, keywords, placement_of_array, placement_of_image
from zarrcore.stores import MemoryStore


def image(axes: tuple[Axis, ...], *geometry: Any, **more: Any) -> MultiscaleImage:
    return MultiscaleImage("OME-NGFF", "", (Level(None, None, None),), axes, *(geometry or ((), ())), **more)


def test_an_image_has_the_scale_and_the_units_of_its_metadata() -> None:
    axes = (Axis("t", "time", "second"), Axis(None, "space", "micrometer"), Axis("x", "space", "Å"))
    assert placement_of_image(image(axes, (2.0, 0.5, -0.25), (1.0, 0.0, 3.0))) == [
        AxisPlacement("t", 2.0, 1.0, "second"),
        AxisPlacement("dim_1", 0.5, 0.0, "micrometer"),
        AxisPlacement("x", -0.25, 3.0, "angstrom"),
    ]


@pytest.mark.parametrize("step", [0.0, float("nan"), float("inf")])
def test_a_scale_that_napari_refuses_is_ignored(step: float) -> None:
    assert placement_of_image(image((Axis("x", "", "meter"),), (step,), (4.0,))) == [AxisPlacement("x")]


def test_all_units_are_known_to_napari() -> None:
    names = sorted(
        {*LENGTHS, *TIMES, *LENGTHS.values(), *TIMES.values(), "degrees_north", "°", "K", "parrots"}
    )
    axes = tuple(Axis(name, "space", name) for name in names)
    placed = placement_of_image(image(axes, (1.0,) * len(axes), (0.0,) * len(axes)))
    units = {axis.name: axis.unit for axis in placed}
    registry = pint.get_application_registry()  # which napari uses
    kinds = {name: str(registry.parse_expression(unit).dimensionality) for name, unit in units.items()}
    assert {kinds[name] for name in (*LENGTHS, *LENGTHS.values())} == {"[length]"}
    assert {kinds[name] for name in (*TIMES, *TIMES.values())} == {"[time]"}
    assert {units[name] for name in ("K", "parrots")} == {"pixel"}
    assert (units["µm"], units["min"], units["degrees_north"]) == ("micrometer", "minute", "degree")


def test_a_georeference_gives_the_size_of_cells_and_leaves_the_first_row_at_the_top() -> None:
    crs = CoordinateReferenceSystem("EPSG:32633")
    place = Georeference(crs, (10.0, 0.0, 5e5, 0.0, -20.0, 4e6), None, ("y", "x"))
    axes = (Axis("band"), Axis("y", "space"), Axis("x", "space"))
    assert placement_of_image(image(axes, georeference=place)) == [
        AxisPlacement("band"),
        AxisPlacement("y", 20.0),
        AxisPlacement("x", 10.0),
    ]
    turned = Georeference(crs, (10.0, 1.0, 5e5, 0.0, -20.0, 4e6), None, ("y", "x"))
    assert placement_of_image(image(axes, georeference=turned))[1] == AxisPlacement("y")


COORDINATES: dict[str, Any] = {
    "days": np.datetime64("2001-01-01") + np.arange(5).astype("m8[D]"),
    "six-hours": np.datetime64("1850-01-01", "s") + 6 * np.arange(5).astype("m8[h]"),
    "half-seconds": np.datetime64("1969-12-31T23:59:59", "ms") + 500 * np.arange(5).astype("m8[ms]"),
    "falling": np.linspace(90, -90, 5),
    "rising": np.linspace(-0.5, 1.5, 5, dtype="f4"),
    "whole": np.arange(7, 17, 2),
}


@pytest.mark.parametrize("name", COORDINATES)
def test_regular_coordinates_are_placed_as_napari_places_those_of_xarray(tmp_path: Path, name: str) -> None:
    data = xr.DataArray(
        np.zeros((5, 4), "f4"), dims=("first", "x"), coords={"first": COORDINATES[name], "x": range(4)}
    )
    with warnings.catch_warnings(action="ignore"):
        data.to_dataset(name="a").to_zarr(tmp_path / "a.zarr", zarr_format=3, consolidated=False)
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a.zarr")
    array = hierarchy["a"]
    found = keywords(placement_of_array(array, hierarchy.node))
    assert found["axis_labels"] == data.dims
    if RELEASE >= (0, 9):
        layer = napari().layers.Image(data)
        assert found["axis_labels"] == layer.axis_labels
        assert found["scale"] == pytest.approx(layer.scale)
        assert found["translate"] == pytest.approx(layer.translate)
        assert [str(unit) for unit in layer.units] == list(found["units"])


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0, 2.0, 4.0, 8.0]),
        np.array([1.0, 1.0, 1.0, 1.0]),
        np.array(["a", "b", "c", "d"]),
        np.array([0, 1, 3, 4]).astype("M8[D]"),
        np.array([0, 1, "NaT", 3]).astype("M8[D]"),
    ],
)
def test_irregular_coordinates_do_not_count(tmp_path: Path, values: Any) -> None:
    data = xr.Dataset({"a": (("first", "x"), np.zeros((4, 3)))}, {"first": values})
    with warnings.catch_warnings(action="ignore"):
        data.to_zarr(tmp_path / "a.zarr", zarr_format=2, consolidated=False)
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a.zarr")
    assert placement_of_array(hierarchy["a"], hierarchy.node) == [AxisPlacement("first"), AxisPlacement("x")]


def test_a_coordinate_that_cannot_be_read_does_not_count() -> None:
    store = MemoryStore()
    hierarchy = zarrcore.create(store)
    hierarchy.create_array("/a", shape=(3, 2), dtype="int8", dimension_names=["y", None])
    hierarchy.create_array("/y", shape=(3,), dtype="float64", dimension_names=["y"])[...] = [1, 2, 3]
    assert placement_of_array(hierarchy["a"], hierarchy.node)[0] == AxisPlacement("y", 1.0, 1.0)
    store.set("y/c/0", b"broken")
    assert placement_of_array(hierarchy["a"], hierarchy.node) == [AxisPlacement("y"), AxisPlacement("dim_1")]


def test_an_axis_of_nexus_has_its_factor_and_its_offset(tmp_path: Path) -> None:
    arrays = {"counts": (3,), "x": np.arange(3, dtype="i2"), "x_scaling_factor": 0.5, "x_offset": 4.0}
    with opened(tmp_path / "a.nxs", {"signal": "counts", "axes": "x"}, **arrays) as hierarchy:
        [placed] = placement_of_array(hierarchy[DATA]["counts"], hierarchy.node)
    assert (placed.scale, placed.translate) == (0.5, 2.0)
