"""Another array is matched by the names of its axes; what differs is said, what does not fit is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import pyramid
from zarrbrowser.coordinates.coordinates import coordinates_of
from zarrbrowser.image.calculations.comparison import CannotCompareError, Comparison, OtherArray
from zarrbrowser.image.calculations.other_array import open_other
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import initial_settings

FIRST = np.arange(36, dtype=np.uint8).reshape(2, 3, 6)


def opened(other: Any, **more: Any) -> tuple[Any, Any]:
    """The settings of a picture that is compared with another array, and the picture's image."""
    group = FakeGroup({"a": FakeArray(FIRST, ("t", "y", "x")), "b": other, **more})
    image = image_of_array(group.find("/a"))
    settings = initial_settings(image)
    found = open_other(
        image, settings.axes, "/b", group.find("/b"), group.find, coordinates_of(image, group.find)
    )
    return replace(settings, comparison=Comparison(address="/b"), other=found), image


def difference(settings: Any, image: Any, time: int) -> Any:
    settings = replace(settings, axes=settings.axes.at(0, time))
    return Raster.of(image.levels[0], settings.planes(image)[0]).read((slice(0, 3), slice(0, 6)))


def test_axes_are_those_of_the_same_names_and_other_positions_follow() -> None:
    second = np.random.default_rng(2).integers(0, 255, (6, 2, 3))
    settings, image = opened(FakeArray(second, ("x", "t", "y")))
    for time in (0, 1):
        expected = FIRST[time].astype(int) - second[:, time].T.astype(int)
        assert (difference(settings, image, time) == expected).all()


def test_axes_without_names_are_matched_by_place() -> None:
    second = np.random.default_rng(2).normal(size=(3, 6))
    settings, image = opened(FakeArray(second))
    assert np.allclose(difference(settings, image, 1), FIRST[1] - second)


def test_an_axis_of_another_length_stays_where_it_is() -> None:
    second = np.random.default_rng(2).normal(size=(7, 3, 6))
    settings, image = opened(FakeArray(second, ("t", "y", "x")))
    assert np.allclose(difference(settings, image, 1), FIRST[1] - second[0])  # times start at the first one


def notes(settings: Any) -> tuple[str, ...]:
    other = settings.other
    assert isinstance(other, OtherArray)
    return other.notes


def test_other_units_and_coordinates_are_said() -> None:
    second = FakeArray(FIRST, ("t", "y", "x"))
    assert notes(opened(second)[0]) == ()
    second.attributes = {"units": "K"}
    assert notes(opened(second)[0]) == ("The units differ: mm and K.",)
    second.attributes = {"units": "mm"}
    lat = FakeArray(np.linspace(0, 1, 3))
    assert notes(opened(second, y=lat)[0]) == ()
    inner = FakeGroup({"b": second, "y": FakeArray(np.linspace(0, 2, 3))})
    group = FakeGroup({"a": FakeArray(FIRST, ("t", "y", "x")), "y": lat, "inner": inner})
    image = image_of_array(group.find("/a"))
    axes = initial_settings(image).axes
    found = open_other(
        image, axes, "/inner/b", group.find("/inner/b"), group.find, coordinates_of(image, group.find)
    )
    assert found.notes == ("The coordinates differ: y.",)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (
            FakeArray(np.zeros((2, 3, 5)), ("t", "y", "x")),
            "The planes of /b are 3 × 5, those of the picture 3 × 6.",
        ),
        (FakeArray(np.zeros(4)), "/b has no planes."),
        (FakeArray(np.zeros((3, 0))), "/b has no planes."),
        (FakeArray(np.zeros((3, 4), "M8[s]")), "The elements of /b are not plain numbers."),
        (FakeArray(np.zeros((3, 4), "S3")), "The elements of /b are not plain numbers."),
        (FakeGroup(), "/b is not an array."),
    ],
)
def test_what_does_not_fit_is_refused(other: Any, why: str) -> None:
    with pytest.raises(CannotCompareError) as raised:
        opened(other)
    assert str(raised.value) == why


def test_levels_of_a_pyramid_are_those_that_both_images_have() -> None:
    group, arrays = pyramid(64, 3)
    other, _ = pyramid(64, 2)
    root = FakeGroup({"a": group, "b": other})
    from zarrbrowser.image.multiscales import image_of_group

    image = image_of_group(root.find("/a"), root.find)
    settings = initial_settings(image)
    found = open_other(image, settings.axes, "/b", root.find("/b"), root.find, {})
    settings = replace(settings, comparison=Comparison(address="/b"), other=found)
    drawn = settings.drawn_image(image)
    assert [level.array for level in drawn.levels] == arrays[:2]
    for level in drawn.levels:
        one = Raster.of(level, settings.planes(image)[0])
        assert (one.read((slice(0, 32), slice(0, 32))) == 0).all()


def test_one_box_switches_the_masks_of_both_arrays() -> None:
    counts = np.arange(36, dtype=np.uint32).reshape(2, 3, 6)
    counts[0, 0, 0] = 2**32 - 1
    group = FakeGroup({"a": FakeArray(counts, ("t", "y", "x")), "b": FakeArray(counts, ("t", "y", "x"))})
    image = image_of_array(group.find("/a"))
    settings = initial_settings(image)
    found = open_other(image, settings.axes, "/b", group.find("/b"), group.find, {})
    assert "Elements of 4,294,967,295 are masked." in found.notes
    settings = replace(settings, comparison=Comparison(address="/b"), other=found)
    assert np.isnan(difference(settings, image, 0)[0, 0])
    settings = replace(settings, elements=replace(settings.elements, masks_largest=False))
    assert difference(settings, image, 0)[0, 0] == 0
