"""The bar above a plot."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QWidget

from zarrbrowser.values.elements import Part
from zarrbrowser.widgets.buttons import switch, tool_button
from zarrbrowser.widgets.label import label


class PlotControls(QFrame):
    """The choice of numbers on the left, of axes on the right."""

    def __init__(self, fit: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.field, self.part, self.note = QComboBox(), QComboBox(), label(role="muted")
        self.field.setAccessibleName("field of the structure")
        self.part.setAccessibleName("part of complex numbers")
        self.part.addItems([part.value.capitalize() for part in Part])
        self.unpacking = switch("unpack", "Unpack values according to their attributes")
        self.log_x = switch("log x", "Logarithmic axis of positions")
        self.log_y = switch("log y", "Logarithmic axis of values")
        self.rectangle = tool_button("shape-rectangle", "Zoom into a rectangle that you drag")
        self.rectangle.setCheckable(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(6)
        for widget in (self.field, self.part, self.note):
            row.addWidget(widget)
        row.addStretch(1)
        for button in (self.unpacking, self.log_x, self.log_y, self.rectangle):
            row.addWidget(button)
        row.addWidget(tool_button("fit", "Fit the whole array into view (F)", fit))

    def show_kind(
        self, fields: tuple[str, ...], *, is_complex: bool, is_packed: bool, is_unpacked: bool
    ) -> None:
        """Show the controls that apply to an array, and reset them."""
        self.field.clear()
        self.field.addItems(fields)
        self.field.setVisible(bool(fields))
        self.part.setVisible(is_complex)
        self.part.setCurrentIndex(0)
        self.unpacking.setVisible(is_packed)
        with QSignalBlocker(self.unpacking):  # set by the program, not by the user
            self.unpacking.setChecked(is_unpacked)
        for button in (self.log_x, self.log_y):
            button.setChecked(False)
