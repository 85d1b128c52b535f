"""Small windows: panels scroll, and hidden controls are in a menu."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import pane_of

SIZE = (900, 600)


def arrays() -> dict[str, Any]:
    packed = FakeArray(np.zeros((5, 3, 40, 50), np.int16), ("t", "c", "y", "x"))
    packed.attributes = {"_FillValue": -1, "scale_factor": 0.5}
    many = FakeArray(np.zeros((5, 3, 4, 3, 2, 2, 40, 50), np.complex64))
    for array in (packed, many):
        array.stored_chunks = [
            (0,) * array.ndim
        ]  # or a notice above the picture would say that there are none
    return {"packed": packed, "many": many, "line": FakeArray(np.zeros(9))}


def stands_out(inner: QWidget, outer: QWidget) -> bool:
    """Whether a part of a widget is outside another one."""
    corner = inner.mapTo(outer, inner.rect().bottomRight())
    return corner.x() > outer.width() or corner.y() > outer.height()


@pytest.mark.parametrize("path", ["/packed", "/many", "/line"])
def test_all_tabs_fit(path: str, open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup(arrays()), path)
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == path)
    pane = window.node_pane
    for position in range(pane.tabs.count()):
        pane.tabs.setCurrentIndex(position)
        qtbot.waitUntil(lambda: not window.workers.active)
    window.resize(*SIZE)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == SIZE)
    # At twice the scale, a screen of 1366 × 768 has half of that.
    qtbot.waitUntil(
        lambda: window.minimumSizeHint().width() <= 700 and window.minimumSizeHint().height() <= 380
    )
    shown = [pane.header.export_button, pane.header.copy_button, pane.tabs, window.view.status]
    assert not any(stands_out(one, window) for one in shown)
    if path != "/line":
        pane.tabs.setCurrentIndex(0)
        sliders = pane.pane("Image").body.sliders  # type: ignore[attr-defined]
        qtbot.waitUntil(lambda: sliders.height() >= 48)


def test_names_in_the_tree_have_room(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup(arrays()), "/packed")
    tree = window.tree
    window.resize(1200, 600)
    window.view._split.setSizes([400, 800])
    qtbot.waitUntil(lambda: not tree.isColumnHidden(1) and not tree.isColumnHidden(2))
    for width in (260, 200, 140):
        window.view._split.setSizes([width, 1200 - width])
        qtbot.waitUntil(lambda width=width: tree.width() <= width and tree.columnWidth(0) >= 110)
    assert tree.isColumnHidden(1)
    window.view._split.setSizes([400, 800])
    qtbot.waitUntil(lambda: not tree.isColumnHidden(1) and not tree.isColumnHidden(2))


def test_the_tree_leaves_room_until_the_user_chooses_its_width(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup(arrays()), "/packed")
    side, handle = window.view.side, window.view._split.handle(1)
    for width in (1280, 900, 700, 1280):
        window.resize(width, 600)
        qtbot.waitUntil(
            lambda width=width: window.width() == width and abs(side.width() - width * 400 // 1280) < 3
        )
    handle.setFocus()
    QTest.keyClick(handle, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    chosen = side.width()
    assert chosen < 400
    window.resize(1000, 600)
    qtbot.waitUntil(lambda: window.width() == 1000)
    assert side.width() == chosen


def test_tools_are_in_a_menu_with_words(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(FakeGroup(arrays()), "/packed"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window, controls = pane.window(), pane.body.controls
    window.resize(1500, 600)
    qtbot.waitUntil(lambda: controls.axes.labels[0].isVisible())
    always = [controls.more, *controls.layouts.values(), controls.fit, controls.colours]
    from_right = [controls.width() - one.x() for one in always]
    window.resize(700, 600)
    qtbot.waitUntil(lambda: not controls.axes.labels[0].isVisible())
    assert all(one.isVisible() for one in always)
    assert [controls.width() - one.x() for one in always] == from_right, "they keep their places"
    buttons = [one for one in controls.findChildren(QToolButton) if one.isVisible()]
    assert not any(stands_out(button, controls) for button in buttons)
    menu = controls.more.menu()
    menu.aboutToShow.emit()
    actions = {action.text(): action for action in menu.actions()}
    assert actions["Square elements: same scale along both axes"].isChecked()
    means = actions["Means of rows or columns: on maps the zonal and the meridional mean"]
    assert means.isEnabled()
    assert not means.isChecked()
    means.trigger()
    assert controls.means.isChecked()
    assert not actions["Labels over the picture"].isEnabled(), "there are none, but the entry has its place"
    actions["Flip vertically"].trigger()
    assert pane.model.state.settings.flip_rows
    menu.aboutToShow.emit()
    assert {action.text(): action.isChecked() for action in menu.actions()}["Flip vertically"]


def test_the_panel_scrolls(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(FakeGroup(arrays()), "/packed"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.window().resize(900, 400)
    area = pane.body.contrast
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert pane.body.contrast.unpacking.height() >= pane.body.contrast.unpacking.minimumSizeHint().height()
    pane.window().resize(900, 1200)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)
