"""The bar above the picture."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QWidget

from zarrbrowser.widgets.axis_choice import AxisChoice
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.colour_map_box import ColourMapBox
from zarrbrowser.widgets.contrast_box import ContrastBox
from zarrbrowser.widgets.label import label


class ImageControls(QFrame):
    """Axes, field, colours, contrast and view, in the order in which a person decides on them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.axes = AxisChoice()
        self.field_label, self.field = label("Field", "muted"), QComboBox()
        self.field.setAccessibleName("field of the structure")
        self.colour_map = ColourMapBox()
        self.contrast = ContrastBox()
        self.fit = tool_button("fit", "Fit the whole plane into view (F)")
        self.actual_size = tool_button("actual-size", "One element per pixel (1)")
        self.square = tool_button("aspect", "Square elements: same scale along both axes")
        self.square.setCheckable(True)
        self.square.setChecked(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(6)
        for widget in (self.field_label, self.field, self.axes):
            row.addWidget(widget)
        row.addSpacing(10)
        row.addWidget(self.colour_map)
        row.addSpacing(10)
        row.addWidget(self.contrast)
        row.addStretch(1)
        for button in (self.fit, self.actual_size, self.square):
            row.addWidget(button)

    def show_fields(self, fields: tuple[str, ...], current: str | None) -> None:
        """Offer the fields of a structure; hidden for plain elements."""
        self.field.clear()
        self.field.addItems(fields)
        self.field.setCurrentText(current or "")
        self.field.setVisible(bool(fields))
        self.field_label.setVisible(bool(fields))

    def show_colours(self, plain: bool) -> None:
        """Colour map and contrast, for planes that are not colours themselves."""
        self.colour_map.setVisible(plain)
        self.contrast.setVisible(plain)
