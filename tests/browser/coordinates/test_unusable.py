"""What is wrong with coordinates that are not shown, or not as dates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.coordinates.coordinates import coordinates_of
from zarrbrowser.coordinates.unusable import unusable_coordinates
from zarrbrowser.image.levels import image_of_array


def said(length: int, **attributes: Any) -> tuple[str, ...]:
    time = FakeArray(np.arange(length))
    time.attributes = attributes
    group = FakeGroup({"v": FakeArray(np.zeros((4, 5)), ("time", "x")), "time": time})
    image = image_of_array(group.find("/v"))
    return unusable_coordinates(image, coordinates_of(image, group.find), group.find)


@pytest.mark.parametrize(
    ("length", "attributes", "expected"),
    [
        (3, {}, "/time has 3 coordinates for an axis of 4: the axis shows indices instead."),
        (
            4,
            {"units": "days since 2000-01-01", "calendar": "martian"},
            "The calendar 'martian' of /time is not supported: its times are shown as numbers.",
        ),
        (
            4,
            {"units": "months since 2000-01-31"},
            "The unit 'months since 2000-01-31' of /time is not supported: its times are shown as numbers.",
        ),
    ],
)
def test_coordinates_that_cannot_be_used_are_named(
    length: int, attributes: dict[str, Any], expected: str
) -> None:
    assert said(length, **attributes) == (expected,)


@pytest.mark.parametrize(
    "attributes", [{}, {"units": "days since 2000-01-01", "calendar": "noleap"}, {"units": "days"}]
)
def test_usable_coordinates_and_their_absence_are_not_mentioned(attributes: dict[str, Any]) -> None:
    assert said(4, **attributes) == ()  # the axis x has none
