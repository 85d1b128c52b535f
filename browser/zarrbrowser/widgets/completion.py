"""Suggestions while the user types into a line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

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
