"""Suggestions while the user types into a line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QFileDialog, QLineEdit, QListView

from zarrbrowser.theme import dress


def suggest(line: QLineEdit, words: Sequence[str] = ()) -> QStringListModel:
    """Suggest the words that contain what is typed, in either case; returns their model, which may change."""
    model = QStringListModel([*words], line)
    completer = QCompleter(model, line)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    popup = QListView()  # Qt would make it without the look of the window: it is one of its own
    dress(popup)
    completer.setPopup(popup)
    line.setCompleter(completer)
    return model


def dress_suggestions(dialog: QFileDialog) -> None:
    """Give the look of the window to the suggestions of Qt's dialog for files, which are windows of their own."""
    for line in dialog.findChildren(QLineEdit):
        completer = line.completer()
        popup = None if completer is None else completer.popup()
        if popup is not None:
            dress(popup)
