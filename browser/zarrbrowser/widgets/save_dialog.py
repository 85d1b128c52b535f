"""The dialog that asks for the file to write."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from zarrbrowser.widgets.completion import dress_suggestions


def ask_for_file(
    parent: QWidget,
    title: str,
    filters: str,
    suffix: str,
    name: str,
    chosen: Callable[[str], object],
    folder: str = "",
) -> QFileDialog:
    """Ask for a file without blocking the window.

    Args:
        filters: the types of files, such as ``PNG (*.png)``; empty to ask for a new folder.
        suffix: appended to a name that has none.
        name: the suggested name.
        folder: the folder shown first; by default the current one.
    """
    dialog = QFileDialog(parent, title, folder, filters)
    dress_suggestions(dialog)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)  # asks before replacing an existing file
    dialog.setDefaultSuffix(suffix)
    if not filters:
        dialog.setLabelText(QFileDialog.DialogLabel.FileName, "New folder")
    dialog.selectFile(name)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(chosen)
    dialog.open()
    return dialog
