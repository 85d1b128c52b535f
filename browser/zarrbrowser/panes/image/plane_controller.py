"""What the person chooses above and below the picture, put into the look: axes, positions, flips, views side by side."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QSignalBlocker, Signal

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.plane_grid import PlaneGrid, PlaneLayout
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.values.numbers import drawable_fields
from zarrbrowser.widgets.axis_sliders import AxisSliders


class PlaneController(QObject):
    """Between the controls and the look of an image.

    Signals:
        turned: other axes lie in the picture.
    """

    turned = Signal()

    def __init__(
        self,
        controls: ImageControls,
        sliders: AxisSliders,
        grid: PlaneGrid,
        coordinate_labels: CoordinateLabels,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._controls, self._sliders, self._grid, self._coordinate_labels = (
            controls,
            sliders,
            grid,
            coordinate_labels,
        )
        self._image: Image | None = None
        self._settings: ViewSettings | None = None
        canvas = grid.main.canvas
        controls.axes.chosen.connect(self._choose_axes)
        controls.fit.clicked.connect(lambda _checked: canvas.fit())
        controls.actual_size.clicked.connect(lambda _checked: canvas.actual_size())
        controls.square.toggled.connect(self._choose_square)
        for button in (controls.flip_rows, controls.flip_columns):
            button.clicked.connect(lambda _checked: self._flip())
        for layout in PlaneLayout:
            controls.layouts[layout.value].clicked.connect(lambda _on, layout=layout: self._arrange(layout))
        controls.coordinates.toggled.connect(coordinate_labels.turn)
        coordinate_labels.changed.connect(self._show_coordinates)
        sliders.moved.connect(self._move)
        grid.moved_to.connect(self._move_to)
        canvas.square_changed.connect(self._show_square)

    def show_image(self, image: Image, settings: ViewSettings) -> None:
        """Another image is looked at."""
        self._image, self._settings = image, settings
        self._controls.show_fields(drawable_fields(image.base.dtype), settings.elements.field)
        self._controls.flip_rows.setChecked(settings.flip_rows)
        self._controls.flip_columns.setChecked(settings.flip_columns)
        layouts = self._controls.layouts
        layouts["orthogonal"].setEnabled(bool(settings.sliders(image)))
        if layouts["orthogonal"].isChecked() and not layouts["orthogonal"].isEnabled():
            layouts["single"].click()
        self.show_axes()

    def clear(self) -> None:
        """No image is looked at."""
        self._image = self._settings = None

    def show_axes(self) -> None:
        """Offer the axes, and a slider for each that may be moved along."""
        if self._image is not None and self._settings is not None:
            self._controls.axes.show_axes(self._settings.axes)
            self._sliders.show_axes(self._settings.axes, self._settings.sliders(self._image))
            self._show_coordinates()

    def _show_coordinates(self) -> None:
        if self._settings is not None:
            self._grid.write_coordinates(self._coordinate_labels)
            self._sliders.show_coordinates(self._coordinate_labels.coordinates)
        self._controls.coordinates.setVisible(self._coordinate_labels.is_known)

    def _choose_axes(self, axes: Axes) -> None:
        if self._settings is None or self._image is None:
            return
        # Where the sliders stand now: the choice knows where they stood when it was offered.
        self._settings.axes = axes = replace(self._settings.axes, rows=axes.rows, columns=axes.columns)
        if self._image.channel_axis in axes.shown:
            self._settings.is_blended = False  # its channels lie in the picture side by side
        self.show_axes()
        self.turned.emit()
        self._grid.show_axes()
        self._show_coordinates()

    def _move(self, axis: int, position: int) -> None:
        if self._settings is not None:
            self._settings.axes = self._settings.axes.at(axis, position)
            self._grid.refresh()

    def _move_to(self, axes: Axes) -> None:
        if self._settings is not None:
            self._settings.axes = axes
            self._sliders.stand_at(axes)
            self._grid.refresh()

    def _flip(self) -> None:
        if self._settings is not None:
            self._settings.flip_rows = self._controls.flip_rows.isChecked()
            self._settings.flip_columns = self._controls.flip_columns.isChecked()
            self._grid.flip()

    def _arrange(self, layout: PlaneLayout) -> None:
        self._grid.arrange(layout)
        self._show_coordinates()

    def _choose_square(self, square: bool) -> None:
        self._grid.main.canvas.set_square(square)
        self._grid.main.canvas.fit()

    def _show_square(self, square: bool) -> None:
        with QSignalBlocker(self._controls.square):
            self._controls.square.setChecked(square)
