"""The menu and the shortcuts of the table of commands, for any window that has the commands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.theme import Appearance
from zarrbrowser.window.commands import COMMANDS
from zarrbrowser.window.menus import (
    add_pane_shortcuts,
    add_tree_shortcuts,
    add_window_shortcuts,
    appearance_menu,
    fill_menu,
    filled_menu,
    mount_menu,
)

pytestmark = pytest.mark.usefixtures("application")


class Recorder:
    """A window that only notes what it is asked for: ``node_pane.step(1)``."""

    def __init__(self, asked: list[str], name: str = "") -> None:
        self._asked, self._name = asked, name

    def __getattr__(self, name: str) -> Recorder:
        return Recorder(self._asked, f"{self._name}.{name}".lstrip("."))

    def __call__(self, *arguments: Any) -> None:
        self._asked.append(f"{self._name}({', '.join(map(repr, arguments))})")


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def window(asked: list[str]) -> Any:
    return Recorder(asked)


@pytest.fixture
def widget(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def shortcuts(widget: QWidget) -> dict[str, QShortcut]:
    return {one.key().toString(): one for one in widget.findChildren(QShortcut)}


def entries_of(menu: QMenu) -> dict[str, QAction]:
    return {one.text().partition("\t")[0]: one for one in menu.actions() if one.text()}


def inner(menu: QMenu, title: str) -> QMenu:
    found = entries_of(menu)[title].menu()
    assert isinstance(found, QMenu)
    return found


def test_the_menu_runs_each_command_and_shows_its_first_key(
    window: Any, asked: list[str], qtbot: QtBot
) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    fill_menu(menu, window, {})
    assert [*entries_of(menu)] == ["File", "Edit", "View", "Data", "Help"]
    inside = {title: inner(menu, title) for title in entries_of(menu)}
    assert entries_of(inside["File"])["Reload source"].text().endswith("\tF5")
    assert entries_of(inside["View"])["Search"].text().endswith("\tCtrl+F")
    actions = [action for one in inside.values() for action in one.actions()]
    assert not {"Address", "Play, stop", "Stop reading"} & {one.text().partition("\t")[0] for one in actions}
    for action in actions:
        action.trigger()
    assert {"sources.reload_current()", "view.search()", "node_pane.step(-1)", "close()"} <= set(asked)
    assert len(asked) == len(actions)


def test_submenus_come_after_the_commands_of_their_group(window: Any, qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    submenus = {"File": [QMenu("One", menu), QMenu("Two", menu)], "Bookmarks": [QMenu("Bookmarks", menu)]}
    fill_menu(menu, window, submenus)
    assert [*entries_of(menu)] == ["File", "Edit", "View", "Data", "Bookmarks", "Help"]
    assert [*entries_of(inner(menu, "File"))][-2:] == ["One", "Two"]
    assert inner(menu, "Bookmarks") is submenus["Bookmarks"][0], "not a menu in a menu"


def test_the_menu_offers_what_is_possible_now(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"line": FakeArray(np.zeros(3))}), "/line")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    menu = window.view.top_bar.menu

    def possible(title: str) -> set[str]:
        menu.aboutToShow.emit()
        return {name for name, one in entries_of(inner(menu, title)).items() if one.isEnabled()}

    assert {"Reload source", "Close source", "Allow or stop changes"} <= possible("File")
    assert "Parent" in possible("View")
    assert "Fit into view" in possible("Data")
    assert "One element per pixel" not in possible("Data"), "a plot has none"
    assert not entries_of(menu)["Edit"].isVisible()
    source = window.session.source
    assert source is not None
    source.may_change = True
    assert "Delete…" in possible("Edit")
    assert entries_of(menu)["Edit"].isVisible()
    source.may_change = False
    window.sources.close_current()
    assert not {"Reload source", "Close source", "Allow or stop changes"} & possible("File")
    assert {"Open…", "Quit"} <= possible("File")
    assert not possible("Data")
    assert not entries_of(menu)["Data"].isEnabled()
    assert entries_of(menu)["View"].isEnabled(), "the appearance can be chosen"


def test_every_key_of_a_command_works_in_the_window(window: Any, asked: list[str], widget: QWidget) -> None:
    add_window_shortcuts(widget, window)
    found = shortcuts(widget)
    for key, call in (
        ("F5", "sources.reload_current()"),
        ("Ctrl+R", "sources.reload_current()"),
        ("Esc", "workers.stop()"),
    ):
        found[key].activated.emit()
        assert asked.pop() == call
        assert found[key].context() is Qt.ShortcutContext.WindowShortcut
    assert not {"F", "PgDown", "Space"} & set(found), "keys of one pane, or of a widget itself"


def test_keys_of_a_pane_work_only_there(window: Any, asked: list[str], widget: QWidget) -> None:
    add_pane_shortcuts(widget, "Plot", window)
    assert set(shortcuts(widget)) == {"F"}
    picture = QWidget(widget)
    add_pane_shortcuts(picture, "Image", window)
    found = shortcuts(picture)
    assert set(found) == {"F", "1", "PgDown", "PgUp"}
    found["PgUp"].activated.emit()
    assert asked == ["node_pane.step(-1)"]
    assert found["1"].context() is Qt.ShortcutContext.WidgetWithChildrenShortcut


def test_the_tree_has_the_keys_that_would_search_for_a_name(window: Any, widget: QWidget) -> None:
    add_tree_shortcuts(widget, window)
    told = {key for group in COMMANDS for one in group.commands if one.in_tree for key in one.keys}
    assert set(shortcuts(widget)) == told == {"F", "1"}
    assert {one.context() for one in shortcuts(widget).values()} == {Qt.ShortcutContext.WidgetShortcut}


def test_the_present_appearance_is_ticked_and_another_can_be_chosen(qtbot: QtBot) -> None:
    parent, chosen = QMenu(), []
    qtbot.addWidget(parent)
    menu = appearance_menu(parent, Appearance.DARK, chosen.append)
    assert [(one.text(), one.isChecked()) for one in menu.actions()] == [
        ("Follow system", False),
        ("Light", False),
        ("Dark", True),
    ]
    menu.actions()[1].trigger()
    assert chosen == [Appearance.LIGHT]
    assert [one.isChecked() for one in menu.actions()] == [False, True, False], "only one at a time"


def test_the_mount_menu_is_filled_when_it_opens(
    window: Any, asked: list[str], application: QApplication, qtbot: QtBot
) -> None:
    parent = QMenu()
    qtbot.addWidget(parent)
    menu = mount_menu(parent, window)
    assert asked == []
    menu.aboutToShow.emit()
    assert len(asked) == 1
    assert asked[0].startswith("exports.mounter.fill_menu(")


def test_a_menu_is_filled_anew_each_time(qtbot: QtBot) -> None:
    parent, filled = QMenu(), []
    qtbot.addWidget(parent)
    menu = filled_menu("Bookmarks", parent, filled.append)
    assert filled == []
    for _ in range(2):
        menu.aboutToShow.emit()
    assert filled == [menu, menu]


def test_a_menu_starts_with_the_commands_of_its_group(window: Any, asked: list[str], qtbot: QtBot) -> None:
    parent = QMenu()
    qtbot.addWidget(parent)
    menu = filled_menu("Bookmarks", parent, lambda menu: menu.addAction("mine"), window)
    for _ in range(2):
        menu.aboutToShow.emit()
    entries = [one.text().partition("\t")[0] for one in menu.actions() if one.text()]
    assert entries == ["Bookmark this view…", "Edit bookmarks…", "mine"]
    menu.actions()[0].trigger()
    assert asked == ["saved_views.bookmarker.add()"]
