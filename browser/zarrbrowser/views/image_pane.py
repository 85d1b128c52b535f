"""The Image tab: a plane of an array with two axes or more."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.session.axes import Axes, is_colour
from zarrbrowser.session.contrast import Contrast
from zarrbrowser.session.nodes import ArrayLike
from zarrbrowser.session.picture import drawable_fields, meaning_of, why_no_picture
from zarrbrowser.session.plane import Plane, PlaneRequest, read_plane
from zarrbrowser.session.quantities import count, format_bytes, format_duration, format_value
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import ArrayView, Session
from zarrbrowser.theme import current_colours
from zarrbrowser.views.data_stack import DataStack
from zarrbrowser.views.image_controls import ImageControls
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.widgets.canvas import Canvas
from zarrbrowser.widgets.contrast_panel import ContrastPanel
from zarrbrowser.widgets.legend import MissingLegend
from zarrbrowser.workers import Lane, Workers


class ImagePane(QWidget):
    """Shows one array.

    Signals:
        plane_shown: the `Plane` that is on the screen now.
        pointed: coordinates and value under the pointer as text; empty off the picture.
        reported: what was read, for the status bar.
    """

    plane_shown = Signal(object)
    pointed = Signal(str)
    reported = Signal(str)

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lane = Lane(workers)
        self._source: Source | None = None
        self._array: ArrayLike | None = None
        self._view: ArrayView | None = None
        self.controls = ImageControls()
        self.canvas = Canvas()
        self.stack = DataStack(self.canvas, self.request_plane, self._load_anyway)
        self.sliders = AxisSliders()
        self.contrast = ContrastPanel()
        self.missing = MissingLegend()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.stack, 1)
        middle.addWidget(self.contrast)
        column.addLayout(middle, 1)
        column.addWidget(self.missing)
        column.addWidget(self.sliders)
        self._connect()
        self.canvas.set_colour_map(session.colour_map)
        self.contrast.choose_colour_map(session.colour_map)
        self.wear()

    def show_array(self, source: Source, array: ArrayLike) -> None:
        """Show an array, as it was shown before if it was."""
        self.clear()
        reason = why_no_picture(array.dtype)
        self.controls.setVisible(not reason)
        if reason:
            self.sliders.hide()
            self.stack.show_sentence(reason, drawing="array2")
            return
        fields = drawable_fields(array.dtype)
        view = self._session.view_of(source, array.path)
        if view is None or view.axes.shape != tuple(array.shape):
            view = ArrayView(Axes.initial(array), field=fields[0] if fields else None)
        self._source, self._array, self._view = source, array, view
        self._session.remember(source, array.path, view)
        self.controls.show_fields(fields, view.field)
        self._axes_changed(view.axes)

    def clear(self) -> None:
        """Show nothing, want nothing."""
        self._lane.forget()
        self._source = self._array = self._view = None
        self.canvas.clear_plane()
        self.missing.hide()
        self.stack.notice.say("")

    def request_plane(self) -> None:
        """Read the plane that the controls describe."""
        array, view = self._array, self._view
        if array is None or view is None:
            return
        if 0 in array.shape:
            self.stack.show_sentence(
                "This array holds no elements: one of its axes has length 0.", drawing="array2"
            )
            return
        request = PlaneRequest(array, view.axes, view.field)
        if not self.stack.may_read(request.cost(), view.may_read_bytes, "This plane"):
            self._lane.forget()
            return
        where = view.axes.describe()
        label_text = f"Reading {array.path}" + (f", {where}" if where else "")
        if self.canvas.plane is None or not self.stack.shows_data:
            self.stack.wait_for(f"{label_text}: {format_bytes(request.cost().nbytes)}")
        self._lane.ask(
            lambda asked: read_plane(request, asked.is_cancelled, asked.progress),
            self._show,
            self._fail,
            label_text,
        )

    def step(self, by: int) -> None:
        """The next or previous plane."""
        self.sliders.step(by)

    def wear(self) -> None:
        """Take on the application's appearance."""
        self.canvas.wear(current_colours())
        self.contrast.histogram.wear(current_colours())

    def _connect(self) -> None:
        controls, canvas = self.controls, self.canvas
        controls.axes.chosen.connect(self._axes_changed)
        controls.field.textActivated.connect(self._field_chosen)
        self.contrast.colour_map_chosen.connect(self._colours_chosen)
        self.contrast.chosen.connect(self._contrast_chosen)
        controls.fit.clicked.connect(lambda _checked: canvas.fit())
        controls.actual_size.clicked.connect(lambda _checked: canvas.actual_size())
        controls.square.toggled.connect(self._square_chosen)
        canvas.pointed.connect(self._point)
        canvas.square_changed.connect(self._show_square)
        self.sliders.moved.connect(self._slider_moved)
        self.stack.data_shown.connect(self._data_shown)

    def _axes_changed(self, axes: Axes) -> None:
        if self._view is None:
            return
        self._view.axes = axes
        self._lane.forget()
        self.controls.axes.show_axes(axes)
        self.sliders.show_axes(axes)
        self.request_plane()

    def _slider_moved(self, axis: int, position: int) -> None:
        if self._view is not None:
            self._view.axes = self._view.axes.at(axis, position)
            self.request_plane()

    def _data_shown(self, shown: bool) -> None:
        # Colours and contrast of nothing would be those of the picture before.
        plain = self._array is not None and not is_colour(self._array.shape, self._array.dtype)
        self.contrast.setVisible(shown and plain)

    def _field_chosen(self, name: str) -> None:
        if self._view is not None:
            self._view.field, self._view.contrast = name, Contrast()
            self._lane.forget()
            self.request_plane()

    def _colours_chosen(self, name: str) -> None:
        self._session.colour_map = name
        self.canvas.set_colour_map(name)

    def _contrast_chosen(self, contrast: Contrast) -> None:
        plane = self.canvas.plane
        if self._view is None or plane is None or plane.statistics is None:
            return
        levels = plane.statistics.levels(contrast)
        self._view.contrast = replace(contrast, low=levels[0], high=levels[1])
        self.contrast.show_contrast(contrast, levels, plane.statistics)
        self.canvas.set_levels(*levels)

    def _square_chosen(self, square: bool) -> None:
        self.canvas.set_square(square)
        self.canvas.fit()

    def _show_square(self, square: bool) -> None:
        button = self.controls.square
        blocked = button.blockSignals(True)
        button.setChecked(square)
        button.blockSignals(blocked)

    def _load_anyway(self) -> None:
        if self._array is not None and self._view is not None:
            request = PlaneRequest(self._array, self._view.axes, self._view.field)
            self._view.may_read_bytes = request.cost().nbytes
            self.request_plane()

    def _show(self, plane: Plane) -> None:
        view = self._view
        if view is None:
            return
        levels = (0.0, 1.0)
        if plane.statistics is not None:
            levels = plane.statistics.levels(view.contrast)
            self.contrast.show_type(plane.values.dtype)
            self.contrast.show_contrast(view.contrast, levels, plane.statistics)
        self.missing.show_statistics(plane.statistics)
        self.stack.show_data()
        self.canvas.show_plane(plane, levels)
        self._report(plane)
        self.plane_shown.emit(plane)

    def _report(self, plane: Plane) -> None:
        cost, where = plane.request.cost(), plane.request.axes.describe()
        self.reported.emit(
            f"{plane.request.array.path}{', ' + where if where else ''}: "
            f"{format_bytes(cost.nbytes)} in {count(cost.chunks, 'chunk')}, {format_duration(plane.elapsed_s)}"
        )

    def _fail(self, error: Exception) -> None:
        self.canvas.clear_plane()
        self.missing.hide()
        self.stack.show_error(error)

    def _point(self, place: tuple[int, int] | None) -> None:
        plane = self.canvas.plane
        if place is None or plane is None:
            self.pointed.emit("")
            return
        axes, value = plane.request.axes, plane.values[place]
        text = f"{axes.names[axes.rows]} = {place[0]:,}, {axes.names[axes.columns]} = {place[1]:,}:  {format_value(value)}"
        meaning = meaning_of(plane.values.dtype)
        if meaning == "amplitude":
            text += f"  (amplitude {format_value(plane.picture[place])})"
        self.pointed.emit(text)
