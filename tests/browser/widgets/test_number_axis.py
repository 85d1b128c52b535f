"""Labels along an axis are readable: they do not touch each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.widgets.number_axis import NumberAxis

HOURS = np.datetime64("2001-02-03T04", "h") + np.arange(1000)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("high", [1000, 30, 2.0, 0.01, 1e-6])
@pytest.mark.parametrize("size", [120, 400, 900])
@pytest.mark.parametrize("kind", ["coordinate", "dates"])
def test_dates_do_not_overlap(kind: str, size: float, high: float, application: QApplication) -> None:
    axis = NumberAxis("bottom")
    low = 0.0
    if kind == "coordinate":
        axis.show_coordinate("time", Coordinate("time", "", HOURS))
    else:
        axis.dates = HOURS.dtype
        low = float(HOURS[0].astype(np.int64))
    ((_, places),) = axis.tickValues(low, low + high, size)
    texts = axis.tickStrings(places, 1.0, 1.0)
    width = QFontMetricsF(axis.font()).horizontalAdvance
    ends = [((place - low) / high * size, width(text) / 2) for place, text in zip(places, texts, strict=True)]
    assert all(one + half < other - next_half for (one, half), (other, next_half) in pairwise(ends))
    assert texts or high < 1


@pytest.mark.parametrize("text", ["<b>x</b> & y", "GFP <488 nm>", "", "é (µm)"])
def test_markup_in_a_stored_name_is_shown_as_it_is(text: str) -> None:
    axis = NumberAxis("left")
    axis.setLabel(text)
    assert axis.label.toPlainText().strip() == text
    axis.show_coordinate(text, None)
    assert axis.label.toPlainText().strip() == text
    assert axis.labelText == text


def test_close_numbers_have_different_labels(application: QApplication) -> None:
    axis = NumberAxis("left")
    values = [1e6 + 0.25 * number for number in range(4)]
    assert axis.tickStrings(values, 1.0, 0.25) == [f"1,000,000.{one}" for one in ("00", "25", "50", "75")]


@pytest.mark.parametrize(
    ("scale", "low", "high"), [(1e-300, 5e-11, 5.00000000001e-11), (1e300, -1e10, 1e10), (1e300, 1e9, 1e10)]
)
def test_an_axis_with_numbers_beyond_those_of_floats_has_no_labels(
    scale: float, low: float, high: float
) -> None:
    axis = NumberAxis("left")
    axis.setScale(scale)
    assert axis.tickValues(low, high, 300) == []
    assert len(axis.tickValues(1.0, 2.0, 300)) > 1


def test_an_axis_becomes_wider_but_not_narrower_for_the_same_coordinates(application: QApplication) -> None:
    axis = NumberAxis("left")
    axis.show_coordinate("lat", None)
    axis._updateMaxTextSize(60)
    width = axis.width()
    axis._updateMaxTextSize(20)
    assert axis.width() == width, "else a plane that fits its view could change both without end"
    axis.show_coordinate("lon", None)
    axis._updateMaxTextSize(20)
    assert axis.width() < width
