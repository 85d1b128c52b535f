"""Coordinates that xarray gets from GeoZarr's transforms, compared with rasterio and rioxarray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import rioxarray  # noqa: F401 - makes the accessor
import xarray as xr
from affine import Affine
from rasterio.transform import xy

import zarrcore
from zarrcore.stores import MemoryStore

# rioxarray multiplies transforms in a way that the package affine will drop.
pytestmark = pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")

TRANSFORM = [10.5, 0.0, 500_000.25, 0.0, -10.0, 4_600_000.0]


@pytest.fixture
def hierarchy() -> zarrcore.Hierarchy:
    return zarrcore.create(MemoryStore())


def array_in(
    hierarchy: zarrcore.Hierarchy, path: str, shape: tuple[int, ...] = (3, 5), **attributes: Any
) -> None:
    names = ("band", "y", "x")[-len(shape) :]
    array = hierarchy.create_array(
        path, shape=shape, dtype="u2", dimension_names=names, attributes=attributes
    )
    array[...] = np.arange(array.size).reshape(shape)


def opened(hierarchy: zarrcore.Hierarchy, group: str = "/", **options: Any) -> xr.Dataset:
    return xr.open_dataset(hierarchy, engine="zarrscope", group=group, **options)


def assert_centres(dataset: xr.Dataset, transform: Affine, shape: tuple[int, int]) -> None:
    rows, columns = shape
    x, _ = xy(transform, [0] * columns, range(columns))
    _, y = xy(transform, range(rows), [0] * rows)
    np.testing.assert_allclose(dataset["x"], x, rtol=1e-15)
    np.testing.assert_allclose(dataset["y"], y, rtol=1e-15)
    assert dataset.rio.transform().almost_equals(transform, 1e-8)


@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 5)])
@pytest.mark.parametrize("is_group", [True, False])
def test_coordinates_are_the_centres_of_cells(
    hierarchy: zarrcore.Hierarchy, shape: tuple[int, ...], is_group: bool
) -> None:
    stated = {"spatial:dimensions": ["y", "x"], "spatial:transform": TRANSFORM, "proj:code": "EPSG:32633"}
    hierarchy.create_group("g").attributes = stated if is_group else {}
    array_in(hierarchy, "g/a", shape, **({} if is_group else stated))
    dataset = opened(hierarchy, "g")
    assert_centres(dataset, Affine(*TRANSFORM), shape[-2:])
    assert [*dataset["a"].coords] == ["y", "x"]
    assert dataset["a"].sel(x=500_016, y=4_599_986, method="nearest").values.ravel()[0] == 6
    assert_centres(opened(hierarchy, "g/a"), Affine(*TRANSFORM), shape[-2:])


def test_centres_of_nodes_and_the_transform_of_stac(hierarchy: zarrcore.Hierarchy) -> None:
    array_in(hierarchy, "n/a", **{"spatial:transform": TRANSFORM, "spatial:registration": "node"})
    dataset = opened(hierarchy, "n")
    assert (dataset["x"][0], dataset["y"][0]) == (500_000.25, 4_600_000)
    array_in(hierarchy, "s/a", **{"proj:transform": [*TRANSFORM, 0, 0, 1]})
    assert_centres(opened(hierarchy, "s"), Affine(*TRANSFORM), (3, 5))


def test_levels_of_a_pyramid_have_grids_of_their_own(hierarchy: zarrcore.Hierarchy) -> None:
    coarse = [21.0, 0.0, 500_000.25, 0.0, -20.0, 4_600_000.0]
    layout = [{"asset": "0", "spatial:transform": TRANSFORM}, {"asset": "1", "spatial:transform": coarse}]
    hierarchy["/"].attributes = {"multiscales": {"layout": layout}, "proj:code": "EPSG:32633"}
    array_in(hierarchy, "0/a", (4, 6))
    array_in(hierarchy, "1/a", (2, 3))
    tree = xr.open_datatree(hierarchy, engine="zarrscope")
    assert_centres(tree["0"].to_dataset(), Affine(*TRANSFORM), (4, 6))
    assert_centres(tree["1"].to_dataset(), Affine(*coarse), (2, 3))


def test_levels_in_one_group_have_dimensions_of_their_own(hierarchy: zarrcore.Hierarchy) -> None:
    array_in(hierarchy, "0", (4, 6), **{"spatial:transform": TRANSFORM})
    array_in(hierarchy, "1", (2, 3), **{"spatial:transform": [20.0, 0.0, 0.0, 0.0, -20.0, 0.0]})
    dataset = opened(hierarchy)
    assert dataset["1"].dims == ("y_1", "x_1")
    assert dataset["x_1"].values.tolist() == [10, 30, 50]
    assert_centres(dataset, Affine(*TRANSFORM), (4, 6))


def test_arrays_with_coordinates_count_more(hierarchy: zarrcore.Hierarchy) -> None:
    array_in(hierarchy, "a", **{"spatial:transform": TRANSFORM})
    hierarchy.create_array("x", shape=(5,), dtype="f8", dimension_names=("x",))[...] = np.arange(5)
    dataset = opened(hierarchy)
    assert dataset["x"].values.tolist() == [0, 1, 2, 3, 4]
    assert dataset["y"].values[0] == 4_599_995
    assert "y" not in opened(hierarchy, drop_variables=["y"]).coords


def test_what_has_no_coordinates(hierarchy: zarrcore.Hierarchy) -> None:
    array_in(hierarchy, "rotated/a", **{"spatial:transform": [10, 1, 0, 1, -10, 0]})
    assert not opened(hierarchy, "rotated").coords
    array_in(hierarchy, "plain/a", **{"proj:code": "EPSG:32633"})
    assert not opened(hierarchy, "plain").coords
    array_in(hierarchy, "both/a", **{"spatial:transform": TRANSFORM})
    array_in(hierarchy, "both/b", **{"spatial:transform": [10.5, 0, 0, 0, -10.0, 4_600_000.0]})
    with pytest.warns(
        UserWarning, match="the dimension x has no coordinates: the transforms of its arrays differ"
    ):
        dataset = opened(hierarchy, "both")
    assert [*dataset.coords] == ["y"]
