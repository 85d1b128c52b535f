"""The choice of the axes for rows and columns of the picture."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from zarrbrowser.image.axes import Axes
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import label

_WIDEST = 150
"""The maximum width in pixels; the open list shows longer names in full."""


class AxisChoice(QWidget):
    """Two menus of axis names, and a button that swaps them.

    Signals:
        chosen: emitted with the axes when the rows or columns change.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._axes: Axes | None = None
        self.rows, self.columns = QComboBox(), QComboBox()
        name_box(self.rows, "axis of the rows")
        name_box(self.columns, "axis of the columns")
        self.rows.activated.connect(lambda _row: self._choose(down=True))
        self.columns.activated.connect(lambda _row: self._choose(down=False))
        self.swap = tool_button("swap", "Swap rows and columns", self._swap)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.labels = label("Rows", "muted"), label("Columns", "muted")
        for widget in (self.labels[0], self.rows, self.swap, self.labels[1], self.columns):
            row.addWidget(widget)
        for box in (self.rows, self.columns):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(_WIDEST)

    def show_axes(self, axes: Axes) -> None:
        """Offer the axes of an array."""
        self._axes = axes
        for box, current in ((self.rows, axes.rows), (self.columns, axes.columns)):
            box.clear()
            for axis, name in enumerate(axes.names):
                if axis != axes.channel:
                    box.addItem(name, axis)
            box.setCurrentIndex(box.findData(current))

    def _choose(self, *, down: bool) -> None:
        if self._axes is not None:
            box = self.rows if down else self.columns
            axis = int(box.currentData())
            self.chosen.emit(self._axes.with_rows(axis) if down else self._axes.with_columns(axis))

    def _swap(self) -> None:
        if self._axes is not None:
            self.chosen.emit(self._axes.with_rows(self._axes.columns))
