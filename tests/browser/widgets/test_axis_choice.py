"""The menus of the axes in the picture."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.widgets.axis_choice import AxisChoice


@pytest.fixture
def choice(qtbot: QtBot) -> AxisChoice:
    made = AxisChoice()
    qtbot.addWidget(made)
    return made


def texts(choice: AxisChoice) -> list[list[str]]:
    return [[box.itemText(row) for row in range(box.count())] for box in (choice.rows, choice.columns)]


def test_each_axis_is_offered_except_that_of_the_colours(choice: AxisChoice) -> None:
    choice.show_axes(Axes.initial(FakeArray(np.zeros((4, 5, 6, 3), np.uint8), ("t", "y", "x", "rgb"))))
    assert texts(choice) == [["t", "y", "x"]] * 2
    assert (choice.rows.currentText(), choice.columns.currentText()) == ("y", "x")
    choice.show_axes(Axes.initial(FakeArray(np.zeros((5, 6)))))
    assert texts(choice) == [["axis 0", "axis 1"]] * 2


def test_axes_of_the_same_name_are_different(choice: AxisChoice, qtbot: QtBot) -> None:
    choice.show_axes(Axes.initial(FakeArray(np.zeros((4, 5, 6)), ("n", "n", "n"))))
    assert (choice.rows.currentIndex(), choice.columns.currentIndex()) == (1, 2)
    choice.rows.setCurrentIndex(0)
    with qtbot.waitSignal(choice.chosen) as heard:
        choice.rows.activated.emit(0)
    assert (heard.args[0].rows, heard.args[0].columns) == (0, 2)


def test_the_axis_of_the_columns_as_rows_swaps_them(choice: AxisChoice, qtbot: QtBot) -> None:
    axes = Axes.initial(FakeArray(np.zeros((4, 5, 6)), ("z", "y", "x"))).at(0, 3)
    choice.show_axes(axes)
    choice.columns.setCurrentIndex(1)
    with qtbot.waitSignal(choice.chosen) as heard:
        choice.columns.activated.emit(1)
    assert (heard.args[0].rows, heard.args[0].columns) == (2, 1)
    with qtbot.waitSignal(choice.chosen) as heard:
        choice.swap.click()
    assert (heard.args[0].rows, heard.args[0].columns) == (2, 1)
    assert heard.args[0].index == axes.index, "the position along the other axes stays"


def test_nothing_is_chosen_without_an_array(choice: AxisChoice, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(choice.chosen):
        choice.swap.click()
        choice.rows.activated.emit(0)


def test_a_long_name_does_not_widen_the_bar(choice: AxisChoice) -> None:
    choice.show_axes(Axes.initial(FakeArray(np.zeros((4, 5)), ("n" * 500, "é" * 500))))
    choice.show()
    assert choice.rows.width() <= 150
    assert choice.rows.itemText(0) == "n" * 500
