"""Two widgets beside each other, with a handle between them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget


def side_by_side(left: QWidget, right: QWidget, widths: tuple[int, int]) -> QSplitter:
    """A splitter whose widgets cannot be collapsed."""
    splitter = QSplitter(Qt.Orientation.Horizontal)
    for position, widget in enumerate((left, right)):
        splitter.addWidget(widget)
        splitter.setStretchFactor(position, 1)
    splitter.setSizes([*widths])
    splitter.setHandleWidth(1)
    splitter.setChildrenCollapsible(False)
    return splitter
