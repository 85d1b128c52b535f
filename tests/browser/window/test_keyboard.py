"""All controls are reached by keys, and show it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import pane_of
from tests.browser.panes.image.tools.mapped import world
from tests.browser.window.dialogs import each_dialog
from zarrbrowser.theme import Appearance, apply_theme
from zarrbrowser.window.main_window import MainWindow


def takes_tab(widget: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus)
        and widget.isVisible()
        and widget.isEnabled()
        and widget.focusProxy() is None
        and not isinstance(widget.parent(), QTabBar)  # arrow keys do what its buttons do
    )


def seen(widget: QWidget) -> QImage:
    QApplication.processEvents()
    return widget.grab().toImage()


def tour() -> list[QWidget]:
    """The widgets to which Tab leads, from the present one until it is there again."""
    found = [QApplication.focusWidget()]
    for _ in range(500):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is found[0] and len(found) > 1:
            return found
        if now is not found[-1]:  # Tab also leads from link to link of a page
            assert now not in found, f"Tab is caught in {now}"
            found.append(now)
    return found


def faults(window: QWidget, good: set[QWidget]) -> list[str]:
    """What cannot be reached, or does not show the focus; those that do become *good*, and are not looked at again."""
    reached = tour()
    missed = [one for one in window.findChildren(QWidget) if takes_tab(one) and one not in reached]
    unseen = []
    for widget, other in zip(reached, reached[1:] + reached[:1], strict=True):
        if widget in good:
            continue
        other.setFocus(Qt.FocusReason.TabFocusReason)
        without = seen(widget)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if other is not widget and takes_tab(widget) and seen(widget) == without:
            unseen.append(widget)
    good.update({*reached} - {*unseen})
    return [f"{type(one).__name__} {one.accessibleName()}" for one in (*missed, *unseen)]


def activate(window: QWidget, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None and QApplication.activeWindow() is window)


@pytest.fixture(params=[Appearance.LIGHT, Appearance.DARK], ids=["light", "dark"])
def appearance(request: pytest.FixtureRequest, application: QApplication) -> Iterator[None]:
    apply_theme(application, request.param)
    yield
    apply_theme(application, Appearance.LIGHT)


@pytest.mark.usefixtures("appearance")
def test_tab_leads_to_all_controls_which_show_the_focus(
    window: MainWindow, open_window: OpenWindow, qtbot: QtBot
) -> None:
    activate(window, qtbot)
    assert not faults(window, set())
    window.hide()
    window, tabs, good = open_window(world(), "/array"), list[str](), set[QWidget]()
    image = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: image.view.is_complete)

    def is_there(path: str) -> bool:
        return window.session.node is not None and window.session.node.path == path

    for path in ("/array", "/lat", "/"):
        window.navigator.go_within(path)
        qtbot.waitUntil(partial(is_there, path))
        for number in range(window.node_pane.tabs.count()):
            window.node_pane.tabs.setCurrentIndex(number)
            tabs.append(window.node_pane.current_tab())
            for tool in image.body.controls.tools.values() if tabs[-1] == "Image" else ():
                tool.setChecked(True)
            qtbot.waitUntil(lambda: not window.workers.active)
            window.tree.setFocus()
            activate(window, qtbot)
            assert not faults(window, good), (path, tabs[-1])
    assert {"Image", "Plot", "Table", "Metadata", "Attributes", "Storage", "Overview"} <= set(tabs)


@pytest.mark.sampled(1, axes=[])
@pytest.mark.usefixtures("appearance")
def test_tab_leads_to_all_of_each_dialog(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    for title, dialog in each_dialog(window, tmp_path, qtbot):
        activate(dialog, qtbot)
        assert not faults(dialog, set()), title
