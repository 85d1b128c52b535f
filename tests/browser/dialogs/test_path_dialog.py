"""The dialog for the path of a node."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.path_dialog import PathDialog
from zarrcore.errors import SelectionError

pytestmark = pytest.mark.usefixtures("application")


def check(text: str) -> str:
    if "." in text:
        raise SelectionError("'.' cannot be the name of a node")
    return text


def test_a_name_is_typed_over_the_old_one(qtbot: QtBot) -> None:
    dialog = PathDialog("Rename", "Move", "/scan/raw", check)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.path.selectedText() == "raw")
    assert not dialog.button.isEnabled(), "nothing is changed yet"
    QTest.keyClicks(dialog.path, "first")
    with qtbot.waitSignal(dialog.chosen) as heard:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert heard.args == ["/scan/first"]


def test_a_path_that_no_node_can_have_is_refused_as_it_is_typed(qtbot: QtBot) -> None:
    dialog = PathDialog("Rename", "Move", "/scan/raw", check)
    qtbot.addWidget(dialog)
    dialog.path.setText("/scan/.")
    assert dialog.problem.text() == "'.' cannot be the name of a node."
    assert not dialog.button.isEnabled()
    with qtbot.assertNotEmitted(dialog.chosen):
        dialog.accept()
    dialog.path.setText("/scan/a")
    assert dialog.problem.text() == ""
    assert dialog.button.isEnabled()
