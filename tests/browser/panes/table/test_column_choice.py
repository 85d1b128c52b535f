"""The choice of columns to plot."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.table.column_choice import ROWS, ColumnChoice
from zarrbrowser.plot.curves import LINE_COLOURS


@pytest.fixture
def choice(qtbot: QtBot) -> ColumnChoice:
    made = ColumnChoice()
    qtbot.addWidget(made)
    made.offer([(2, "a"), (5, "b"), (7, "c")])
    return made


def check(choice: ColumnChoice, row: int, *, is_on: bool) -> None:
    state = Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked
    choice.up_list.item(row).setCheckState(state)


def test_nothing_is_chosen_at_first(choice: ColumnChoice) -> None:
    assert choice.across is None
    assert choice.across_box.currentText() == ROWS
    assert choice.up == {}


def test_checked_columns_keep_their_colours(choice: ColumnChoice, qtbot: QtBot) -> None:
    with qtbot.waitSignal(choice.changed):
        check(choice, 1, is_on=True)
    check(choice, 0, is_on=True)
    assert choice.up == {5: LINE_COLOURS[0], 2: LINE_COLOURS[1]}
    check(choice, 1, is_on=False)
    assert choice.up == {2: LINE_COLOURS[1]}
    check(choice, 2, is_on=True)
    assert choice.up == {2: LINE_COLOURS[1], 7: LINE_COLOURS[0]}, "the first colour is free again"


def test_the_list_is_the_legend(choice: ColumnChoice) -> None:
    choice.choose(None, [5])
    swatches = [choice.up_list.item(row).icon().pixmap(12, 12).toImage().pixelColor(6, 6) for row in range(3)]
    assert swatches[1].name() == LINE_COLOURS[0]
    assert [one.alpha() for one in swatches] == [0, 255, 0]


def test_columns_that_are_not_offered_are_left_out(choice: ColumnChoice, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(choice.changed):
        choice.choose(5, [9, 7, 7, 2])
    assert choice.across == 5
    assert list(choice.up) == [7, 2]
    choice.choose(9, [])
    assert choice.across is None
    assert choice.up == {}


def test_other_columns_are_offered_without_a_choice(choice: ColumnChoice) -> None:
    choice.choose(5, [7])
    choice.offer([(0, "x")])
    assert choice.up == {}
    assert choice.across is None
    assert choice.up_list.count() == 1
