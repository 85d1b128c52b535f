"""Labels and texts, aligned in two columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import Fact
from zarrbrowser.widgets.label import ElidedLabel, label

_LABEL_WIDTH = 104
_LONGEST_WORD = 32
"""The maximum length of a word: lines break only between words, so a longer one is shortened in its middle."""


class FactGrid(QWidget):
    """A heading with facts below it: label, text, and a muted detail."""

    def __init__(self, heading: str = "", facts: Sequence[Fact] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.texts: dict[str, QLabel] = {}
        self._cells: dict[str, QVBoxLayout] = {}
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnMinimumWidth(0, _LABEL_WIDTH)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        if heading:
            column.addWidget(label(heading, "heading", wrap=True))
        column.addLayout(self._grid)
        for row, fact in enumerate(facts):
            self._add(row, fact)

    def add(self, fact: Fact) -> QLabel:
        """Append a fact; returns the label of its text, which may be changed later."""
        self._add(self._grid.rowCount(), fact)
        return self.texts[fact.label]

    def add_detail(self, name: str, detail: str) -> None:
        """Add a muted detail to the fact with a label."""
        self._cells[name].addWidget(_words(detail, "muted"))

    def _add(self, row: int, fact: Fact) -> None:
        name = label(fact.label, "muted")
        text = _words(fact.text)
        if isinstance(text, QLabel):
            self.texts[fact.label] = text
        self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        cell = self._cells[fact.label] = QVBoxLayout()
        cell.setSpacing(1)
        cell.addWidget(text)
        if fact.detail:
            self.add_detail(fact.label, fact.detail)
        self._grid.addLayout(cell, row, 1)


def _words(text: str, role: str = "") -> QWidget:
    if max(map(len, text.split()), default=0) <= _LONGEST_WORD:
        return label(text, role, selectable=True, wrap=True)
    long = ElidedLabel(role)
    long.set_text(text)
    return long
