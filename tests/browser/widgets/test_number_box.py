"""The field for a number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QVBoxLayout
from pytestqt.qtbot import QtBot

from zarrbrowser.theme import dress
from zarrbrowser.widgets.number_box import NumberBox


@pytest.fixture
def box(application: QApplication, qtbot: QtBot) -> NumberBox:
    made = NumberBox("a number", 1)
    qtbot.addWidget(made)
    made.setRange(-5, 5000)
    made.setValue(7)
    made.show()
    return made


def test_its_text_does_not_touch_the_border(box: NumberBox) -> None:
    dress(box)
    box.resize(120, box.sizeHint().height())
    line = box.lineEdit()
    line.setCursorPosition(0)
    assert line.mapTo(box, line.cursorRect().center()).x() >= 6


def type_in(box: NumberBox, text: str) -> None:
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("text", "value"), [("2.5", 2.5), ("1,000", 1000), ("-3", -3), ("5e2", 500), ("4999.9", 4999.9)]
)
def test_a_number_is_taken(box: NumberBox, text: str, value: float) -> None:
    type_in(box, text)
    assert box.value() == value
    assert not box.property("refused")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1,5", "expected a number"),
        ("abc", "expected a number"),
        ("nan", "expected a number from -5.0 to 5000.0"),
        ("-6", "expected a number from"),
        ("99999", "expected a number from"),
        ("", "expected a number"),
    ],
)
def test_any_other_text_is_marked_and_stays(box: NumberBox, text: str, why: str) -> None:
    box.selectAll()
    QTest.keyClick(box, Qt.Key.Key_Backspace)
    type_in(box, text)
    assert (box.value(), box.lineEdit().text(), box.property("refused")) == (7, text, True)
    assert box.accessibleDescription().startswith(why)
    type_in(box, "8")
    assert (box.value(), box.property("refused"), box.toolTip()) == (8, False, "A number")


def test_whole_numbers_have_no_decimals(box: NumberBox) -> None:
    box.setDecimals(0)
    for text in ("1.5", "1,5"):
        type_in(box, text)
        assert (box.value(), box.property("refused")) == (7, True)
    type_in(box, "15.0")
    assert box.value() == 15


@pytest.mark.parametrize("leaves", [True, False])
def test_leaving_the_field_and_steps_forget_a_refused_text(box: NumberBox, leaves: bool) -> None:
    box.selectAll()
    QTest.keyClicks(box, "1,5")
    assert box.property("refused"), "already while it is typed"
    if leaves:
        QApplication.sendEvent(box, QFocusEvent(QEvent.Type.FocusOut))
        assert (box.value(), box.lineEdit().text(), box.property("refused")) == (7, "7.0", False)
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert (box.value(), box.lineEdit().text(), box.property("refused")) == (8, "8.0", False)


def test_enter_does_not_accept_a_dialog_with_a_text_that_was_refused(
    application: QApplication, qtbot: QtBot
) -> None:
    dialog, box = QDialog(), NumberBox("a number", 1)
    qtbot.addWidget(dialog)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok, accepted=dialog.accept)
    column = QVBoxLayout(dialog)
    column.addWidget(box)
    column.addWidget(buttons)
    dialog.show()
    type_in(box, "1,5")
    assert dialog.isVisible()
    type_in(box, "1.5")
    assert not dialog.isVisible()
