"""Which positions of axes and colour bars are labelled."""

from __future__ import annotations

import math

import numpy as np
import pytest

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.export.figures.scales import Scale, colour_ticks
from zarrbrowser.image.colours.norm import Norm, spread


def test_indices_are_whole_and_a_turned_axis_has_the_same_labels() -> None:
    scale = Scale("y", -0.5, 2.5, is_whole=True)
    assert scale.ticks(10) == [(0, "0"), (1, "1"), (2, "2")]
    assert Scale("y", 2.5, -0.5, is_whole=True).ticks(10) == scale.ticks(10)


def test_coordinates_and_dates_take_the_place_of_indices() -> None:
    depth = Coordinate("z", "m", np.array([0.0, 10.0, 20.0]))
    assert Scale("z (m)", -0.5, 2.5, depth, is_whole=True).ticks(3) == [(0.0, "0"), (1.0, "10"), (2.0, "20")]
    days = Scale("when", 0.0, 2.0, dates=np.dtype("M8[D]"))
    assert [text for _, text in days.ticks(3)] == ["1970-01-01", "1970-01-02", "1970-01-03"]


@pytest.mark.parametrize("ends", [(1.0, 1.0), (math.nan, 1.0), (0.0, math.inf), (1e300, 1e300 * (1 + 1e-16))])
def test_an_axis_without_a_length_has_no_labels(ends: tuple[float, float]) -> None:
    assert Scale("x", *ends).ticks(5) == []


@pytest.mark.parametrize("norm", Norm)
@pytest.mark.parametrize("levels", [(0.0, 1000.0), (-50.0, 20.0), (1e-5, 1e5), (3.0, 4.0)])
def test_the_labels_of_a_colour_bar_are_where_their_colours_are(
    norm: Norm, levels: tuple[float, float]
) -> None:
    ticks = colour_ticks(norm, levels, 6)
    places = [place for place, _ in ticks]
    assert places == sorted(places)
    assert all(-1e-6 <= place <= 1 + 1e-6 for place in places)
    for place, text in ticks:
        if "×" not in text and "10" not in text:
            value = np.array([float(text.replace(",", ""))])
            assert spread(value, norm, levels)[0] == pytest.approx(place, abs=0.02)


def test_integers_that_floats_cannot_hold_are_written_in_full() -> None:
    low = 2**60
    assert colour_ticks(Norm.LINEAR, (low, low + 4), 4)[1] == (0.25, f"{low + 1:,}")
