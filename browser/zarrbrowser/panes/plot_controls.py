"""The bar above a plot."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QWidget

from zarrbrowser.values.elements import Part
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import switch, tool_button
from zarrbrowser.widgets.label import label


class AxesControls(QFrame):
    """The choices that every plot has: the scales of its axes, and what dragging does.

    Args:
        fit: fits the whole plot into view.
        what: what that shows, for the button's text.
    """

    def __init__(self, fit: Callable[[], object], what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.note = label(role="muted")
        self.log_x = switch("log x", "Logarithmic horizontal axis")
        self.log_y = switch("log y", "Logarithmic vertical axis")
        self.rectangle = tool_button("shape-rectangle", "Zoom into a rectangle that you drag")
        self.rectangle.setCheckable(True)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(12, 6, 8, 6)
        self.row.setSpacing(6)
        self.row.addWidget(self.note)
        self.row.addStretch(1)
        for button in (self.log_x, self.log_y, self.rectangle):
            self.row.addWidget(button)
        self.row.addWidget(tool_button("fit", f"Fit {what} into view (F)", fit))


class PlotControls(AxesControls):
    """The choice of numbers on the left, of axes on the right."""

    def __init__(self, fit: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(fit, "the whole array", parent)
        self.field, self.part = QComboBox(), QComboBox()
        name_box(self.field, "field of the structure")
        name_box(self.part, "part of complex numbers")
        self.part.addItems([part.value.capitalize() for part in Part])
        self.unpacking = switch("unpack", "Apply the scale and the offset of the values")
        self.row.insertWidget(0, self.field)
        self.row.insertWidget(1, self.part)
        self.row.insertWidget(self.row.indexOf(self.log_x), self.unpacking)

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
