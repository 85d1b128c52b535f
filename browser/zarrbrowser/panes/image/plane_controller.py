"""The controller between the state and the controls above and below the picture: axes, positions, flips, layout."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QSignalBlocker

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.calculations.derivation import may_derive
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.colours.contrast import Contrast
from zarrbrowser.image.state import Change, PlaneLayout
from zarrbrowser.image.view_settings import initial_contrast
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.values.numbers import drawable_fields
from zarrbrowser.widgets.axis_sliders import AxisSliders


class PlaneController(QObject):
    """Shows the state in the controls, and applies the user's choices there to the state."""

    def __init__(
        self,
        model: ImageModel,
        controls: ImageControls,
        sliders: AxisSliders,
        canvas: Canvas,
        coordinate_labels: CoordinateLabels,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._model, self._canvas = model, canvas
        self._controls, self._sliders, self._coordinate_labels = controls, sliders, coordinate_labels
        controls.axes.chosen.connect(self._choose_axes)
        controls.actual_size.clicked.connect(lambda _checked: canvas.actual_size())
        controls.square.toggled.connect(self._choose_square)
        for button in (controls.flip_rows, controls.flip_columns):
            button.clicked.connect(lambda _checked: self._choose_flips())
        for layout in PlaneLayout:
            controls.layouts[layout.value].clicked.connect(
                lambda _checked, layout=layout: model.arrange(layout)
            )
        controls.coordinates.toggled.connect(coordinate_labels.turn)
        coordinate_labels.changed.connect(self._show_coordinates)
        coordinate_labels.changed.connect(self._turn)
        sliders.moved.connect(self._move)
        sliders.reduced.connect(self._reduce)
        canvas.square_changed.connect(self._show_square)
        model.changed.connect(self._follow)

    def _follow(self, change: Change) -> None:
        state = self._model.state
        if state is None:
            return
        controls, settings = self._controls, state.settings
        if Change.IMAGE in change:
            controls.show_fields(drawable_fields(state.image.base.dtype), settings.elements.field)
        if Change.ORIENTATION in change:
            controls.flip_rows.setChecked(settings.flip_rows)
            controls.flip_columns.setChecked(settings.flip_columns)
        if change & (Change.AXES | Change.CHANNELS):
            controls.axes.show_axes(settings.axes)
            self._sliders.show_axes(settings.axes, settings.sliders(state.image))
            controls.layouts["orthogonal"].setEnabled(state.has_depth)
            self._show_coordinates()
        elif Change.POSITION in change:
            self._sliders.stand_at(settings.axes)
        if change & (Change.AXES | Change.CHANNELS | Change.DERIVATION | Change.VALUES):
            is_offered = settings.axes.channel is None and may_derive(state.image.base, settings.elements)
            self._sliders.show_reduction(settings.reduction, is_offered=is_offered)
        controls.layouts[state.layout.value].setChecked(True)

    def _show_coordinates(self) -> None:
        if self._model.state is not None:
            self._sliders.show_coordinates(self._coordinate_labels.coordinates)
        self._controls.coordinates.setEnabled(self._coordinate_labels.is_known)

    def _turn(self) -> None:
        """Turn the picture as its coordinates demand."""
        state = self._model.state
        if state is not None and self._coordinate_labels.is_about(state.image):
            labels = self._coordinate_labels
            upward = {axis for axis, one in labels.found.items() if one.turns_rows}
            leftward = {axis for axis, one in labels.found.items() if one.turns_columns}
            upward |= {one.upward for one in labels.auxiliary if one.upward is not None}
            leftward |= {one.leftward for one in labels.auxiliary if one.leftward is not None}
            self._model.change(
                upward=frozenset(upward), leftward=frozenset(leftward), geography=labels.geography
            )

    def _choose_axes(self, axes: Axes) -> None:
        state = self._model.state
        if state is not None:
            # Keep the present positions: those of the choice may be outdated.
            settings = state.settings.with_picture_axes(state.image, axes.rows, axes.columns)
            self._model.change(settings=settings)

    def _move(self, axis: int, position: int) -> None:
        if self._model.state is not None:
            self._model.set(axes=self._model.state.settings.axes.at(axis, position))

    def _reduce(self, axis: int, statistic: Statistic | None) -> None:
        state = self._model.state
        if state is not None:
            reduction = None if statistic is None else Reduction(axis, statistic)
            # Sums and deviations have another range than elements: bounds that were fixed do not apply.
            is_alike = statistic not in (Statistic.SUM, Statistic.DEVIATION)
            channels = tuple(
                replace(one, contrast=initial_contrast(one.channel) if is_alike else Contrast())
                for one in state.settings.channels
            )
            self._model.set(reduction=reduction, contrast=Contrast(), channels=channels)

    def _choose_flips(self) -> None:
        controls = self._controls
        self._model.set(
            flip_rows=controls.flip_rows.isChecked(), flip_columns=controls.flip_columns.isChecked()
        )

    def _choose_square(self, square: bool) -> None:
        self._canvas.set_square(square)
        self._canvas.fit()

    def _show_square(self, square: bool) -> None:
        with QSignalBlocker(self._controls.square):
            self._controls.square.setChecked(square)
