"""The choice of columns to plot."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize, Qt
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.table.column_choice import ROWS, ColumnChoice
from zarrbrowser.plot.curves import LINE_COLOURS


@pytest.fixture
def choice(qtbot: QtBot) -> ColumnChoice:
    made = ColumnChoice()
    qtbot.addWidget(made)
    made.offer([(3 * number, f"c{number}") for number in range(len(LINE_COLOURS) + 2)])
    return made


def check(choice: ColumnChoice, row: int, *, is_on: bool = True) -> None:
    choice.up_list.item(row).setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)


def swatch(choice: ColumnChoice, row: int) -> str:
    return choice.up_list.item(row).icon().pixmap(QSize(12, 12)).toImage().pixelColor(6, 6).name()


def test_columns_are_offered_across_and_up(choice: ColumnChoice) -> None:
    assert (choice.across_box.itemText(0), choice.across_box.itemText(2)) == (ROWS, "c1")
    assert choice.up_list.count() == len(LINE_COLOURS) + 2
    assert choice.across is None
    assert choice.up == {}
    choice.choose(6, [3, 0])
    assert choice.across == 6
    assert choice.up == {3: LINE_COLOURS[0], 0: LINE_COLOURS[1]}
    choice.choose(7, [1])
    assert choice.across is None, "it is not offered"
    assert choice.up == {}
    choice.choose(6, [3])
    choice.offer([(0, "other")])
    assert choice.across is None
    assert choice.up == {}


def test_a_column_keeps_its_colour_while_others_come_and_go(choice: ColumnChoice, qtbot: QtBot) -> None:
    with qtbot.waitSignals([choice.changed] * 3):
        check(choice, 0)
        check(choice, 1)
        check(choice, 0, is_on=False)
    assert choice.up == {3: LINE_COLOURS[1]}
    assert swatch(choice, 1) == LINE_COLOURS[1]
    check(choice, 4)
    assert choice.up == {3: LINE_COLOURS[1], 12: LINE_COLOURS[0]}, "the colour that is free"


def test_no_more_columns_than_colours_are_chosen(choice: ColumnChoice, qtbot: QtBot) -> None:
    with qtbot.waitSignal(choice.refused) as said:
        choice.choose(None, [3 * number for number in range(len(LINE_COLOURS) + 1)])
    assert said.args == [f"A plot has at most {len(LINE_COLOURS)} columns: these are the first ones"]
    assert len(set(choice.up.values())) == len(LINE_COLOURS)
    with qtbot.waitSignal(choice.refused) as said, qtbot.assertNotEmitted(choice.changed):
        check(choice, len(LINE_COLOURS))
    assert said.args == [f"A plot has at most {len(LINE_COLOURS)} columns: take one away first"]
    assert choice.up_list.item(len(LINE_COLOURS)).checkState() is Qt.CheckState.Unchecked
