"""The list of keys has every group once, in columns."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.keys_dialog import KeysDialog

GROUPS = [(f"group {number}", [(f"command {number}", "Ctrl+A")]) for number in range(5)]


@pytest.mark.usefixtures("application")
@pytest.mark.parametrize("per_column", [(), (2,), (2, 1), (5,)])
def test_each_group_is_there_once(per_column: tuple[int, ...], qtbot: QtBot) -> None:
    dialog = KeysDialog(GROUPS, per_column)
    qtbot.addWidget(dialog)
    dialog.show()
    shown = [one for one in dialog.findChildren(QLabel) if one.property("role") == "heading"]
    assert sorted(one.text() for one in shown) == [title for title, _ in GROUPS]
    lefts = [one.x() for one in sorted(shown, key=QLabel.text)]
    wanted = [number for number in (*per_column, 5 - sum(per_column)) if number]
    assert [lefts.count(left) for left in dict.fromkeys(lefts)] == wanted
