"""The line over a cell: Enter writes, everything else leaves the cell as it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.table.cell_editor import CellEditor


@pytest.fixture
def line(application: object, qtbot: QtBot) -> Iterator[CellEditor]:
    outer = QWidget()
    qtbot.addWidget(outer)
    outer.resize(400, 300)
    other = QLineEdit()
    QVBoxLayout(outer).addWidget(other)
    outer.show()
    outer.activateWindow()
    qtbot.waitUntil(outer.isActiveWindow)
    made = CellEditor(outer)
    made.start(QRect(300, 20, 60, 24), "12")
    made.setProperty("other", other)
    yield made
    outer.close()


@pytest.mark.parametrize(
    ("text", "can"), [("ä\t b", True), ("x" * 32_767, True), ("x" * 32_768, False), ("a\nb", False)]
)
def test_it_knows_which_texts_it_would_change(line: CellEditor, text: str, can: bool) -> None:
    assert line.can_hold(text) is can


def test_it_is_over_its_cell_and_selects_the_text(line: CellEditor) -> None:
    assert line.geometry() == QRect(300, 20, 60, 24)
    assert line.selectedText() == "12"
    assert not line.is_changed
    line.start(QRect(20, 20, 60, 24), "1" * 60)
    assert line.x() == 0
    assert line.width() > 60


def test_enter_asks_and_the_line_stays(line: CellEditor, qtbot: QtBot) -> None:
    QTest.keyClicks(line, "7")
    assert line.is_changed
    with qtbot.waitSignal(line.entered) as heard:
        QTest.keyClick(line, Qt.Key.Key_Return)
    assert heard.args == ["7"]
    assert line.isVisible()


def test_escape_leaves(line: CellEditor, qtbot: QtBot) -> None:
    with qtbot.waitSignal(line.left) as heard:
        QTest.keyClick(line, Qt.Key.Key_Escape)
    assert heard.args == [True]
    assert line.isHidden()
    with qtbot.assertNotEmitted(line.left):
        line.leave()


def test_the_focus_elsewhere_leaves(line: CellEditor, qtbot: QtBot) -> None:
    with qtbot.waitSignal(line.left) as heard:
        line.property("other").setFocus()
    assert heard.args == [False]
