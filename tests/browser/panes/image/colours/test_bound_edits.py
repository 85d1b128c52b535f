"""The typed bounds of the contrast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import show
from zarrbrowser.panes.image.colours.bound_edits import BoundEdits


def test_bounds_of_dates_are_dates(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.datetime64("2020-01-01", "h") + np.arange(24 * 400).reshape(100, 96)
    pane, _array = show(open_window, qtbot, values)
    contrast = pane.body.contrast
    assert contrast.low.text().startswith("2020-01-0")
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "2020-03-01\r")
    expected = np.datetime64("2020-03-01", "h").astype(np.int64)
    assert pane.view.picture_style().levels[0] == expected
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "nonsense\r")
    assert pane.view.picture_style().levels[0] == expected
    assert (contrast.low.text(), contrast.low.property("refused")) == ("nonsense", True)


@pytest.fixture
def bounds(application: QApplication, qtbot: QtBot) -> Iterator[BoundEdits]:
    made = BoundEdits()
    yield made
    for edit in (made.low, made.high):
        edit.deleteLater()


def enter(edit: Any, text: str) -> None:
    edit.clear()
    QTest.keyClicks(edit, text + "\r")


def heard(bounds: BoundEdits) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    bounds.typed.connect(lambda low, high: found.append((low, high)))
    return found


def test_a_bound_that_was_not_edited_keeps_its_digits(bounds: BoundEdits) -> None:
    bounds.show_bounds((0.123456789, 5.0))
    assert bounds.low.text() == "0.123457"
    told = heard(bounds)
    enter(bounds.high, "7.5")
    assert told == [(0.123456789, 7.5)]


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1e999", "9" * 50 + "x", "0,5", "1.234,5"])
def test_text_that_is_not_a_number_is_refused_with_a_mark(text: str, bounds: BoundEdits) -> None:
    bounds.show_bounds((0.0, 5.0))
    hint, told = bounds.high.toolTip(), heard(bounds)
    enter(bounds.high, text)
    assert told == []
    assert (bounds.high.text(), bounds.high.property("refused")) == (text, True)
    assert bounds.high.toolTip() != hint
    enter(bounds.high, "7")
    assert told == [(0.0, 7.0)]
    assert (bounds.high.property("refused"), bounds.high.toolTip()) == (False, hint)


def test_numbers_are_read_as_they_are_written(bounds: BoundEdits) -> None:
    bounds.show_bounds((0.0, 5.0))
    told = heard(bounds)
    enter(bounds.high, "1,234.5")
    assert told == [(0.0, 1234.5)]


def test_bounds_are_told_in_order(bounds: BoundEdits) -> None:
    bounds.show_bounds((0.0, 5.0))
    told = heard(bounds)
    enter(bounds.low, "9")
    assert told == [(5.0, 9.0)]


def test_large_integers_keep_each_digit(bounds: BoundEdits) -> None:
    bounds.show_bounds((2**61, 2**61 + 100))
    assert bounds.high.text() == str(2**61 + 100)
    told = heard(bounds)
    enter(bounds.low, str(2**61 + 7))
    enter(bounds.low, str(-(2**61) - 7))
    assert told == [(2**61 + 7, 2**61 + 100), (-(2**61) - 7, 2**61 + 100)]


def test_leaving_a_field_without_a_change_says_nothing(bounds: BoundEdits, qtbot: QtBot) -> None:
    bounds.show_bounds((0.123456789, 5.0))
    with qtbot.assertNotEmitted(bounds.typed):
        QTest.keyClick(bounds.low, "\r")
