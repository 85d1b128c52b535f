"""All that the window can do now, for the command palette: commands, menus, tabs, and the buttons of the current tab."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QTextDocumentFragment
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from zarrbrowser.dialogs.palette_dialog import Entry, PaletteDialog
from zarrbrowser.widgets.bar import Bar
from zarrbrowser.window.commands import COMMANDS

if TYPE_CHECKING:
    from zarrbrowser.window.main_window import MainWindow

_HERE = "Commands"
_COMMANDS = {(command.label, group.title) for group in COMMANDS for command in group.commands}


def show_palette(window: MainWindow) -> PaletteDialog:
    """Show all that the window can do now, to be found by typing."""
    bar, pane = window.view.top_bar, window.node_pane
    menus = {"": bar.menu, "Open recent": bar.recent_menu}
    copying = pane.header.copy_button.menu()
    if isinstance(copying, QMenu):
        menus["Copy as"] = copying
    dialog = PaletteDialog(entries_of(window, menus, pane.current_tab(), pane.current_pane), window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def entries_of(window: MainWindow, menus: dict[str, QMenu], tab: str, pane: QWidget | None) -> list[Entry]:
    """The entries for the present state of a window.

    Args:
        menus: further menus, by what their entries are for.
        tab: the title of the current tab.
        pane: its pane, if it exists.
    """
    entries = list(_of_commands(window, tab))
    for title, menu in menus.items():
        entries += _of_menu(menu, title)
    if pane is not None:
        entries += _of_buttons(pane, tab)
    found: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        found.setdefault((entry.title, entry.place), entry)
    return list(found.values())


def _of_commands(window: MainWindow, tab: str) -> Iterator[Entry]:
    for group in COMMANDS:
        for command in group.commands:
            run = command.run
            if run is None or command.title == _HERE or (command.panes and tab not in command.panes):
                continue
            yield Entry(command.label, partial(run, window), group.title, command.keys_text())


def _of_menu(menu: QMenu, place: str) -> Iterator[Entry]:
    """The entries of a menu and of those in it; menus that are filled when they open are filled now."""
    menu.aboutToShow.emit()
    for action in menu.actions():
        inner = action.menu()
        title = _title(action)
        if isinstance(inner, QMenu):
            yield from _of_menu(inner, f"{place}: {title}" if place else title)
        elif title and (title, place) not in _COMMANDS:
            yield Entry(title, action.trigger, place, is_enabled=action.isEnabled())


def _title(action: QAction) -> str:
    return (
        action.text().partition("\t")[0].rstrip("…").replace("&&", "\0").replace("&", "").replace("\0", "&")
    )


def _of_buttons(pane: QWidget, tab: str) -> Iterator[Entry]:
    """The buttons of a tab that are shown, or that its bar has moved into a menu because it is narrow; and their menus."""
    bars = pane.findChildren(Bar)
    moved = {one for bar in bars for one in (*bar.gives_way, *bar.folds_away)}
    menus_of_bars = {bar.more for bar in bars}
    for button in pane.findChildren(QToolButton):
        tip = QTextDocumentFragment.fromHtml(button.toolTip()).toPlainText().strip().partition("\n")[0]
        if not tip or button in menus_of_bars or not (button.isVisible() or button in moved):
            continue
        menu = button.menu()
        if menu is None or button.popupMode() is not QToolButton.ToolButtonPopupMode.InstantPopup:
            yield Entry(tip, button.click, tab, is_enabled=button.isEnabled())
        if menu is not None and button.isEnabled():
            yield from _of_menu(menu, f"{tab}: {tip}")
