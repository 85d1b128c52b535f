"""The list of keys: every group in its column, on a small screen too."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.keys_dialog import KeysDialog
from zarrbrowser.window.commands import key_table
from zarrbrowser.window.help_dialogs import COLUMNS_OF_KEYS

GROUPS = [(name, [(f"do {name}", f"Ctrl+{name}")]) for name in "ABCDE"]


def test_groups_are_in_columns(application: QApplication, qtbot: QtBot) -> None:
    dialog = KeysDialog(GROUPS, (2, 3))
    qtbot.addWidget(dialog)
    dialog.show()
    places = {one.text(): one.mapTo(dialog, one.rect().topLeft()) for one in dialog.findChildren(QLabel)}
    columns = [places[name].x() for name in "ABCDE"]
    assert columns[0] == columns[1] < columns[2] < columns[3] == columns[4]
    assert places["A"].y() < places["do A"].y() < places["B"].y()
    assert places["Ctrl+E"].x() > places["do E"].x()


def test_all_keys_fit_a_small_screen(application: QApplication, qtbot: QtBot) -> None:
    dialog = KeysDialog(key_table(), COLUMNS_OF_KEYS)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.sizeHint().width() < 1280
    assert dialog.sizeHint().height() < 900
    dialog.resize(683, 384)  # half of 1366 × 768, at twice the scale
    assert (dialog.width(), dialog.height()) == (683, 384)


def test_nothing_scrolls_where_the_screen_is_large_enough(application: QApplication, qtbot: QtBot) -> None:
    dialog = KeysDialog(GROUPS, (2, 3))
    dialog.setStyleSheet("QScrollArea { border: 1px solid }")  # as the window's has it
    qtbot.addWidget(dialog)
    dialog.show()
    (area,) = dialog.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: area.viewport().width() >= area.widget().sizeHint().width())
    assert area.horizontalScrollBar().maximum() == area.verticalScrollBar().maximum() == 0
