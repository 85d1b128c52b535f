"""What a screen reader finds in the window, in its dialogs and menus."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QMenu, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray
from tests.browser.panes.image.pictures import VOLUME, pane_of
from tests.browser.panes.image.tools.mapped import world
from tests.browser.panes.volume.panes import FakeRenderer
from tests.browser.window.dialogs import each_dialog
from zarrbrowser.panes.volume import renderer
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow

Role, Text = QAccessible.Role, QAccessible.Text
USED = {
    Role.Button,
    Role.ButtonMenu,
    Role.CheckBox,
    Role.ComboBox,
    Role.EditableText,
    Role.Grip,
    Role.List,
    Role.MenuItem,
    Role.PageTab,
    Role.PageTabList,
    Role.ProgressBar,
    Role.RadioButton,
    Role.Slider,
    Role.SpinBox,
    Role.StatusBar,
    Role.Table,
    Role.Tree,
}
"""What is named although it may not have the focus; and, with texts and pictures, all that may have it."""


def elements(one: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    """What a screen reader sees of an element, with the element; rows of tables and trees have their texts as names."""
    yield one
    if one.role() in (Role.Table, Role.Tree, Role.List, Role.ComboBox):
        return
    for number in range(one.childCount()):
        child = one.child(number)
        if child is not None and child.isValid() and not child.state().invisible:  # type: ignore[attr-defined]
            yield from elements(child)


def lacks(one: QAccessibleInterface) -> str:
    """What a screen reader cannot say of an element; empty if it can."""
    thing, role, name = one.object(), one.role(), one.text(Text.Name)
    is_focusable = one.state().focusable  # type: ignore[attr-defined]
    if isinstance(thing, QWidget) and thing.focusProxy() is not None:
        return ""  # the named widget around it has the focus
    if role is Role.MenuItem and not name and isinstance(thing, QMenu):
        return ""
    if role in USED or is_focusable:
        if not name and role is not Role.StaticText:  # a label without a text at the moment
            return "a name"
        if role is Role.ComboBox and not one.text(Text.Description):
            return "what its value is for"
        if role is Role.Client and not isinstance(thing, QScrollArea) and not one.text(Text.Description):
            return "what it shows"
    return "a role" if is_focusable and role not in USED | {Role.Client, Role.StaticText, Role.Dialog} else ""


def wanting(widget: QWidget) -> set[str]:
    found = [(one, lacks(one)) for one in elements(QAccessible.queryAccessibleInterface(widget))]
    assert len(found) > 1
    return {
        f"{type(one.object()).__name__} {one.role().name} {one.text(Text.Name)!r} lacks {lack}"
        for one, lack in found
        if lack
    }


@pytest.fixture
def opened(open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(renderer, "VolumeRenderer", FakeRenderer)
    root = world()
    root.add("volume", FakeArray(VOLUME, ("z", "y", "x")))
    root.add("complex", FakeArray(np.zeros(9, [("a", "c8"), ("b", "i4")])))
    root.add("number", FakeArray(np.array(2.0)))
    return open_window(root, "/array")


def test_a_screen_reader_can_name_all_of_an_empty_window(application: QApplication, qtbot: QtBot) -> None:
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    assert not wanting(window)


def test_a_screen_reader_can_name_all_of_each_tab(opened: MainWindow, qtbot: QtBot) -> None:
    pane, tabs = pane_of(opened, qtbot), 0
    qtbot.waitUntil(lambda: pane.view.is_complete)

    def is_there(path: str) -> bool:
        return opened.session.node is not None and opened.session.node.path == path

    for path in ("/array", "/volume", "/complex", "/number", "/lat", "/"):
        opened.navigator.go_within(path)
        qtbot.waitUntil(partial(is_there, path))
        for number in range(opened.node_pane.tabs.count()):
            opened.node_pane.tabs.setCurrentIndex(number)
            qtbot.waitUntil(lambda: not opened.workers.active)
            for button in opened.node_pane.current_pane.findChildren(QToolButton):
                if button.isCheckable() and button.isEnabled() and button.isVisible():
                    button.setChecked(True)

            def lacks_nothing(place: str = f"{path} {opened.node_pane.current_tab()}") -> None:
                assert not wanting(opened), place

            qtbot.waitUntil(lacks_nothing)  # descriptions follow what is being read
            tabs += 1
    assert tabs > 15


def test_a_screen_reader_can_name_all_of_each_dialog(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    kinds = set()
    for title, dialog in each_dialog(window, tmp_path, qtbot):
        kinds.add(type(dialog))
        assert not wanting(dialog), title
    assert len(kinds) > 10


def test_each_entry_of_each_menu_has_a_name(opened: MainWindow, qtbot: QtBot) -> None:
    pane_of(opened, qtbot)
    menus = [one for one in opened.findChildren(QMenu) if one.parent() is not None]
    for menu in menus:
        menu.aboutToShow.emit()
    entries = [one for menu in menus for one in menu.actions() if not one.isSeparator()]
    assert len(entries) > 40
    assert all(one.text() for one in entries)
