"""Buttons: their names for screen readers, their clicks, and their icons in the colours of the theme."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from zarrbrowser.theme import Appearance, apply_theme
from zarrbrowser.widgets.buttons import push_button, recolour, switch, tool_button


def drawn(button: QAbstractButton, mode: QIcon.Mode = QIcon.Mode.Normal) -> bytes:
    return bytes(button.icon().pixmap(18, mode).toImage().constBits())


@pytest.fixture
def _light_again(application: QApplication) -> Iterator[None]:
    yield
    apply_theme(application, Appearance.LIGHT)


def test_an_icon_has_its_tip_as_a_name(qtbot: QtBot) -> None:
    clicks: list[int] = []
    button = tool_button("swap", "Swap rows and columns", lambda: clicks.append(1))
    qtbot.addWidget(button)
    assert (button.toolTip(), button.accessibleName()) == ("Swap rows and columns",) * 2
    button.click()
    assert clicks == [1]
    assert drawn(button) != drawn(button, QIcon.Mode.Disabled)


def test_a_switch_stays_pressed(qtbot: QtBot) -> None:
    button = switch("Log y", "Logarithm of the values")
    qtbot.addWidget(button)
    button.click()
    assert button.isChecked()
    assert button.icon().isNull()


def test_a_link_is_pointed_at_with_a_hand(qtbot: QtBot) -> None:
    clicks: list[int] = []
    link, plain = (push_button("Retry", lambda: clicks.append(1), role=role) for role in ("link", ""))
    for button in (link, plain):
        qtbot.addWidget(button)
        button.click()
    assert clicks == [1, 1]
    assert link.cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert plain.cursor().shape() is Qt.CursorShape.ArrowCursor
    assert plain.icon().isNull()


@pytest.mark.usefixtures("_light_again")
def test_icons_follow_the_appearance(application: QApplication, qtbot: QtBot) -> None:
    root = QWidget()
    qtbot.addWidget(root)
    plain, copy = tool_button("swap", "Swap"), push_button("Copy", list, drawing="copy")
    primary = push_button("Open", list, drawing="copy", role="primary")
    for button in (plain, copy, primary):
        button.setParent(root)
    assert drawn(copy) != drawn(primary), "on the accent colour"
    before = drawn(plain), drawn(copy)
    apply_theme(application, Appearance.DARK)
    assert (drawn(plain), drawn(copy)) == before
    recolour(root)
    assert drawn(plain) != before[0]
    assert drawn(copy) != before[1]
