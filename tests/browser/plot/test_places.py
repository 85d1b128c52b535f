"""Places of elements along the axis of a plot."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.plot.places import Places, places_along
from zarrbrowser.plot.series import outline_at


def places(values: list[float], *, is_log: bool = False) -> Places | None:
    return places_along(Coordinate("x", "m", np.array(values)), is_log=is_log)


@pytest.mark.parametrize(
    "values",
    [
        [0.0, 1, 2, 3],
        [9.0, 6, 3, 0],
        [0.0, 2, 1],
        [0.0, np.nan, 5],
        [1.0],
        [2.0, 2],
        [-1.7e308, 0, 1, 1.7e308],
    ],
)
def test_even_coordinates_and_those_without_an_order_need_no_places(values: list[float]) -> None:
    assert places(values) is None


def test_names_and_missing_coordinates_need_none() -> None:
    assert places_along(None, is_log=False) is None
    assert places_along(Coordinate("x", "", np.array(["a", "b"])), is_log=True) is None
    dates = np.array(["2001-01-01", "2001-01-02", "2001-01-09"], "M8[D]")
    assert places_along(Coordinate("time", "", dates), is_log=True) is None
    found = places_along(Coordinate("time", "", dates), is_log=False)
    assert found is not None
    assert found.at.tolist() == [0, 0.25, 2]


@pytest.mark.parametrize("dates", [["NaT", "1960-01-02", "1960-02-01"], ["1960-01-02", "1950-01-01", "NaT"]])
def test_dates_of_which_one_is_missing_need_none(dates: list[str]) -> None:
    """Before 1970, it must not be taken for the earliest date."""
    coordinate = Coordinate("time", "", np.array(dates, "M8[D]"))
    assert places_along(coordinate, is_log=False) is None
    assert [text for _, text in coordinate.ticks(0, 2, 6)] == [coordinate.text(n) for n in range(3)]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_elements_are_as_far_apart_as_their_coordinates(sign: float) -> None:
    found = places([sign * 0.0, sign * 1, sign * 4, sign * 10])
    assert found is not None
    assert found.at.tolist() == pytest.approx([0, 0.3, 1.2, 3])
    ticks = {text.lstrip("-"): place for place, text in found.ticks(0, 3, 6)}
    assert {text: ticks[text] for text in ("2", "4", "10")} == pytest.approx({"2": 0.6, "4": 1.2, "10": 3})
    assert [found.nearest(place) for place in (-1, 0.1, 0.2, 0.74, 0.76, 5)] == [0, 0, 1, 1, 2, 3]


@pytest.mark.parametrize("values", [[-5.0, 0, 1, 10, 1000], [1000.0, 10, 1, 0, -5]])
def test_logarithms_are_those_of_the_coordinates(values: list[float]) -> None:
    found = places(values, is_log=True)
    assert found is not None
    assert found.at.tolist() == [0, 1, 3]
    assert [values[element] for element in found.elements] == [1, 10, 1000]
    assert (found.left_out, values[found.nearest(2.9)]) == (2, 1000)
    assert places([-2.0, -1], is_log=True).nearest(0) == -1  # type: ignore[union-attr]


@pytest.mark.parametrize("is_falling", [False, True])
@pytest.mark.parametrize("is_log", [False, True])
def test_the_outline_keeps_each_extreme_where_it_is(is_log: bool, is_falling: bool) -> None:
    values = np.geomspace(1, 1e6, 100_000)
    numbers = np.random.default_rng(1).normal(size=values.size)
    numbers[[300, 99_000]] = 50, -70
    if is_falling:
        values, numbers = values[::-1], numbers[::-1]
    found = places_along(Coordinate("x", "", values), is_log=is_log)
    assert found is not None
    line = outline_at(found, numbers, found.at[0], found.at[-1], 500)
    assert (line.y.max(), line.y.min(), line.elements) == (50, -70, None)
    assert line.x.size <= 1000
    assert (np.diff(line.x) >= 0).all()
    for extreme in (50, -70):
        true = found.at[np.flatnonzero(numbers[found.elements] == extreme)[0]]
        assert abs(line.x[line.y == extreme][0] - true) <= (found.at[-1] - found.at[0]) / 500
    few = outline_at(found, numbers, found.at[50], found.at[60], 500)
    assert few.elements is not None
    assert (few.per_pixel, few.elements[1]) == (1, found.elements[50])
    assert np.array_equal(few.y, numbers[few.elements])
    empty = Places(found.coordinate, np.empty(0), np.empty(0, int))
    assert outline_at(empty, numbers, 0, 1, 500).y.size == 0
