"""The Image tab: a plane of an array with two axes or more, or of a group that is one image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.image.colours.painting import displayed_slice
from zarrbrowser.image.displayed_slice import DisplayedSlice
from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.multiscales import image_of_group
from zarrbrowser.image.settings_document import apply_document, place_of, settings_document
from zarrbrowser.image.tiles.frame_text import report, withheld
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.nodes.protocols import NodeLike, is_array
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.colours.colour_controller import ColourController
from zarrbrowser.panes.image.colours.contrast_panel import ContrastPanel
from zarrbrowser.panes.image.colours.legend import MissingLegend
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.plane_controller import PlaneController
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.image.tools.image_tools import ImageTools
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.theme import current_colours
from zarrbrowser.values.numbers import why_no_picture
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.workers import Lane, Workers

_CALM_MS = 700
_AHEAD = 3
"""Planes of a film that are read before their turn."""
_LOAD, _RETRY = "Load anyway", "Retry"


class ImagePane(QWidget):
    """Shows one image.

    Signals:
        plane_shown: the plane that was wanted is on the screen.
        view_changed: the image is looked at in another way, and has been so for a moment.
        pointed: coordinates and value under the pointer as text; empty off the picture.
        reported: what was read, for the status bar.
    """

    plane_shown = Signal()
    view_changed = Signal()
    pointed = Signal(str)
    reported = Signal(str)

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._opening = Lane(workers)
        self.coordinate_labels = CoordinateLabels(workers, self)
        self._source: Source | None = None
        self._node: NodeLike | None = None
        self._image: Image | None = None
        self._settings: ViewSettings | None = None
        self._awaited: Mapping[str, Any] | None = None
        self._steps = 0
        self.cache = TileCache()
        self.controls = ImageControls()
        self.grid = PlaneGrid(workers, self.cache)
        self.view = self.grid.main
        self.stack = DataStack(self.grid, self.retry, self._notice_pressed)
        self.tools = ImageTools(workers, self.controls, self.grid, self.coordinate_labels, self)
        self.sliders = AxisSliders()
        self.contrast = ContrastPanel()
        self.turning = PlaneController(self.controls, self.sliders, self.grid, self.coordinate_labels, self)
        self.colouring = ColourController(session, self.contrast, self)
        self.missing = MissingLegend()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addWidget(self.stack, 1)
        left.addWidget(self.tools.measuring)
        middle.addLayout(left, 1)
        middle.addWidget(self.contrast)
        column.addLayout(middle, 1)
        column.addWidget(self.missing)
        column.addWidget(self.sliders)
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._connect()
        self.update_colours()

    @property
    def canvas(self) -> Canvas:
        """The picture."""
        return self.view.canvas

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show an array, or a group that is one image, as it was shown before if it was."""
        self.clear()
        self._source, self._node = source, node
        if is_array(node):
            self._show_image(image_of_array(node))
            return
        self.stack.wait_for(f"Opening the levels of {node.path}")
        self._opening.ask(
            lambda _request: image_of_group(node, source.hierarchy.node),
            self._show_image,
            self.stack.show_error,
            f"Opening {node.path}",
        )

    def clear(self) -> None:
        """Show nothing, want nothing."""
        self._opening.forget()
        self.tools.clear()
        self.turning.clear()
        self.coordinate_labels.forget()
        self._calm.stop()
        self._source = self._node = self._image = self._settings = self._awaited = None
        self._steps = 0
        self.grid.clear()
        self.missing.hide()
        self.stack.notice.say("")

    def retry(self) -> None:
        """Try again what failed."""
        if self._image is not None:
            self.stack.make_room()
            self.grid.retry()
        elif self._source is not None and self._node is not None:
            self.show_node(self._source, self._node)

    def step(self, by: int) -> None:
        """The next or previous plane; while its levels are still being opened, such wishes are counted."""
        if self._image is None and self._opening.busy:
            self._steps += by
        else:
            self.sliders.step(by)

    def unpack(self, *, is_on: bool) -> None:
        """Unpack stored numbers, or show them as they are."""
        if self._settings is not None:
            self.contrast.unpacking.setChecked(is_on)

    def fit(self) -> None:
        """The whole plane in view."""
        self.canvas.fit()

    def actual_size(self) -> None:
        """One element per pixel."""
        self.canvas.actual_size()

    def displayed_levels(self) -> list[DisplayedSlice]:
        """What is on the screen as all levels have it, the finest first; empty while nothing is."""
        found = [self.shown(number) for number in range(len(self._image.levels))] if self._image else []
        return [one for one in found if one is not None]

    def shown(self, level: int | None = None) -> DisplayedSlice | None:
        """What is on the screen, told without Qt; None while nothing is.

        Args:
            level: another one that is to be read, by its number; by default that on the screen.
        """
        frame, measured = self.view.frame, self.view.measured
        if self._image is None or self._settings is None or frame is None or measured is None:
            return None
        if not self.view.fits_look:
            return None
        style = self.view.picture_style()
        visible = self.canvas.visible()
        return displayed_slice(self._image, self._settings, frame, measured, visible, style.colour_map, level)

    def view_state(self) -> dict[str, Any]:
        """How the image is looked at, as JSON has it; empty while none is."""
        if self._settings is None:
            return {}
        view = None if self.canvas.is_fitted else self.canvas.visible()
        place = None if view is None else [list(view.rows), list(view.columns)]
        return {**settings_document(self._settings), "place": place, "layout": self.grid.layout_shown.value}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Look at the image as `view_state` told; what does not fit it is left as it is."""
        if self._image is None or self._settings is None:
            self._awaited = state  # the levels of a pyramid are still being opened
            return
        apply_document(self._settings, state)
        self._begin(self._image, self._settings)
        button = self.controls.layouts.get(str(state.get("layout")))
        if button is not None and not button.isChecked():
            button.click()
        place = place_of(state)
        if place is not None:
            self.canvas.show_range(*place)

    def update_colours(self) -> None:
        """Take on the application's appearance."""
        self.grid.set_colours(current_colours())
        self.tools.set_colours(current_colours())
        self.contrast.histogram.set_colours(current_colours())

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Under another tab nothing is read; a window that is out of sight as a whole goes on."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.grid.pause(is_on=True)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """What was left is read."""
        super().showEvent(event)
        if not event.spontaneous():
            self.grid.pause(is_on=False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Space begins and ends a film, where it means nothing to what has the focus."""
        if event.key() == Qt.Key.Key_Space:
            self.sliders.play()
        else:
            super().keyPressEvent(event)

    # How it is made

    def _connect(self) -> None:
        self.controls.field.textActivated.connect(self.colouring.choose_field)
        self.turning.turned.connect(self._turned)
        self.sliders.may_play = lambda: self.view.is_complete
        self.view.keeps_contrast = lambda: self.sliders.is_playing
        self.colouring.repainted.connect(lambda: self.grid.recolour(self._session.colour_map))
        self.colouring.renumbered.connect(self.grid.measure)
        self.colouring.rechannelled.connect(self._rechannel)
        self.stack.data_shown.connect(self._data_shown)
        self.tools.pointed.connect(self.pointed)
        self.tools.reported.connect(self.reported)
        self.colouring.renumbered.connect(self.tools.measuring.refresh)
        self.view.frame_shown.connect(self._frame_shown)
        self.view.drawn.connect(self._drawn)
        self.view.drawn.connect(self._calm.start)
        self._calm.timeout.connect(self.view_changed)
        self.view.failed.connect(self._fail)
        self.view.stopped.connect(self.sliders.stop)

    # What is shown

    def _show_image(self, image: Image) -> None:
        array, source = image.base, self._source
        reason = "This image has but one axis." if array.ndim < 2 else why_no_picture(array.dtype)
        if 0 in array.shape:
            reason = "This array holds no elements: one of its axes has length 0."
        self.controls.setVisible(not reason)
        if reason or source is None:
            self.sliders.hide()
            self.stack.show_sentence(reason, drawing="array2")
            return
        settings = self._session.view_of(source, image.path)
        if settings is None or settings.axes.shape != tuple(array.shape):
            settings = initial_settings(image, is_unpacked=self._session.is_unpacked(source, image.path))
        settings.may_read_bytes = (
            0  # what the person agreed to when they were here before, they are asked again
        )
        self._image, self._settings = image, settings
        self._session.remember(source, image.path, settings)
        self._begin(image, settings)
        if self._awaited is not None:
            self.restore(self._awaited)
        self.step(self._steps)

    def _begin(self, image: Image, settings: ViewSettings) -> None:
        """Read and show the image as the look says."""
        self.turning.show_image(image, settings)
        self.colouring.show_image(image, settings)
        self.stack.make_room()
        self.grid.show_image(image, settings, self._session.colour_map)
        if self._source is not None:
            self.tools.show_image(self._source, image, settings)
            self.coordinate_labels.look_for(self._source, image)

    def _turned(self) -> None:
        """Other axes lie in the picture."""
        self.colouring.show_image(self._image, self._settings)
        self.stack.make_room()

    def _rechannel(self) -> None:
        self.turning.show_axes()
        self.grid.refresh()
        self.grid.recolour(self._session.colour_map)  # the plane may be the one that is drawn already

    # What happens

    def _data_shown(self, shown: bool) -> None:
        # Colours and contrast of nothing would be those of the picture before.
        plain = self._settings is not None and self._settings.axes.channel is None
        self.contrast.setVisible(shown and plain)

    def _frame_shown(self) -> None:
        faults, frame = self.view.faults, self.view.frame
        if frame is None:
            return
        if faults and len(faults) == len(frame.tiles):
            self.stack.show_error(faults[0])
            return
        self.stack.show_data(*self._notice())
        if self._image is not None and self._settings is not None:
            self.reported.emit(report(self._image, self._settings, frame, self.view.took_s))
        self.plane_shown.emit()
        self._look_ahead()

    def _look_ahead(self) -> None:
        """Read the next planes of a film while this one is seen."""
        settings = self._settings
        ahead = self.sliders.next_positions(_AHEAD)
        if settings is not None and ahead:
            self.view.look_ahead([replace(settings, axes=settings.axes.at(*place)) for place in ahead])

    def _notice(self) -> tuple[str, str]:
        """What stands above the picture, and on its button."""
        view = self.view
        if view.faults or view.torn:
            return sentence((view.faults or view.torn)[0]), _RETRY
        held = view.frame is not None and view.frame.is_held_back
        cost = view.frame.cost if held and view.frame is not None else view.withheld
        if cost is None:
            return "", ""
        return withheld(cost, is_in_view=held), _LOAD

    def _notice_pressed(self) -> None:
        if self.view.faults or self.view.torn:
            self.retry()
        elif self._settings is not None and self.view.frame is not None:
            cost = self.view.withheld or self.view.frame.cost
            self._settings.may_read_bytes = cost.nbytes
            if self.view.withheld is not None:
                self.view.withheld = None
                self.canvas.fit()
            self.grid.refresh()

    def _drawn(self) -> None:
        settings, measured = self._settings, self.view.measured
        if settings is None or measured is None:
            return
        self.colouring.show_measured(measured)
        found = measured.statistics[0] if len(measured.statistics) == 1 else None
        whole = found is not None and found.size == settings.axes.height * settings.axes.width
        if not self.sliders.is_playing:  # of a film only the first plane is measured
            self.missing.show_statistics(found, is_exact=whole)

    def _fail(self, error: Exception) -> None:
        if not self.view.mosaics:
            self.stack.show_error(error)
