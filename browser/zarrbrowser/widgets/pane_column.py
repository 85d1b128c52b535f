"""The layout of a pane: a bar above the data, panels beside and below them."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget


def lay_out(pane: QWidget, above: QWidget, data: QWidget, beside: QWidget, *below: QWidget) -> QHBoxLayout:
    """Fill a pane; the data take all room that the others leave. Return the row with the data."""
    column = QVBoxLayout(pane)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(above)
    middle = QHBoxLayout()
    middle.setSpacing(0)
    middle.addWidget(data, 1)
    middle.addWidget(beside)
    column.addLayout(middle, 1)
    for part in below:
        column.addWidget(part)
    return middle
