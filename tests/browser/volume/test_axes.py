"""A volume has three axes in space: by their names, or the last three."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup
from tests.browser.volume.volumes import group, image, image_of
from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.volume.axes import VolumeAxes, may_be_volume, volume_axes
from zarrcore.conventions.cf import Direction


def axes_of(found: Any, **settings: Any) -> VolumeAxes | None:
    from dataclasses import replace

    return volume_axes(found, replace(initial_settings(found), **settings), {})


@pytest.mark.parametrize(
    ("shape", "names", "expected"),
    [
        ((4, 5, 6), None, (0, 1, 2)),
        ((2, 4, 5, 6), None, (1, 2, 3)),
        ((4, 5, 6), ("x", "y", "z"), (2, 1, 0)),
        ((3, 4, 5, 6), ("time", "lev", "lat", "lon"), (1, 2, 3)),
        ((4, 3, 5, 6), ("z", "angle", "y", "x"), (0, 2, 3)),
        ((4, 5, 6), ("velocity", "dec", "ra"), (0, 1, 2)),
        ((4, 5, 6), ("time", "lat", "lon"), None),
        ((1, 5, 6), ("z", "y", "x"), None),
        ((4, 1, 6), ("z", "y", "x"), None),
        ((5, 6), ("y", "x"), None),
    ],
)
def test_the_axes_are_chosen_by_name_and_place(
    shape: tuple[int, ...], names: Any, expected: tuple[int, int, int] | None
) -> None:
    values = np.zeros(shape, "u2")
    found = axes_of(image_of(values, names))
    assert (None if found is None else found.all) == expected
    assert may_be_volume(FakeArray(values, names)) == (expected is not None)


def test_colours_and_text_are_no_axes_of_a_volume() -> None:
    assert not may_be_volume(FakeArray(np.zeros((5, 6, 3), "u1")))
    found = axes_of(image_of(np.zeros((4, 5, 6, 3), "u1")))
    assert found is not None
    assert found.all == (0, 1, 2)
    assert not may_be_volume(FakeArray(np.zeros((4, 5, 6), "U3")))


def test_groups_are_volumes_by_the_axes_in_their_attributes() -> None:
    assert may_be_volume(group())
    assert not may_be_volume(group(shape=(2, 24, 32), axes="cyx"))
    assert not may_be_volume(group(shape=(2, 24, 32), axes="tyx"))
    assert not may_be_volume(FakeGroup())
    assert not may_be_volume(FakeBroken(ValueError()))
    old = FakeGroup({}, {"multiscales": [{"datasets": [{"path": "0"}]}]})
    assert may_be_volume(old), "the first versions of OME-NGFF have five axes, which they do not name"
    layout = {"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]}
    geo = FakeGroup({}, {"zarr_conventions": [{"name": "multiscales"}], "multiscales": layout})
    assert not may_be_volume(geo)
    newer = FakeGroup({}, {"ome": group().attributes | {"version": "0.5"}})
    assert may_be_volume(newer)


def test_lengths_are_those_of_the_scale_in_one_unit() -> None:
    found = axes_of(image())
    assert found == VolumeAxes(2, 3, 4, (2.0, 0.5, 0.5), "micrometer")


def test_lengths_of_different_units_are_converted() -> None:
    made = group(levels=1)
    made.attributes["multiscales"][0]["axes"][2]["unit"] = "nanometer"
    from zarrbrowser.image.multiscales import image_of_group

    found = axes_of(image_of_group(made, made.find))
    assert found is not None
    assert found.lengths == pytest.approx((0.002, 0.5, 0.5))


def test_elements_are_cubes_where_units_cannot_be_compared() -> None:
    made = group(levels=1)
    made.attributes["multiscales"][0]["axes"][2]["unit"] = "second"
    from zarrbrowser.image.multiscales import image_of_group

    found = axes_of(image_of_group(made, made.find))
    assert found is not None
    assert (found.lengths, found.unit) == ((1.0, 1.0, 1.0), "")


def test_rows_and_columns_are_those_of_the_image_tab() -> None:
    one = image()
    settings = initial_settings(one)
    turned = settings.with_picture_axes(one, 4, 2)
    found = volume_axes(one, turned, {})
    assert found is not None
    assert found.all == (3, 4, 2)
    assert found.lengths == (0.5, 0.5, 2.0)
    over_time = settings.with_picture_axes(one, 0, 4)
    found = volume_axes(one, over_time, {})
    assert found is not None
    assert found.all == (2, 3, 4), "time is no axis of a volume"


def test_axes_run_as_their_coordinates_and_the_flips_of_the_image_tab_say() -> None:
    one = image_of(np.zeros((4, 5, 6), "f4"), ("lev", "lat", "lon"))
    north = Coordinate("lat", "°", np.linspace(-80, 80, 5), Direction.UP)
    settings = initial_settings(one)
    found = volume_axes(one, settings, {1: north})
    assert found is not None
    assert found.reverses == (False, True, False)
    from dataclasses import replace

    found = volume_axes(one, replace(settings, flip_rows=True, flip_columns=True), {1: north})
    assert found is not None
    assert found.reverses == (False, False, True)
