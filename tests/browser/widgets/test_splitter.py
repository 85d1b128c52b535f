"""Splitters that keys move."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.splitter import Splitter

KEY, HELD = Qt.Key, Qt.KeyboardModifier


@pytest.mark.parametrize("width", [1, 6])
@pytest.mark.parametrize(
    ("orientation", "less", "more", "across"),
    [
        (Qt.Orientation.Horizontal, KEY.Key_Left, KEY.Key_Right, KEY.Key_Down),
        (Qt.Orientation.Vertical, KEY.Key_Up, KEY.Key_Down, KEY.Key_Right),
    ],
)
def test_keys_move_the_handle(
    orientation: Qt.Orientation, less: Qt.Key, more: Qt.Key, across: Qt.Key, width: int, qtbot: QtBot
) -> None:
    window, splitter = QWidget(), Splitter("between the lists", orientation)
    first, second = QListWidget(), QListWidget()
    for one in (first, second):
        one.setMinimumSize(40, 40)
        splitter.addWidget(one)
    splitter.setHandleWidth(width)
    QVBoxLayout(window).addWidget(splitter)
    qtbot.addWidget(window)
    window.resize(400, 400)
    window.show()
    splitter.setSizes([100, 250])
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    handle = splitter.handle(1)
    assert handle.accessibleName() == "between the lists"
    assert "Shift by ten" in handle.accessibleDescription()
    reached = [window.focusWidget()]
    while not handle.hasFocus():
        assert len(reached) < 10, reached
        QTest.keyClick(window.focusWidget() or window, KEY.Key_Tab)
        reached.append(window.focusWidget())
    focused = handle.grab().toImage()
    before, total = splitter.sizes()[0], sum(splitter.sizes())
    QTest.keyClick(handle, more)
    assert splitter.sizes()[0] == before + 1
    QTest.keyClick(handle, more, HELD.ShiftModifier)
    QTest.keyClick(handle, less)
    assert splitter.sizes() == [before + 10, total - before - 10]
    QTest.keyClick(handle, across)
    assert splitter.sizes()[0] == before + 10
    for _ in range(60):
        QTest.keyClick(handle, less, HELD.ShiftModifier)
    assert splitter.sizes()[0] == 40, "the least size"
    QTest.keyClick(handle, KEY.Key_Escape)
    assert not handle.hasFocus()
    assert handle.grab().toImage() != focused
