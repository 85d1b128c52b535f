"""The window's menu and shortcuts, made from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from zarrbrowser.theme import Appearance
from zarrbrowser.window.commands import COMMANDS, Command

if TYPE_CHECKING:
    from zarrbrowser.window.main_window import MainWindow

_OF_CHANGES = "Edit"
"""The group that is only there while changes are allowed."""
_TITLES = {Appearance.SYSTEM: "Follow system", Appearance.LIGHT: "Light", Appearance.DARK: "Dark"}


def build_menus(window: MainWindow) -> None:
    """Fill the menus of a window, and add its shortcuts."""
    menu, copying = window.view.top_bar.menu, QMenu(window.node_pane.header.copy_button)
    copying.aboutToShow.connect(lambda: window.exports.data.fill_menu(copying))
    copying.aboutToShow.connect(lambda: window.saved_views.bookmarker.add_link(copying))
    window.node_pane.header.copy_button.setMenu(copying)
    submenus = {
        "File": (
            filled_menu("Recent views", menu, window.saved_views.recent.fill_menu),
            mount_menu(menu, window),
        ),
        "View": (appearance_menu(menu, window.settings.appearance(), window.view.appearance.choose),),
        "Bookmarks": (filled_menu("Bookmarks", menu, window.saved_views.bookmarker.fill_menu, window),),
    }
    fill_menu(menu, window, submenus)
    add_window_shortcuts(window, window)
    add_tree_shortcuts(window.tree, window)
    window.node_pane.panes.made.connect(lambda pane, title: add_pane_shortcuts(pane, title, window))


def fill_menu(menu: QMenu, window: MainWindow, submenus: Mapping[str, Sequence[QMenu]]) -> None:
    """The menu of all commands, each with its key: a menu for each group.

    Args:
        submenus: further menus, by the group after whose commands they come. A group without commands of its own is its submenu.
    """
    for group in COMMANDS:
        commands = [one for one in group.commands if one.in_menu and one.run is not None]
        further = submenus.get(group.title, ())
        inner = QMenu(group.title, menu) if commands else menu
        actions = [
            (_add(inner, one, window), replace(one, needs=one.needs or group.needs)) for one in commands
        ]
        for submenu in further:
            inner.addMenu(submenu)
        if commands:
            entry = menu.addMenu(inner)
            menu.aboutToShow.connect(partial(_enable, entry, actions, window, has_more=bool(further)))


def _enable(
    entry: QAction, actions: Sequence[tuple[QAction, Command]], window: MainWindow, *, has_more: bool
) -> None:
    """Enable the commands of a group that can do something now, and the group if there are any."""
    for action, command in actions:
        action.setEnabled(_is_possible(command, window))
    is_possible = has_more or any(action.isEnabled() for action, _command in actions)
    entry.setEnabled(is_possible)
    entry.setVisible(is_possible or entry.text() != _OF_CHANGES)


def _is_possible(command: Command, window: MainWindow) -> bool:
    if command.panes and window.node_pane.current_tab() not in command.panes:
        return False
    return command.needs is None or command.needs(window)


def add_window_shortcuts(widget: QWidget, window: MainWindow) -> None:
    """Add the keys that work in the whole window."""
    for command in _bindable():
        if not command.panes:
            _bind(widget, command, window, Qt.ShortcutContext.WindowShortcut)


def add_pane_shortcuts(pane: QWidget, title: str, window: MainWindow) -> None:
    """Add the keys that work only in one pane."""
    for command in _bindable():
        if title in command.panes:
            _bind(pane, command, window, Qt.ShortcutContext.WidgetWithChildrenShortcut)


def add_tree_shortcuts(tree: QWidget, window: MainWindow) -> None:
    """Add the keys of panes that also work in the tree, where they would otherwise search for a name."""
    for command in _bindable():
        if command.in_tree:
            _bind(tree, command, window, Qt.ShortcutContext.WidgetShortcut)


def mount_menu(parent: QMenu, window: MainWindow) -> QMenu:
    """The menu to mount and unmount; filled when it is opened."""
    menu = QMenu("Mount", parent)
    menu.aboutToShow.connect(lambda: window.exports.mounter.fill_menu(menu))
    return menu


def filled_menu(
    title: str, parent: QMenu, fill: Callable[[QMenu], object], window: MainWindow | None = None
) -> QMenu:
    """A menu that is filled each time it is opened.

    Args:
        fill: adds entries to the empty menu.
        window: if given, the commands of the group with this title come first.
    """
    menu = QMenu(title, parent)
    menu.setToolTipsVisible(True)

    def fill_again() -> None:
        menu.clear()
        commands = [one for group in COMMANDS if group.title == title for one in group.commands]
        if window is not None:
            for command in commands:
                _add(menu, command, window)
            menu.addSeparator()
        fill(menu)

    menu.aboutToShow.connect(fill_again)
    return menu


def appearance_menu(parent: QMenu, current: Appearance, choose: Callable[[Appearance], None]) -> QMenu:
    """The menu of appearances: light, dark, or the system's."""
    menu = QMenu("Appearance", parent)
    group = QActionGroup(menu)
    for appearance, title in _TITLES.items():
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(appearance is current)
        action.triggered.connect(lambda _checked=False, chosen=appearance: choose(chosen))
        group.addAction(action)
    return menu


def _add(menu: QMenu, command: Command, window: MainWindow) -> QAction:
    # The window handles the keys, because some commands have two.
    return menu.addAction(f"{command.title}\t{_first_key(command)}", _bound(command, window))


def _bindable() -> list[Command]:
    return [command for group in COMMANDS for command in group.commands if command.run is not None]


def _bound(command: Command, window: MainWindow) -> Callable[[], object]:
    run = command.run
    return lambda: run(window) if run is not None else None


def _bind(widget: QWidget, command: Command, window: MainWindow, context: Qt.ShortcutContext) -> None:
    for key in command.keys:
        shortcut = QShortcut(QKeySequence(key), widget)
        shortcut.setContext(context)
        shortcut.activated.connect(_bound(command, window))


def _first_key(command: Command) -> str:
    return QKeySequence(command.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
