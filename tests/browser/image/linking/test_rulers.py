"""Rulers against simple arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.linking.rulers import Ruler, Scale, comparable, ruler_of, rulers_of

numbers = st.floats(-1e6, 1e6)
spacings = st.floats(1e-3, 1e3) | st.floats(-1e3, -1e-3)


@given(numbers, spacings, st.floats(-1e4, 1e4))
def test_even_positions_are_a_line(origin: float, spacing: float, position: float) -> None:
    ruler = Ruler("", origin, spacing)
    assert ruler.value(position) == origin + spacing * position
    assert ruler.position(ruler.value(position)) == pytest.approx(position, abs=1e-3)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20), st.booleans(), st.data())
def test_uneven_positions_are_a_line_between_neighbours(
    steps: list[int], falls: bool, data: st.DataObject
) -> None:
    values = np.concatenate([[0], np.cumsum(steps)]).astype(np.float64) * (-1 if falls else 1)
    ruler = ruler_of(Coordinate("x", "K", values))
    assert ruler is not None
    index = data.draw(st.integers(0, len(steps) - 1))
    part = data.draw(st.floats(0, 1))
    expected = values[index] + part * (values[index + 1] - values[index])
    assert ruler.value(index + part) == pytest.approx(expected)
    assert ruler.position(expected) == pytest.approx(index + part)
    # Beyond the ends the last step goes on.
    assert ruler.value(-part) == pytest.approx(values[0] - part * (values[1] - values[0]))
    assert ruler.value(len(steps) + part) == pytest.approx(values[-1] + part * (values[-1] - values[-2]))
    assert ruler.position(ruler.value(len(steps) + part)) == pytest.approx(len(steps) + part)


def test_dates_are_compared_whatever_their_precision() -> None:
    days = ruler_of(Coordinate("time", "", np.array(["2020-01-01", "2020-01-02"], "datetime64[D]")))
    hours = ruler_of(Coordinate("time", "", np.array(["2020-01-01T06", "2020-01-01T18"], "datetime64[h]")))
    assert days is not None
    assert hours is not None
    found = comparable(days, hours)
    assert found is not None
    assert found[1].position(found[0].value(0.5)) == pytest.approx(0.5)  # noon


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.0, 1.0, 1.0]),
        np.array([0.0, 2.0, 1.0]),
        np.array([0.0, np.nan]),
        np.array(["a", "b"]),
        np.array(["2020-01-01", "NaT"], "datetime64[D]"),
        np.array([], np.float64),
    ],
)
def test_other_coordinates_are_no_ruler(values: np.ndarray) -> None:
    assert ruler_of(Coordinate("x", "", values)) is None


def test_lengths_are_compared_in_metres() -> None:
    scale = Scale((0.5, 0.5), (0.0, 1.0), ("micrometer", "second"))
    length, time = scale.ruler(0), scale.ruler(1)
    told = ruler_of(Coordinate("y", "nm", np.array([0.0, 250.0, 500.0])))
    assert length is not None
    assert time is not None
    assert told is not None
    found = comparable(length, told)
    assert found is not None
    assert found[1].position(found[0].value(1)) == pytest.approx(2.0)
    assert comparable(length, time) is None
    assert Scale((0.0,), (0.0,), ()).ruler(0) is None


def test_a_single_coordinate_has_the_spacing_of_the_other_axis() -> None:
    single = ruler_of(Coordinate("time", "h", np.array([12.0])))
    many = ruler_of(Coordinate("time", "h", np.array([0.0, 6.0, 12.0, 18.0])))
    assert single is not None
    assert many is not None
    found = comparable(many, single)
    assert found is not None
    assert [found[1].position(found[0].value(n)) for n in range(4)] == [-2.0, -1.0, 0.0, 1.0]
    assert comparable(single, single) is not None


def test_coordinates_come_before_the_scale() -> None:
    coordinate = Coordinate("x", "K", np.array([5.0, 7.0]))
    found = rulers_of({1: coordinate}, Scale((1.0, 3.0), (0.0, 0.0), ("", "")), 2)
    assert found[0].value(1) == 1.0
    assert found[1].value(1) == 7.0
    assert rulers_of({}, None, 2) == {}
