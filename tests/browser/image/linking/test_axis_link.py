"""Positions along one axis as positions along another, against simple arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.image.linking.axis_link import Basis, by_extent, by_index, by_labels, by_rulers
from zarrbrowser.image.linking.rulers import Ruler

lengths = st.integers(1, 10_000)
positions = st.floats(-100, 10_100)
spacings = st.floats(0.01, 100) | st.floats(-100, -0.01)


@given(lengths, positions)
def test_by_index_nothing_changes(length: int, position: float) -> None:
    link = by_index(length)
    assert link.place(position) == position
    assert link.basis is Basis.INDEX
    element = math.floor(position + 0.5)
    if abs(position + 0.5 - round(position + 0.5)) > 1e-4:
        assert link.nearest(position) == (element if 0 <= element < length else None)


@given(lengths, lengths, positions)
def test_by_extent_ends_are_ends(one: int, other: int, position: float) -> None:
    link, back = by_extent(one, other), by_extent(other, one)
    assert link.place(-0.5) == pytest.approx(-0.5)
    assert link.place(one - 0.5) == pytest.approx(other - 0.5)
    there = link.place(position)
    assert there is not None
    assert there == pytest.approx((position + 0.5) * other / one - 0.5, abs=1e-6)
    assert back.place(there) == pytest.approx(position, abs=1e-6)


@given(st.floats(-1e3, 1e3), spacings, st.floats(-1e3, 1e3), spacings, positions)
def test_by_size_equal_numbers_correspond(
    start: float, step: float, other_start: float, other_step: float, position: float
) -> None:
    link = by_rulers(Ruler("m", start, step), Ruler("m", other_start, other_step), 100)
    assert link is not None
    assert link.basis is Basis.SIZE
    place = link.place(position)
    assert place is not None
    number = start + step * position
    assert place == pytest.approx((number - other_start) / other_step, abs=1e-6)
    assert link.holds(place) == (-0.5 - 1e-6 <= place < 99.5 + 1e-6)
    index = link.nearest(position)
    if index is not None:
        assert all(
            abs(other_start + other_step * index - number)
            <= abs(other_start + other_step * one - number) + 1e-3
            for one in range(100)
        )


@given(positions, st.floats(0.1, 1000), spacings)
def test_ranges_rise_also_if_the_other_axis_falls(low: float, size: float, step: float) -> None:
    link = by_rulers(Ruler("m"), Ruler("m", 0.0, step), 10)
    assert link is not None
    found = link.range((low, low + size))
    assert found is not None
    assert found[0] < found[1]
    assert found[1] - found[0] == pytest.approx(size / abs(step), rel=1e-3)


def test_units_must_be_the_same() -> None:
    assert by_rulers(Ruler("K"), Ruler("Pa"), 10) is None


def test_labels_correspond_to_equal_labels() -> None:
    link = by_labels(["a", "b", "c"], ["c", "a", "c"])
    assert link is not None
    assert [link.nearest(n) for n in (-1, 0, 1, 2, 3)] == [None, 1, None, 0, None]
    assert link.place(2.25) == 0.25
    assert link.range((0.0, 1.0)) is None
    assert by_labels(["a"], ["b"]) is None


def test_a_range_of_nothing_is_none() -> None:
    assert by_index(4).range((1.0, 1.0)) is None


@given(st.floats(-720, 720), st.integers(-720, 720), st.integers(-720, 720), st.booleans())
def test_longitudes_begin_again_after_360_degrees(
    position: float, first: int, other_first: int, falls: bool
) -> None:
    other = Ruler("°E", other_first + 359 if falls else other_first, -1.0 if falls else 1.0)
    link = by_rulers(Ruler("°E", first, 1.0), other, 360)
    assert link is not None
    place = link.place(position)
    assert place is not None
    assert link.holds(place)
    apart = (first + position - other.value(place)) / 360
    assert apart == pytest.approx(round(apart), abs=1e-6)


def test_the_same_longitudes_are_in_view() -> None:
    told = [np.arange(start, start + 360.0, 4.0) for start in (0, -180)]
    east, centred = (Ruler("°E", values=values) for values in told)
    link = by_rulers(east, centred, 90)
    assert link is not None
    assert link.range((80.0, 85.0)) == (35.0, 40.0)  # 320 to 340 is -40 to -20
    assert link.range((39.0, 48.0)) == (84.0, 93.0)  # over the seam
    assert link.range((-0.5, 89.5)) == (-0.5, 89.5)
    assert link.range((-10.5, 99.5)) == (-10.5, 99.5)
    region = by_rulers(east, Ruler("°E", values=np.arange(-40.0, -20.0)), 20)
    assert region is not None
    assert region.range((80.0, 82.0)) == (0.0, 8.0)
    assert region.nearest(70) is None  # 280 is -80
    assert region.range((-0.5, 89.5)) == (-322.0, 38.0)  # the region is in it, at its place
    plain = by_rulers(Ruler("°", values=told[0]), Ruler("°", values=told[1]), 90)
    assert plain is not None
    assert plain.nearest(85) is None
