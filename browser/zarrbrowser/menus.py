"""The window's menu and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from zarrbrowser.theme import Appearance

if TYPE_CHECKING:
    from zarrbrowser.window import MainWindow

_TITLES = {Appearance.SYSTEM: "As the system", Appearance.LIGHT: "Light", Appearance.DARK: "Dark"}


def window_menu(window: MainWindow) -> QMenu:
    """Everything that can be done, each with its key."""
    menu = QMenu(window)
    for text, keys, action in (
        ("Open folder…", "Ctrl+O", window.choose_folder),
        ("Reload source", "F5", window.reload),
        ("Close source", "Ctrl+W", window.close_source),
    ):
        menu.addAction(text, QKeySequence(keys), action)
    menu.addSeparator()
    for shown, action in (  # their keys belong to the window, which has two for some
        ("Fit into view\tF", window.fit),
        ("One element per pixel\t1", window.actual_size),
        ("Next plane\tCtrl+Right", lambda: window.step(1)),
        ("Previous plane\tCtrl+Left", lambda: window.step(-1)),
    ):
        menu.addAction(shown, action)
    menu.addSeparator()
    menu.addMenu(_appearance_menu(window, menu))
    menu.addSeparator()
    menu.addAction("Quit", QKeySequence("Ctrl+Q"), window.close)
    window.addActions([action for action in menu.actions() if not action.shortcut().isEmpty()])
    return menu


def add_shortcuts(window: MainWindow) -> None:
    """Keys that the menu does not have, or has as a text only."""
    for keys, action in (
        ("Esc", window.workers.stop),
        ("Ctrl+Right", lambda: window.step(1)),
        ("Ctrl+Left", lambda: window.step(-1)),
        ("Ctrl+L", window.focus_address),
        ("Ctrl+F", window.side.focus_box),
    ):
        QShortcut(QKeySequence(keys), window, action)


def add_picture_keys(pane: QWidget, actions: Mapping[str, Callable[[], object]]) -> None:
    """Keys that mean something else in the tree and in text: they are the picture's only inside it."""
    inside = Qt.ShortcutContext.WidgetWithChildrenShortcut
    for keys, action in actions.items():
        shortcut = QShortcut(QKeySequence(keys), pane)
        shortcut.setContext(inside)
        shortcut.activated.connect(action)


def _appearance_menu(window: MainWindow, parent: QMenu) -> QMenu:
    menu = QMenu("Appearance", parent)
    group = QActionGroup(menu)
    for appearance, title in _TITLES.items():
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(window.settings.appearance() is appearance)
        action.triggered.connect(lambda _checked=False, chosen=appearance: window.wear(chosen))
        group.addAction(action)
    return menu
