"""The dialogs of the window, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.panes.image.pictures import VOLUME, pane_of
from zarrbrowser.window.commands import COMMANDS
from zarrbrowser.window.main_window import MainWindow

DIALOGS = {
    "Image": (
        "Open location…",
        "Export…",
        "Export figure…",
        "Export movie…",
        "Check…",
        "New group…",
        "Rename or move…",
        "Delete…",
        "Edit bookmarks…",
        "Commands",
        "Guide",
        "Keyboard shortcuts",
        "About zarrscope",
    ),
    "Table": ("Export…", "Write a value…"),
}
"""The commands that open one, by tab."""


def each_dialog(window: MainWindow, folder: Path, qtbot: QtBot) -> Iterator[tuple[str, QDialog]]:
    """Open each dialog over an array that may be changed, with the title of its command, and close it afterwards."""
    zarrcore.create(folder / "a.zarr").create_array("x", data=VOLUME)
    window.open_text(f"{folder / 'a.zarr'}#/x")
    qtbot.waitUntil(lambda: pane_of(window, qtbot).view.is_complete)
    window.editor.toggle()
    commands = {one.title: one.run for group in COMMANDS for one in group.commands}
    for tab, title in [(tab, title) for tab, titles in DIALOGS.items() for title in titles]:
        assert window.node_pane.show_tab(tab)
        qtbot.waitUntil(lambda: not window.workers.active)
        run = commands[title]
        assert run is not None
        run(window)
        (dialog,) = [one for one in window.findChildren(QDialog) if one.isVisible()]
        qtbot.waitUntil(lambda: not window.workers.active)
        yield title, dialog
        dialog.reject()
