"""The list of all keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.widgets.label import label
from zarrbrowser.window.commands import INSIDE, Group


class KeysDialog(QDialog):
    """Keys and what they do, in two columns."""

    def __init__(self, groups: Sequence[Group], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        native = QKeySequence.SequenceFormat.NativeText
        everywhere = [
            (
                group.title,
                [
                    (one.text.rstrip("…"), ", ".join(QKeySequence(key).toString(native) for key in one.keys))
                    for one in group.commands
                ],
            )
            for group in groups
        ]
        everywhere.append(("Program", [("This list", "F1"), ("Quit", "Ctrl+Q")]))
        columns = QHBoxLayout()
        columns.setSpacing(36)
        columns.addLayout(_column(everywhere))
        columns.addLayout(_column([(title, [*keys]) for title, keys in INSIDE]))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(24, 20, 24, 16)
        whole.setSpacing(16)
        whole.addLayout(columns)
        whole.addWidget(buttons)


def _column(groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> QGridLayout:
    grid, row = QGridLayout(), 0
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(6)
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
