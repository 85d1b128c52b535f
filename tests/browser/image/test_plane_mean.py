"""Means of rows and columns, compared with xarray and NumPy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from tests.browser.fakes import FakeArray
from tests.browser.maps.places import angles, opened, projected, written
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.levels import Channel, Image, image_of_array, whole
from zarrbrowser.image.plane_mean import PlaneMean
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.maps.areas import areas_km2
from zarrbrowser.maps.geography import geography_of
from zarrbrowser.nodes.read_cost import Cancelled

NORTH, EAST = np.arange(-88.0, 90, 4), np.arange(0.0, 360, 10)
random = np.random.default_rng(7)
FIELD = (280 + random.normal(size=(45, 36))).astype(np.float32)
FIELD[random.random(FIELD.shape) < 0.2] = np.nan
FIELD[5], FIELD[:, 9] = np.nan, np.nan


@pytest.fixture
def world(tmp_path: Path) -> PlaneMean:
    data = angles(NORTH, EAST, units="K")
    data["v"][:] = FIELD
    image, find = opened(written(tmp_path, data))
    return PlaneMean(image, initial_settings(image), 1, geography_of(image, find))


@pytest.mark.parametrize("turned", [False, True])
def test_zonal_and_meridional_means_are_those_of_xarray(world: PlaneMean, turned: bool) -> None:
    if turned:
        world = replace(
            world, settings=replace(world.settings, axes=world.settings.axes.with_rows(1))
        )  # longitudes run down
    field = xr.DataArray(FIELD.astype(np.float64), {"lat": NORTH, "lon": EAST}, ("lat", "lon"))
    weighted = field.weighted(np.cos(np.radians(field.lat)))
    assert (world.name, world.along) == ("zonal mean", 0)
    found = world.read()
    assert found.is_by_area
    assert found.curves[0].numbers == pytest.approx(field.mean("lon").values, nan_ok=True)
    assert np.isnan(found.curves[0].numbers).nonzero()[0].tolist() == [5]
    assert found.positions.tolist() == list(range(45))
    other = replace(world, over=0)
    assert (other.name, other.along) == ("meridional mean", 1)
    means = other.read().curves[0].numbers
    assert means == pytest.approx(weighted.mean("lat").values, nan_ok=True)
    assert means != pytest.approx(field.mean("lat").values, nan_ok=True), "weights matter"


def test_longitudes_that_are_unevenly_spaced_are_weighted_too(tmp_path: Path) -> None:
    east = np.array([0.0, 2, 4, 8, 16])
    data = angles([10.0, 20.0], east)
    data["v"][:] = [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]
    image, find = opened(written(tmp_path, data))
    found = PlaneMean(image, initial_settings(image), 1, geography_of(image, find)).read()
    widths = np.array([2, 2, 3, 6, 8])  # half of the way to each neighbour
    assert found.curves[0].numbers == pytest.approx([np.average([1, 2, 3, 4, 5], weights=widths)] * 2)


def test_rows_of_other_grids_are_not_zonal_but_count_by_area(tmp_path: Path) -> None:
    data = projected("EPSG:3413", np.linspace(-3e6, 3e6, 12), np.linspace(3e6, -3e6, 10))
    values = random.normal(size=(10, 12)).astype(np.float32)
    data["v"][:] = values
    image, find = opened(written(tmp_path, data))
    geography = geography_of(image, find)
    one = PlaneMean(image, initial_settings(image), 1, geography)
    assert one.name == "mean over x"
    plane = geography.plane(one.settings.axes)
    assert plane is not None
    areas = areas_km2(plane, (slice(0, 10), slice(0, 12)))
    expected = np.average(values.astype(np.float64), axis=1, weights=areas)
    assert one.read().curves[0].numbers == pytest.approx(expected)


def test_a_picture_without_a_place_is_read_tile_by_tile() -> None:
    values = random.normal(size=(3, 700, 900)).astype(np.float32)
    values[1, 300:, 20] = np.inf
    array = FakeArray(values, ("z", "y", "x"), (1, 100, 300))
    image = image_of_array(array)
    settings = initial_settings(image)
    shares: list[float] = []
    for over, axis in ((2, 1), (1, 0)):
        one = PlaneMean(image, settings, over)
        assert one.cost().chunks == 7 * 3
        found = one.read(progress=shares.append)
        known = np.where(np.isfinite(values[1]), values[1], np.nan).astype(np.float64)
        assert found.curves[0].numbers == pytest.approx(np.nanmean(known, axis=axis))
        assert not found.is_by_area
    assert shares[-1] == 1.0
    assert len(array.selections) > 4
    with pytest.raises(Cancelled):
        PlaneMean(image, settings, 1).read(lambda: True)


def test_each_channel_that_is_shown_has_a_curve() -> None:
    plane = random.normal(size=(20, 30)).astype(np.float32)
    channels = (
        Channel("one", (255, 0, 0), is_on=False),
        Channel("two", (0, 255, 0)),
        Channel("three", (0, 0, 255)),
    )
    array = FakeArray(np.stack([plane, plane * 2, plane * 3]))
    image = Image("/i", (whole(array),), ("c", "y", "x"), channel_axis=0, channels=channels, is_blended=True)
    found = PlaneMean(image, initial_settings(image), 1).read().curves
    assert [(one.channel, one.colour) for one in found] == [("two", (0, 255, 0)), ("three", (0, 0, 255))]
    for factor, one in zip((2, 3), found, strict=True):
        assert one.numbers == pytest.approx((plane * np.float32(factor)).mean(axis=0, dtype=np.float64))
    colours = random.integers(0, 255, (20, 30, 3), dtype=np.uint8)
    image = image_of_array(FakeArray(colours))
    found = PlaneMean(image, initial_settings(image), 1).read().curves
    assert [one.channel for one in found] == ["red", "green", "blue"]
    assert found[2].numbers == pytest.approx(colours[..., 2].mean(axis=1))


def test_computed_pictures_have_the_means_of_what_they_show() -> None:
    values = random.normal(size=(5, 20, 30))
    image = image_of_array(FakeArray(values, ("z", "y", "x")))
    settings = replace(initial_settings(image), reduction=Reduction(0, Statistic.MAXIMUM))
    found = PlaneMean(image, settings, 2).read().curves[0].numbers
    assert found == pytest.approx(values.max(axis=0).mean(axis=1))
