"""The Image tab: a plane of an array with two or more axes, or of a group that is one image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QImage, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from zarrbrowser.export.figures.planes import ShownPlanes
from zarrbrowser.export.viewed_array import ViewedArray, computed_from
from zarrbrowser.image.colours.painting import displayed_slice
from zarrbrowser.image.displayed_slice import DisplayedSlice
from zarrbrowser.image.settings_document import (
    apply_document,
    is_inside,
    place_of,
    settings_document,
    with_box,
)
from zarrbrowser.image.state import PlaneLayout
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.panes.image.beside.beside import Beside
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.thumbnail import thumbnail
from zarrbrowser.panes.image.image_body import ImageBody
from zarrbrowser.panes.image.image_memory import ImageMemory
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.image_opener import ImageOpener
from zarrbrowser.panes.image.picture_report import PictureReport
from zarrbrowser.panes.image.shown_planes import shown_planes
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers

_CALM_MS = 700


class ImagePane(Pane):
    """Shows one image. Its `ImageModel` holds the state; the parts of the pane follow it.

    `ImageOpener` opens the image of a node, `ImageMemory` knows its settings, `ImageBody` shows it, `PictureReport` says what
    it lacks, and `Beside` shows a second image.

    Signals:
        plane_shown: the requested plane is on the screen.
    """

    replaces_what_it_shows = True
    beside: Beside
    plane_shown = Signal()

    def __init__(
        self, session: Session, workers: Workers, parent: QWidget | None = None, *, has_controls: bool = True
    ) -> None:
        super().__init__(session, workers, parent)
        self.model, self.cache = ImageModel(self), TileCache()
        self.coordinate_labels = labels = CoordinateLabels(workers, self)
        self.body = body = ImageBody(
            self.model,
            workers,
            self.cache,
            labels,
            self.retry,
            lambda: self.report.press(),
            has_controls=has_controls,
        )
        body.controls.colours.setChecked(session.shows_colours)
        body.controls.colours.toggled.connect(self._keep_colours)
        self.view = body.view
        self.report = PictureReport(self.model, body, workers, labels, self.retry)
        self.memory = ImageMemory(session, self.model)
        self.opener = ImageOpener(self.model, body, self.memory, workers)
        self.beside = Beside(  # its controls appear once there is room for them
            self, lambda session: ImagePane(session, workers, has_controls=False)
        )
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        around = self.beside.row
        around.setContentsMargins(0, 0, 0, 0)
        self.setLayout(around)
        self._connect()

    def _connect(self) -> None:
        body, opener, report, beside = self.body, self.opener, self.report, self.beside
        body.tools.comparison.locate = self.memory.locate
        body.tools.comparison.viewed = self.memory.viewed_before
        body.controls.fit.clicked.connect(lambda _checked: self.fit())
        body.stack.settled.connect(self.settled)
        body.tools.pointed.connect(beside.show_pointed)
        opener.found.connect(report.forget)
        opener.opened.connect(self._opened)
        report.shown.connect(self.plane_shown)
        for reported in (report.reported, body.tools.reported, beside.reported):
            reported.connect(self.reported)
        beside.pointed.connect(self.pointed)
        beside.source_asked.connect(self.source_asked)
        beside.changed.connect(self.view_changed)
        self.view.drawn.connect(self._calm.start)
        self._calm.timeout.connect(self.view_changed)

    @property
    def canvas(self) -> Canvas:
        """The picture."""
        return self.view.canvas

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show an array, or a group that is one image, with its earlier view settings if it was shown before."""
        self._leave()
        self.opener.show_node(source, node)

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._leave()
        self.model.clear()

    def _leave(self) -> None:
        """Cancel requests for the image, which the model still holds: the next one is announced in its place."""
        self.opener.clear()
        self.report.forget()
        self.coordinate_labels.forget()
        self.body.tools.leave()
        self._calm.stop()
        self.body.missing.hide()
        self.body.stack.notice.say("")

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

    def retry(self) -> None:
        """Repeat what failed."""
        source, node = self.memory.source, self.opener.node
        if self.model.state is not None:
            self.body.stack.make_room()
            self.body.grid.retry()
        elif source is not None and node is not None:
            self.show_node(source, node)

    def step(self, by: int) -> None:
        """Show the next or previous plane; steps are counted while the image is being opened."""
        if (second := self.beside.focused) is not None:
            second.step(by)
        elif not self.opener.step(by):
            self.body.sliders.step(by)

    def unpack(self, *, is_on: bool) -> None:
        """Show unpacked values or stored numbers."""
        if self.model.state is not None:
            self.body.contrast.unpacking.setChecked(is_on)

    def toggle_colours(self) -> None:
        """Show or hide the panel of colours."""
        self.body.controls.colours.toggle()

    def _keep_colours(self, is_on: bool) -> None:
        self.session.shows_colours = is_on

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
        state = self.model.state
        found = [self.displayed(number) for number in range(len(self.view.levels))]
        levels = [one for one in found if one is not None]
        if levels and state is not None and state.settings.is_derived:
            return computed_from(ViewedArray.of_levels(levels), state.settings.reduction)
        return ViewedArray.of_levels(levels) if levels else None

    def figure(self) -> ShownPlanes | None:
        """The planes on the screen, for a figure."""
        return shown_planes(self.body.grid, self.coordinate_labels)

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
            self.opener.awaited = document  # the levels of a pyramid are still being opened
            return
        document = with_box(document, state.settings)
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
        if self.model.state is None or not self.body.stack.shows_data:
            return None
        projection = self.view.projection
        canvas = projection.canvas if projection.chart is not None else None
        return thumbnail(canvas or self.canvas, size)

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.body.update_colours()
        self.beside.update_colours()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Pause reading under another tab; a window that is hidden as a whole goes on."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.body.grid.pause(is_on=True)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Take over the settings of the Volume tab, and resume reading."""
        super().showEvent(event)
        if not event.spontaneous():
            self.memory.adopt()
            self.body.grid.pause(is_on=False)
            self.report.report()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Play and stop with Space, if the focused widget does not use it."""
        if event.key() == Qt.Key.Key_Space:
            self.body.sliders.play()
        else:
            super().keyPressEvent(event)

    def _opened(self, steps: int) -> None:
        """Do what was asked for while the image was being opened."""
        state = self.model.state
        if state is not None:
            self.coordinate_labels.look_for(state.image, state.find)
        if self.opener.awaited is not None:
            self.restore(self.opener.awaited)
        self.step(steps)
