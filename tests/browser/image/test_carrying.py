"""The view of a variable carries over to the next one of its grid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.image.carrying import carried
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.maps.projection import Projection

RANGE = Contrast(ContrastMode.FIXED, 250.0, 300.0)


def variable(
    names: tuple[str | None, ...] = ("lat", "lon"), shape: tuple[int, ...] = (3, 4), **told: Any
) -> FakeArray:
    array = FakeArray(np.zeros(shape, np.float32), names)
    array.attributes = {"units": "K", **told}
    return array


def after(first: FakeArray, second: FakeArray, **changed: Any) -> ViewSettings:
    before = replace(
        initial_settings(image_of_array(first)),
        projection=Projection.ROBINSON,
        contours=True,
        contrast=RANGE,
        norm=Norm.SQRT,
        **changed,
    )
    image = image_of_array(second)
    return carried(initial_settings(image), image, before, first)


def test_the_next_variable_of_a_grid_has_the_same_projection_and_range() -> None:
    found = after(variable(), variable())
    assert (found.projection, found.contrast, found.norm) == (Projection.ROBINSON, RANGE, Norm.SQRT)
    found = after(variable(("time", "lat", "lon"), (5, 3, 4)), variable())
    assert found.contours
    assert found.projection is Projection.ROBINSON, "of one plane, the other of many"


@pytest.mark.parametrize("other", [{"units": "mm"}, {"units": ""}, {"flag_values": [0, 1]}])
def test_a_range_is_not_that_of_other_quantities(other: dict[str, Any]) -> None:
    found = after(variable(), variable(**other))
    assert found.projection is Projection.ROBINSON
    assert found.contrast == Contrast()


@pytest.mark.parametrize(
    "other",
    [
        variable(("y", "x")),
        variable(shape=(3, 5)),
        variable(grid_mapping="crs"),
        FakeArray(np.zeros((3, 4))),
    ],
)
def test_another_grid_begins_afresh(other: FakeArray) -> None:
    assert after(variable(), other) == initial_settings(image_of_array(other))
