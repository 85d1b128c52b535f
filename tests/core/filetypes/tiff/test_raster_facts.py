"""Rows, columns, bands and levels, as the conventions of an array and of the groups above it tell them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.filetypes.images import made
from tests.core.filetypes.tiff.maps import array_in, placed
from zarrcore.errors import NodeNotFoundError, StoreError
from zarrcore.filetypes.tiff.raster_facts import named_facts, raster_facts


@pytest.fixture
def hierarchy() -> zarrcore.Hierarchy:
    return zarrcore.create(zarrcore.stores.MemoryStore())


@pytest.mark.parametrize(
    ("shape", "names", "plane", "colours"),
    [
        ((), None, (None, None), None),
        ((5,), ["x"], (None, 0), None),
        ((5, 7), None, (0, 1), None),
        ((2, 5, 7), ["y", "x", "time"], (0, 1), None),
        ((2, 5, 7), ["lon", "lat", "time"], (1, 0), None),
        ((5, 7, 3), None, (0, 1), 2),
        ((5, 7, 3), ["y", "x", "band"], (0, 1), 2),
        ((5, 7, 3), ["y", "x", "month"], (0, 1), None),
        ((5, 7, 3), ["time", "y", "x"], (1, 2), None),
    ],
)
def test_rows_and_columns(shape: tuple[int, ...], names: Any, plane: tuple[Any, Any], colours: Any) -> None:
    facts = named_facts(made(np.zeros(shape, "u1"), names))
    assert (facts.plane, facts.colours) == (plane, colours)


def test_stated_dimensions_count_before_names(hierarchy: zarrcore.Hierarchy) -> None:
    attributes = {"spatial:dimensions": ["v", "u"], "proj:code": "EPSG:32633"}
    array = array_in(hierarchy, "a", np.zeros((2, 3, 4)), ["u", "v", "t"], attributes=attributes)
    assert raster_facts(array).plane == (1, 0)


def test_names_of_planes(hierarchy: zarrcore.Hierarchy) -> None:
    hierarchy.create_array("band", shape=(2,), dtype="string", dimension_names=["band"])[...] = np.array(
        ["B02", "B03"], object
    )
    array_in(hierarchy, "time", [0, 31], ["time"], attributes={"units": "days since 2020-01-01"})
    array_in(hierarchy, "height", [0.5, 1000.0], ["height"])
    names = ["time", "band", "height", "member", "y", "x"]
    array = array_in(hierarchy, "a", np.zeros((2, 2, 2, 2, 3, 4)), names)
    facts = raster_facts(array)
    name = facts.band_name(array, [(0, 1), (1, 1), (2, 0), (3, 1)])
    assert name == "time=2020-02-01, B03, height=0.5, member=1"
    assert (
        named_facts(made(np.zeros((2, 3, 4)))).band_name(made(np.zeros((2, 3, 4))), [(0, 1)])
        == "dimension 0=1"
    )


def test_channels_of_microscopy(hierarchy: zarrcore.Hierarchy) -> None:
    scales = [{"type": "scale", "scale": [1, 1, 1]}]
    image = {
        "axes": [
            {"name": "c", "type": "channel"},
            {"name": "y", "type": "space"},
            {"name": "x", "type": "space"},
        ],
        "datasets": [{"path": "0", "coordinateTransformations": scales}],
    }
    hierarchy["/"].attributes = {
        "ome": {"version": "0.5", "multiscales": [image], "omero": {"channels": [{"label": "DAPI"}]}}
    }
    array = array_in(hierarchy, "0", np.zeros((2, 3, 4)), ["c", "y", "x"])
    facts = raster_facts(array)
    assert [facts.band_name(array, [(0, channel)]) for channel in (0, 1)] == ["DAPI", "c=1"]


def levels_of(hierarchy: zarrcore.Hierarchy, path: str) -> list[str]:
    return [level.path for level in raster_facts(hierarchy[path]).levels]


def pyramid(hierarchy: zarrcore.Hierarchy, scales: dict[str, float], inside: str = "", **more: Any) -> None:
    first, *others = scales
    layout = [
        {"asset": first},
        *(
            {"asset": name, "derived_from": first, "transform": {"scale": [scales[name]] * 2}}
            for name in others
        ),
    ]
    hierarchy["/"].attributes = {"multiscales": {"layout": layout}, **more}
    for name, scale in scales.items():
        side = round(32 / scale)
        array_in(hierarchy, f"{name}{inside}", np.zeros((side, side), "u1"), ["y", "x"])


@pytest.mark.parametrize("inside", ["", "/ndvi"])
def test_coarser_levels(hierarchy: zarrcore.Hierarchy, inside: str) -> None:
    pyramid(hierarchy, {"a": 1, "b": 2, "c": 4}, inside)
    assert levels_of(hierarchy, f"a{inside}") == [f"/b{inside}", f"/c{inside}"]
    assert levels_of(hierarchy, f"b{inside}") == [f"/c{inside}"]
    assert levels_of(hierarchy, f"c{inside}") == []


def test_levels_of_an_older_pyramid_begin_with_the_coarsest(hierarchy: zarrcore.Hierarchy) -> None:
    datasets = [{"path": path, "pixels_per_tile": 128, "crs": "EPSG:3857"} for path in "01"]
    hierarchy["/"].attributes = {"multiscales": [{"datasets": datasets}]}
    for path, side in (("0", 4), ("1", 8)):
        placed(hierarchy, f"{path}/", np.arange(side)[::-1] / side, np.arange(side) / side)
        array_in(hierarchy, f"{path}/air", np.zeros((side, side)), ["y", "x"])
    assert levels_of(hierarchy, "1/air") == ["/0/air"]
    facts = raster_facts(hierarchy["1/air"])
    assert facts.crs is not None
    assert facts.crs.code == "EPSG:3857"
    assert facts.transform == (0.125, 0, -0.0625, 0, -0.125, 0.9375)


def test_what_is_not_the_same_in_fewer_pixels_is_no_level(hierarchy: zarrcore.Hierarchy) -> None:
    pyramid(hierarchy, {"a": 1, "b": 2})
    hierarchy["/"].attributes = {
        "multiscales": {
            "layout": [
                {"asset": "a", "spatial:transform": [1, 0, 0, 0, -1, 0]},
                {"asset": "elsewhere", "spatial:transform": [2, 0, 64, 0, -2, 0]},
                {"asset": "a_part", "spatial:transform": [2, 0, 0, 0, -2, 0]},
                {"asset": "other_type", "spatial:transform": [2, 0, 0, 0, -2, 0]},
                {"asset": "missing", "spatial:transform": [2, 0, 0, 0, -2, 0]},
                {"asset": "b", "spatial:transform": [2, 0, 0, 0, -2, 0]},
            ]
        }
    }
    array_in(hierarchy, "elsewhere", np.zeros((16, 16), "u1"), ["y", "x"])
    array_in(hierarchy, "a_part", np.zeros((16, 8), "u1"), ["y", "x"])
    array_in(hierarchy, "other_type", np.zeros((16, 16), "u2"), ["y", "x"])
    assert levels_of(hierarchy, "a") == ["/b"]


def test_the_grid_of_a_level_without_its_own(hierarchy: zarrcore.Hierarchy) -> None:
    """The grid of the group is that of the first level."""
    grid = (10.0, 0.0, 500.0, 0.0, -10.0, 900.0)
    pyramid(hierarchy, {"a": 1, "b": 2}, **{"proj:code": "EPSG:32633", "spatial:transform": grid})
    assert raster_facts(hierarchy["a"]).transform == grid
    assert raster_facts(hierarchy["b"]).transform == (20, 0, 500, 0, -20, 900)


def test_broken_metadata_do_not_count(hierarchy: zarrcore.Hierarchy) -> None:
    placed(hierarchy, "", [3.0, 2.0, 1.0], [1.0, 2.0])
    hierarchy["/"].attributes = {"multiscales": {"layout": [{"asset": "gone"}]}}
    array = array_in(hierarchy, "a", np.zeros((3, 2)), ["y", "x"])
    assert raster_facts(array).transform is not None
    store = hierarchy.store
    assert isinstance(store, zarrcore.stores.MemoryStore)
    store.set("x/c/0", b"broken")
    facts = raster_facts(zarrcore.open_hierarchy(store)["a"])
    assert (facts.transform, facts.levels) == (None, ())


def test_a_store_that_fails_is_an_error(hierarchy: zarrcore.Hierarchy) -> None:
    array = array_in(hierarchy, "a", np.zeros((3, 2)), ["y", "x"])

    def find(path: str) -> Any:
        if path == "/":
            return hierarchy["/"]
        raise StoreError("the store failed") if path == "/y" else NodeNotFoundError(path, "")

    with pytest.raises(StoreError):
        raster_facts(array, find)
