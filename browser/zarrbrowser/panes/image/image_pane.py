"""The Image tab: a plane of an array with two or more axes, or of a group that is one image."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.export.figures.planes import ShownPlanes
from zarrbrowser.export.viewed_array import ViewedArray, computed_from
from zarrbrowser.image.calculations.comparison import CannotCompareError
from zarrbrowser.image.colours.painting import displayed_slice
from zarrbrowser.image.displayed_slice import DisplayedSlice
from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.multiscales import NotAnImageError, image_of_group
from zarrbrowser.image.settings_document import apply_document, is_inside, place_of, settings_document
from zarrbrowser.image.state import Change, ImageState, PlaneLayout
from zarrbrowser.image.tiles.frame_text import report
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.nodes.protocols import NodeLike, is_array
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.image.beside.beside import Beside
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.thumbnail import thumbnail
from zarrbrowser.panes.image.colours.colour_controller import ColourController
from zarrbrowser.panes.image.colours.contrast_panel import ContrastPanel
from zarrbrowser.panes.image.colours.legend import MissingLegend
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.picture_notice import PictureNotice
from zarrbrowser.panes.image.plane_controller import PlaneController
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.panes.image.shown_planes import shown_planes
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.image.tools.image_tools import ImageTools
from zarrbrowser.panes.image.tools.tool_panels import PictureWithTools
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.theme import current_colours
from zarrbrowser.values.elements import elements_of
from zarrbrowser.values.numbers import why_no_picture
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.workers import Lane, Workers

_CALM_MS = 700
_AHEAD = 3
"""Planes that are read ahead while playing."""


class ImagePane(Pane):
    """Shows one image. Its `ImageModel` holds the state; the parts of the pane follow it.

    Signals:
        plane_shown: the requested plane is on the screen.
    """

    plane_shown = Signal()

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._opening = Lane(workers)
        self._source: Source | None = None
        self._node: NodeLike | None = None
        self._awaited: Mapping[str, Any] | None = None
        """A view to restore once the image is open."""
        self._steps = 0
        self.model = ImageModel(self)
        self.coordinate_labels = CoordinateLabels(workers, self)
        self.cache = TileCache()
        self.controls = ImageControls()
        self.grid = PlaneGrid(self.model, workers, self.cache, self.coordinate_labels)
        self.view = self.grid.main
        self.notice = PictureNotice(self.model, self.view, workers, self.coordinate_labels, self)
        self.stack = DataStack(self.grid, self.retry, self._notice_pressed)
        self.tools = ImageTools(self.model, workers, self.controls, self.grid, self.coordinate_labels, self)
        self.sliders = AxisSliders(has_statistics=True)
        self.contrast = ContrastPanel()
        self.planes = PlaneController(
            self.model, self.controls, self.sliders, self.canvas, self.coordinate_labels, self
        )
        self.colours = ColourController(self.model, self.contrast, self)
        self.missing = MissingLegend()
        self.body = QWidget()
        """All but the second image."""
        self.beside = Beside(self, lambda session: ImagePane(session, workers))
        self._has_controls, self._is_drawn, self._has_choices = True, False, True
        self.controls.fit.clicked.connect(lambda _checked: self.fit())
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._lay_out()
        self._connect()
        self.update_colours()

    @property
    def canvas(self) -> Canvas:
        """The picture."""
        return self.view.canvas

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show an array, or a group that is one image, with its earlier view settings if it was shown before."""
        self.clear()
        self._source, self._node = source, node
        if is_array(node):
            self._show_image(image_of_array(node))
            return
        self._open_levels(source, node)

    def _open_levels(self, source: Source, node: NodeLike, variable: str = "") -> None:
        self.stack.wait_for(f"Opening the levels of {node.path}")
        self._opening.ask(
            lambda _request: image_of_group(node, source.hierarchy.node, variable),
            self._show_image,
            self._fail_to_open,
            f"Opening {node.path}",
        )

    def _fail_to_open(self, error: Exception) -> None:
        if isinstance(error, NotAnImageError):
            self.stack.show_sentence(sentence(error), drawing="array2")
        else:
            self.stack.show_error(error)

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._opening.forget()
        self.notice.forget()
        self.model.clear()
        self.coordinate_labels.forget()
        self._calm.stop()
        self._source = self._node = self._awaited = None
        self._steps = 0
        self.missing.hide()
        self.stack.notice.say("")

    def forget_tiles(self) -> None:
        self.cache.clear()
        self.beside.forget_tiles()

    def forget_elements(self) -> None:
        """Forget the elements read so far, also those of the second image."""
        super().forget_elements()
        self.beside.read_again()

    def sources_changed(self, known: Mapping[str, str]) -> None:
        """Remove the second image if its source is closed, and show it once its source is open."""
        self.beside.sources_changed(known)

    def show_beside(self, source: Source, path: str) -> bool:
        """Show a second image beside the first one."""
        self.beside.show(source, path)
        return True

    def reread_beside(self, sources: Collection[Source]) -> None:
        """Read the second image again if it is of one of these sources."""
        self.beside.read_again(sources)

    def close_beside(self) -> None:
        """Remove the second image."""
        self.beside.close()

    def show_controls(self, *, is_on: bool) -> None:
        """Show or hide the bar above the picture and the colours beside it."""
        self._has_controls = is_on
        self._place_controls()

    def retry(self) -> None:
        """Repeat what failed."""
        if self.model.state is not None:
            self.stack.make_room()
            self.grid.retry()
        elif self._source is not None and self._node is not None:
            self.show_node(self._source, self._node)

    def step(self, by: int) -> None:
        """Show the next or previous plane; steps are counted while the image is being opened."""
        if (second := self.beside.focused) is not None:
            second.step(by)
        elif self.model.state is None and self._opening.busy:
            self._steps += by
        else:
            self.sliders.step(by)

    def unpack(self, *, is_on: bool) -> None:
        """Show unpacked values or stored numbers."""
        if self.model.state is not None:
            self.contrast.unpacking.setChecked(is_on)

    def fit(self) -> None:
        """Fit the whole plane into view: that of the second image if it has the keys."""
        self._with_keys().view.fit()

    def actual_size(self) -> None:
        """Zoom to one element per pixel: of the second image if it has the keys."""
        self._with_keys().canvas.actual_size()

    def _with_keys(self) -> ImagePane:
        """The pane of the second image if it has the keys, else this one, which the second one then follows."""
        second = self.beside.focused
        if second is None:
            self.beside.lead()
        return second or self

    def focus_target(self) -> QWidget:
        """The picture; it gets the keys once it is shown, if it is still being read."""
        return self.canvas

    def viewed(self) -> ViewedArray | None:
        """The plane, for export; the elements of which it is computed, if it is."""
        levels = self.displayed_levels()
        state = self.model.state
        if levels and state is not None and state.settings.is_derived:
            return computed_from(ViewedArray.of_levels(levels), state.settings.reduction)
        return ViewedArray.of_levels(levels) if levels else None

    def figure(self) -> ShownPlanes | None:
        """The planes on the screen, for a figure."""
        return shown_planes(self.grid, self.coordinate_labels)

    def displayed_levels(self) -> list[DisplayedSlice]:
        """The displayed slice at each level, the finest first; empty without an image."""
        levels = self.model.state.image.levels if self.model.state is not None else ()
        found = [self.displayed(number) for number in range(len(levels))]
        return [one for one in found if one is not None]

    def displayed(self, level: int | None = None) -> DisplayedSlice | None:
        """The displayed slice as a value without Qt; None without an image.

        Args:
            level: the number of the level to read; by default the level on the screen.
        """
        state, frame, measured = self.view.shown_state, self.view.frame, self.view.measured
        if state is None or frame is None or measured is None or not self.view.fits_settings:
            return None
        return displayed_slice(state, frame, measured, self.canvas.visible(), level)

    def view_state(self) -> dict[str, Any]:
        """The view settings of the image as JSON; empty without an image."""
        state = self.model.state
        if state is None:
            return {}
        view = None if self.canvas.is_fitted else self.canvas.visible()
        place = None if view is None else [list(view.rows), list(view.columns)]
        shown = {"place": place, "layout": state.layout.value, "beside": self.beside.document()}
        return {**settings_document(state.settings), **shown}

    def lasting_view_state(self) -> dict[str, Any]:
        """The same with the colour map on the screen, also if it is the one for all images."""
        state, found = self.model.state, self.view_state()
        return (
            found if state is None else {**found, "colour_map": state.settings.colour_map or state.colour_map}
        )

    def restore(self, document: Mapping[str, Any]) -> None:
        """Restore the settings from `view_state`; settings that do not fit the image are ignored."""
        state = self.model.state
        if state is None:
            self._awaited = document  # the levels of a pyramid are still being opened
            return
        layouts = {layout.value: layout for layout in PlaneLayout}
        layout = layouts.get(str(document.get("layout")), state.layout)
        settings = apply_document(state.settings, document, state.image.base)
        if settings is state.settings:
            return  # the array has changed since then, or the document is of another one
        if "beside" in document:
            self.beside.restore(document["beside"])
        self.beside.lead()
        self.model.show(replace(state, settings=settings, layout=layout))
        place = place_of(document)
        if place is not None and is_inside(place, self.canvas.size_shown):
            self.canvas.show_range(*place)

    def position(self) -> str:
        """Where the plane is, or will be once it is drawn, by coordinates if they are known."""
        figure, state = self.figure(), self.model.state
        if figure is None or state is None:
            return "" if state is None else state.settings.describe(state.image)
        return replace(figure, planes=(replace(figure.main, state=state),)).position

    def thumbnail(self, size: QSize) -> QImage | None:
        """The main plane, or its map."""
        if self.model.state is None or not self.stack.shows_data:
            return None
        projection = self.view.projection
        canvas = projection.canvas if projection.chart is not None else None
        return thumbnail(canvas or self.canvas, size)

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.grid.set_colours(current_colours())
        self.tools.set_colours(current_colours())
        self.contrast.histogram.set_colours(current_colours())
        self.beside.update_colours()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Pause reading under another tab; a window that is hidden as a whole goes on."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.grid.pause(is_on=True)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Take over the settings of the Volume tab, and resume reading."""
        super().showEvent(event)
        if not event.spontaneous():
            self._adopt()
            self.grid.pause(is_on=False)
            self._report()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Play and stop with Space, if the focused widget does not use it."""
        if event.key() == Qt.Key.Key_Space:
            self.sliders.play()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Place the second image beside the first one, or below it in a narrow window."""
        super().resizeEvent(event)
        self.beside.make_room()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        self.beside.drag(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802 - Qt's name
        self.beside.drop_mark.turn(is_on=False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        """Show a row of the tree beside the image."""
        self.beside.drop(event)

    # Construction

    def _lay_out(self) -> None:
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self.beside.splitter)
        self.beside.splitter.addWidget(self.body)
        self.setAcceptDrops(True)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        tools = self.tools
        left = PictureWithTools(self.stack, tools.measurements, tools.regions, tools.series, tools.comparison)
        middle.addWidget(left, 1)
        middle.addWidget(self.contrast)
        column.addLayout(middle, 1)
        column.addWidget(self.missing)
        column.addWidget(self.sliders)

    def _connect(self) -> None:
        self.tools.comparison.locate = self._locate
        self.tools.comparison.viewed = self._viewed_before
        self.controls.variable.textActivated.connect(self._choose_variable)
        self.controls.field.textActivated.connect(self.colours.choose_field)
        self.sliders.may_play = lambda: self.view.is_complete
        self.view.keeps_contrast = lambda: self.sliders.is_playing
        self.stack.settled.connect(self.settled)
        self.stack.data_shown.connect(self._data_shown)
        self.tools.pointed.connect(self.beside.tell)
        self.beside.pointed.connect(self.pointed)
        self.beside.reported.connect(self.reported)
        self.beside.source_asked.connect(self.source_asked)
        self.beside.changed.connect(self.view_changed)
        self.tools.reported.connect(self.reported)
        self.model.changed.connect(self._remember)
        self.model.measured_changed.connect(self._show_missing)
        self.notice.changed.connect(self._notice_changed)
        self.view.begun.connect(self.stack.make_room)
        self.view.frame_shown.connect(self._frame_shown)
        self.view.drawn.connect(self._calm.start)
        self._calm.timeout.connect(self.view_changed)
        self.view.failed.connect(self._fail)
        self.view.stopped.connect(self.sliders.stop)

    # Showing an image

    def _choose_variable(self, name: str) -> None:
        if self._source is not None and self._node is not None:
            self._open_levels(self._source, self._node, name)

    def _show_image(self, image: Image) -> None:
        array, source = image.base, self._source
        self.notice.forget()
        reason = "This image has only one axis." if array.ndim < 2 else why_no_picture(array.dtype)
        if 0 in array.shape:
            reason = "This array holds no elements: one of its axes has length 0."
        self._has_choices = not reason or len(image.variables) > 1
        self._place_controls()
        self.controls.show_variables(image.variables, image.variable)
        if reason or source is None:
            self.sliders.hide()
            self.stack.show_sentence(reason, drawing="array2")
            return
        settings = self.session.view_of(source, image.key)
        if settings is None or settings.axes.shape != tuple(array.shape):
            settings = initial_settings(image, is_unpacked=self.session.is_unpacked(source, image.key))
        sibling = self.session.sibling_axes(source, image.key)
        if sibling is not None:
            settings = replace(settings, axes=settings.axes.at_positions_of(sibling))
        # Ask again before large reads that the user agreed to on an earlier visit.
        # The other array of a comparison is opened again: its source may be closed.
        settings, find = replace(settings, may_read_bytes=0, other=None), source.hierarchy.node
        colour_map = self.session.colour_map
        self.model.show(ImageState(image, settings, find, colour_map, self.model.layout))
        self.coordinate_labels.look_for(image, find)
        if self._awaited is not None:
            self.restore(self._awaited)
        self.step(self._steps)

    def _locate(self, address: str) -> tuple[str, Callable[[str], Any]]:
        """The path of a node, and what opens it: in the source of the image, or in another open one."""
        where, marker, path = address.rpartition("#/")
        if not marker:
            if self._source is None:
                raise CannotCompareError(f"{address} is not open.")
            return f"/{address.strip('/')}", self._source.hierarchy.node
        source = next((one for one in self.session.sources if one.request.shown_address == where), None)
        if source is None:
            raise CannotCompareError(f"{where} is not open.")
        return f"/{path}", source.hierarchy.node

    def _viewed_before(self) -> list[str]:
        """Addresses of images that the user looked at, other than the present one."""
        state = self.model.state
        return [
            path if source is self._source else f"{source.request.shown_address}#{path}"
            for source, path in self.session.viewed()
            if source is not self._source or state is None or path != state.image.key
        ]

    def _adopt(self) -> None:
        """Take over the settings of this image, which the Volume tab may have changed."""
        state = self.model.state
        if state is None or self._source is None:
            return
        kept = self.session.view_of(self._source, state.image.key)
        if kept is not None and kept is not state.settings:
            own = state.settings
            kept = replace(kept, other=own.other, may_read_bytes=own.may_read_bytes)
            self.model.change(settings=kept, colour_map=self.session.colour_map)

    def _remember(self, _change: Change) -> None:
        state = self.model.state
        if state is None:
            return
        if self._source is not None:
            self.session.remember(self._source, state.image.key, state.settings)
        self.session.colour_map = state.colour_map

    # Events

    def _data_shown(self, shown: bool) -> None:
        # Without a picture, colours and contrast would be those of the one before.
        self._is_drawn = shown
        self._place_controls()

    def _place_controls(self) -> None:
        state = self.model.state
        has_colours = self._is_drawn and state is not None and state.settings.axes.channel is None
        self.controls.setVisible(self._has_controls and self._has_choices)
        self.contrast.setVisible(self._has_controls and has_colours)

    def _frame_shown(self) -> None:
        state, faults, frame = self.model.state, self.view.faults, self.view.frame
        if frame is None or state is None:
            return
        if faults and len(faults) == len(frame.tiles):
            self.stack.show_error(faults[0])
            return
        self.stack.show_data(*self.notice.words())
        self.notice.look_for_chunks()
        self._report()
        self.plane_shown.emit()
        axes = state.settings.axes
        ahead = [axes.at(*place) for place in self.sliders.next_positions(_AHEAD)]
        if ahead:
            self.view.look_ahead(ahead)

    def _report(self) -> None:
        state, frame = self.model.state, self.view.frame
        if state is not None and frame is not None and self.view.is_complete:
            self.reported.emit(report(state.image, state.settings, frame, self.view.took_s))

    def _notice_pressed(self) -> None:
        if self.notice.is_failure:
            self.retry()
        else:
            self.notice.load()

    def _notice_changed(self) -> None:
        if self.stack.shows_data:
            self.stack.show_data(*self.notice.words())

    def _show_missing(self) -> None:
        state, measured = self.model.state, self.model.measured
        if state is None or measured is None or self.sliders.is_playing:
            return  # only the first plane is measured while playing
        found, axes = measured.statistics[0] if len(measured.statistics) == 1 else None, state.settings.axes
        whole = found is not None and found.size == axes.height * axes.width
        is_told = elements_of(state.image.base).has_marks
        mark = "marked as missing" if is_told else "with the fill value"
        self.missing.show_statistics(found, is_exact=whole, mark=mark)

    def _fail(self, error: Exception) -> None:
        if not self.view.mosaics:
            self.stack.show_error(error)
