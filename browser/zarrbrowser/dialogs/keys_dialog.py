"""The list of all keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.scrolled import Scrolled

Keys = tuple[str, Sequence[tuple[str, str]]]
"""The title of a group, and pairs of keys as text and what they do."""


class KeysDialog(QDialog):
    """Keys and what they do, in columns.

    Args:
        starts: the positions of the groups with which the further columns start.
    """

    def __init__(self, groups: Sequence[Keys], starts: Sequence[int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        area = Scrolled("", both_ways=True)
        columns = QHBoxLayout(area.inside)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(28)
        for first, last in pairwise((0, *starts, len(groups))):
            columns.addLayout(_column(groups[first:last]))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(24, 20, 24, 16)
        whole.setSpacing(16)
        whole.addWidget(area, 1)
        whole.addWidget(buttons)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Show all keys at once, if the screen is large enough."""
        super().showEvent(event)
        self.resize(self.sizeHint().boundedTo(self.screen().availableSize()))


def _column(groups: Sequence[Keys]) -> QGridLayout:
    grid, row = QGridLayout(), 0
    grid.setHorizontalSpacing(20)
    grid.setVerticalSpacing(5)
    for title, keys in groups:
        heading = label(title, "heading")
        heading.setContentsMargins(0, 8 if row else 0, 0, 0)
        grid.addWidget(heading, row, 0, 1, 2)
        for number, (what, key) in enumerate(keys, start=row + 1):
            grid.addWidget(label(what), number, 0)
            grid.addWidget(label(key, "key"), number, 1, Qt.AlignmentFlag.AlignLeft)
        row += len(keys) + 1
    grid.setRowStretch(row, 1)
    return grid
