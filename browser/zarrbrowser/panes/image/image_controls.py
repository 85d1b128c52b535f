"""The bar above the picture."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QComboBox, QToolButton, QWidget

from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.axis_choice import AxisChoice
from zarrbrowser.widgets.bar import Bar
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import label

_LEAST_WIDTH, _LEAST_OF_TWO = 440, 340
"""In pixels: of the only picture, and of each of two."""


class ImageControls(Bar):
    """The axes, then what every picture has, which keeps its place; the tools for this data are in a menu with words."""

    least_width = _LEAST_WIDTH

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.axes = AxisChoice()
        self.field_label, self.field = label("Field", "muted"), QComboBox()
        name_box(self.field, "field of the structure")
        self.variable_label, self.variable = label("Image", "muted"), QComboBox()
        name_box(self.variable, "image of the group")
        self.variable.setToolTip("The image, or variable of the pyramid, that is shown")
        self.show_variables((), "")
        self.layouts = {
            "single": _toggle("layout-single", "One plane"),
            "pair": _toggle("layout-pair", "Side by side: the right view stays as it is now"),
            "orthogonal": _toggle("layout-orthogonal", "Orthogonal planes through a clicked point"),
        }
        group = QButtonGroup(self)
        for button in self.layouts.values():
            group.addButton(button)
        self.layouts["single"].setChecked(True)
        self.chunks = _toggle("chunks", "Chunk borders; chunks that are not stored are hatched")
        self.tools = {
            "profile": _toggle("profile", "Profile along a line"),
            "region": _toggle("region", "Regions: statistics of rectangles, ellipses and polygons"),
        }
        self.series = _toggle(
            "series", "Series through the points that you click, along time or another axis"
        )
        self.means = _toggle("means", "Means of rows or columns: on maps the zonal and the meridional mean")
        self.compare = _toggle("compare", "Compare with another plane: difference or ratio")
        self.contours = _toggle(
            "contours", "Contour lines, at round numbers between the first and the last colour"
        )
        self.labels = tool_button("labels", "Labels over the picture")
        self.labels.setEnabled(False)
        self.map = tool_button("map", "Map: coastlines and graticule")
        self.map.setEnabled(False)
        self.coordinates = _toggle("ruler", "Coordinates and units on the axes instead of indices")
        self.coordinates.setChecked(True)
        self.coordinates.setEnabled(False)
        self.flip_rows = _toggle("flip-rows", "Flip vertically")
        self.flip_columns = _toggle("flip-columns", "Flip horizontally")
        self.colours = _toggle("contrast", "Show or hide the panel of colours (Shift+F9)")
        self.colours.setChecked(True)
        self.fit = tool_button("fit", "Fit the whole plane into view (F)")
        self.actual_size = tool_button("actual-size", "One element per pixel (1)")
        self.square = _toggle("aspect", "Square elements: same scale along both axes")
        self.square.setChecked(True)
        row = self.row
        row.addWidget(self.variable_label)
        row.addWidget(self.variable)
        row.addWidget(self.field_label)
        row.addWidget(self.field)
        row.addSpacing(6)
        row.addWidget(self.axes)
        row.addStretch(1)
        self.more.setText("Tools ▾")
        self.more.setToolTip("Tools for these data: series, regions, labels, map and others")
        self.more.setAccessibleName("tools")
        for button in (self.more, *self.layouts.values(), self.fit, self.colours):
            row.addWidget(button)
        self.folds_away = (
            self.series,
            *self.tools.values(),
            self.means,
            self.compare,
            self.contours,
            self.labels,
            self.map,
            self.coordinates,
            self.flip_columns,
            self.flip_rows,
            self.actual_size,
            self.square,
            self.chunks,
        )
        for button in self.folds_away:
            button.setParent(self)
        self.gives_way = self.axes.labels

    def be_one_of_two(self, *, is_on: bool) -> None:
        """Be narrow enough for one of two pictures side by side: what lays out planes may move into the menu."""
        self.least_width = _LEAST_OF_TWO if is_on else _LEAST_WIDTH
        for button in self.layouts.values():
            button.show()
        self.gives_way = (*self.axes.labels, *self.layouts.values()) if is_on else self.axes.labels
        self.updateGeometry()
        self.make_room()

    def show_variables(self, names: tuple[str, ...], current: str) -> None:
        """Offer the variables of a pyramid, or the images of a group; hidden if there is only one."""
        self.variable.clear()
        self.variable.addItems(names)
        self.variable.setCurrentText(current)
        for part in (self.variable_label, self.variable):
            part.setVisible(len(names) > 1)

    def show_fields(self, fields: tuple[str, ...], current: str | None) -> None:
        """Offer the fields of a structured type; hidden for other types."""
        self.field.clear()
        self.field.addItems(fields)
        self.field.setCurrentText(current or "")
        self.field.setVisible(bool(fields))
        self.field_label.setVisible(bool(fields))


def _toggle(drawing: str, tip: str) -> QToolButton:
    button = tool_button(drawing, tip)
    button.setCheckable(True)
    return button
