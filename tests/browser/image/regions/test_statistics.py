"""Statistics of regions, compared with NumPy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.image.levels import Channel, Image, image_of_array, level_of, whole
from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.image.regions.statistics import cost_of, measure_region
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.maps.areas import areas_km2
from zarrbrowser.maps.geography import Geography, SeparateGrid
from zarrbrowser.nodes.read_cost import Cancelled

PLANE = np.random.default_rng(2).normal(1e6, 1, size=(700, 900)).astype(np.float64)
BOX = ((39.5, 19.5), (639.5, 819.5))


@pytest.mark.parametrize("shape", list(Shape))
def test_statistics_across_many_chunks(shape: Shape) -> None:
    image = image_of_array(FakeArray(PLANE, chunks=(64, 64)))
    points = ((40.0, 20.0), (600.0, 300.0), (100.0, 850.0)) if shape is Shape.POLYGON else BOX
    region = Region("", shape, points)
    told: list[float] = []
    found = measure_region(image, initial_settings(image), region, progress=told.append)
    inside = PLANE[region.mask((slice(0, 700), slice(0, 900)))]
    (one,) = found.channels
    assert (found.size, one.known, found.area, found.unit) == (inside.size, inside.size, inside.size, "")
    assert one.mean == pytest.approx(inside.mean(), rel=1e-13)
    assert one.deviation == pytest.approx(inside.std(), rel=1e-9)
    assert (one.minimum, one.maximum) == (inside.min(), inside.max())
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)


def blended() -> tuple[Image, np.ndarray]:
    values = np.stack([PLANE[:40, :60], PLANE[:40, :60] * 2, PLANE[:40, :60] * 3])
    levels = (whole(FakeArray(values)), level_of(values.shape, FakeArray(values[:, ::2, ::2])))
    channels = tuple(Channel(name, (255, 0, 0), is_on=name == "b") for name in "abc")
    units, spacing = ("", "micrometer", "micrometer"), (1.0, 0.5, 0.25)
    image = Image("/i", levels, ("c", "y", "x"), units, spacing, (0.0,) * 3, 0, channels, is_blended=True)
    return image, values


def test_all_channels_are_measured_at_the_finest_level_in_physical_units() -> None:
    image, values = blended()
    found = measure_region(
        image, initial_settings(image), Region("", Shape.RECTANGLE, ((-0.5, -0.5), (9.5, 19.5)))
    )
    assert [one.channel for one in found.channels] == ["a", "b", "c"]
    assert [one.mean for one in found.channels] == pytest.approx(
        [values[n, :10, :20].mean() for n in range(3)]
    )
    assert (found.size, found.area, found.unit) == (200, 200 * 0.125, "micrometer")


def test_colours_are_measured_one_by_one() -> None:
    picture = np.random.default_rng(1).integers(0, 255, (20, 30, 3), dtype=np.uint8)
    image = image_of_array(FakeArray(picture))
    found = measure_region(
        image, initial_settings(image), Region("", Shape.RECTANGLE, ((-0.5, -0.5), (19.5, 29.5)))
    )
    assert [one.channel for one in found.channels] == ["red", "green", "blue"]
    assert [one.maximum for one in found.channels] == [picture[..., n].max() for n in range(3)]
    assert found.size == 600


def test_missing_values_do_not_count() -> None:
    values = PLANE[:10, :10].copy()
    values[0, :5], values[1, :5], values[2, 0] = np.nan, -1, np.inf
    image = image_of_array(FakeArray(values))
    settings = initial_settings(image)
    settings = replace(settings, elements=replace(settings.elements, fill=(-1.0,)))
    found = measure_region(image, settings, Region("", Shape.RECTANGLE, ((-0.5, -0.5), (9.5, 9.5))))
    assert (found.size, found.channels[0].known) == (100, 89)
    nothing = measure_region(image, settings, Region("", Shape.RECTANGLE, ((-0.5, -0.5), (1.5, 4.5))))
    assert nothing.channels[0].known == 0
    assert math.isnan(nothing.channels[0].mean)


@pytest.mark.parametrize(
    "box", [((-50.0, -50.0), (-20.0, -20.0)), ((3.1, 3.1), (3.4, 3.4)), ((1e12, 0), (2e12, 9))]
)
def test_regions_without_elements(box: tuple[tuple[float, float], tuple[float, float]]) -> None:
    array = FakeArray(PLANE[:10, :10])
    image = image_of_array(array)
    found = measure_region(image, initial_settings(image), Region("", Shape.ELLIPSE, box))
    assert (found.size, found.area) == (0, 0)
    assert array.selections == []


def test_the_cost_counts_whole_chunks_of_all_channels() -> None:
    image, _ = blended()
    region = Region("", Shape.RECTANGLE, ((-0.5, -0.5), (0.5, 0.5)))
    cost = cost_of(image, initial_settings(image), [region, region])
    assert cost.nbytes == 2 * 3 * 3 * 40 * 60 * 8


def test_measuring_is_cancelled_between_tiles() -> None:
    array = FakeArray(PLANE, chunks=(64, 64))
    image = image_of_array(array)
    with pytest.raises(Cancelled):
        measure_region(
            image,
            initial_settings(image),
            Region("", Shape.RECTANGLE, BOX),
            lambda: len(array.selections) > 1,
        )
    assert len(array.selections) == 2


def test_the_area_on_earth_is_in_square_kilometres() -> None:
    image = image_of_array(FakeArray(PLANE[:37, :72], chunks=(10, 10)))
    grid = SeparateGrid(np.linspace(90, -90, 37), np.arange(0, 360, 5.0))
    geography, settings = Geography((0, 1), grid), initial_settings(image)
    region = Region("", Shape.RECTANGLE, ((-0.5, -0.5), (20.5, 30.5)))
    found = measure_region(image, settings, region, geography=geography)
    plane = geography.plane(settings.axes)
    assert plane is not None
    assert found.area == pytest.approx(areas_km2(plane, (slice(0, 21), slice(0, 31))).sum())
    assert found.unit == "kilometer"
    other = measure_region(image, settings, region, geography=Geography((1, 2), grid))
    assert (other.area, other.unit) == (found.size, "")


def test_means_on_earth_are_weighted_by_area() -> None:
    latitudes = np.linspace(87.5, -87.5, 36)
    values = np.repeat(latitudes[:, None], 72, axis=1)
    image = image_of_array(FakeArray(values, chunks=(10, 10)))
    geography = Geography((0, 1), SeparateGrid(latitudes, np.arange(0, 360, 5.0)))
    region = Region("", Shape.RECTANGLE, ((-0.5, -0.5), (17.5, 71.5)))
    found = measure_region(image, initial_settings(image), region, geography=geography)
    weights = np.diff(np.sin(np.radians(np.linspace(90, 0, 19))))
    one = found.channels[0]
    mean = np.average(latitudes[:18], weights=weights)
    assert found.is_by_area
    assert one.mean == pytest.approx(mean)
    assert one.deviation == pytest.approx(
        np.sqrt(np.average((latitudes[:18] - mean) ** 2, weights=weights)), rel=1e-6
    )
    plain = measure_region(image, initial_settings(image), region)
    assert not plain.is_by_area
    assert plain.channels[0].mean == pytest.approx(latitudes[:18].mean())
