"""The window's menu and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from zarrbrowser.theme import Appearance
from zarrbrowser.window.commands import window_commands

if TYPE_CHECKING:
    from zarrbrowser.dialogs.keys_dialog import KeysDialog
    from zarrbrowser.window.main_window import MainWindow

_TITLES = {Appearance.SYSTEM: "As the system", Appearance.LIGHT: "Light", Appearance.DARK: "Dark"}


def fill_menu(menu: QMenu, window: MainWindow) -> None:
    """Everything that can be done, each with its key."""
    for group in window_commands(window):
        for command in group.commands:
            if command.in_menu:
                # The keys themselves belong to the window, which has two for some.
                menu.addAction(f"{command.text}\t{_shown(command.keys[0])}", command.run)
        menu.addSeparator()
    mount = menu.addMenu("Mount")
    mount.aboutToShow.connect(lambda: window.mounter.fill_menu(mount))
    menu.addMenu(_appearance_menu(window, menu))
    menu.addAction("Keyboard shortcuts\tF1", lambda: show_keys(window))
    menu.addSeparator()
    menu.addAction("Quit\tCtrl+Q", window.close)


def add_shortcuts(window: MainWindow) -> None:
    """The keys of all commands."""
    groups = window_commands(window)
    commands = [command for group in groups for command in group.commands if command.everywhere]
    keys = [(key, command.run) for command in commands for key in command.keys]
    for key, run in (*keys, ("F1", lambda: show_keys(window)), ("Ctrl+Q", window.close)):
        QShortcut(QKeySequence(key), window, run)


def show_keys(window: MainWindow) -> KeysDialog:
    """List all keys."""
    from zarrbrowser.dialogs.keys_dialog import KeysDialog

    dialog = KeysDialog(window_commands(window), window)
    dialog.open()
    return dialog


def add_picture_keys(pane: QWidget, actions: Mapping[str, Callable[[], object]]) -> None:
    """Keys that mean something else in the tree and in text: they are the picture's only inside it."""
    inside = Qt.ShortcutContext.WidgetWithChildrenShortcut
    for keys, action in actions.items():
        shortcut = QShortcut(QKeySequence(keys), pane)
        shortcut.setContext(inside)
        shortcut.activated.connect(action)


def _shown(keys: str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _appearance_menu(window: MainWindow, parent: QMenu) -> QMenu:
    menu = QMenu("Appearance", parent)
    group = QActionGroup(menu)
    for appearance, title in _TITLES.items():
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(window.settings.appearance() is appearance)
        action.triggered.connect(lambda _checked=False, chosen=appearance: window.set_appearance(chosen))
        group.addAction(action)
    return menu
