"""The Thumbnails tab: the wells of a plate, the fields of a well, or a series of images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QSlider, QVBoxLayout, QWidget

from zarrbrowser.gallery.cells import Gallery, gallery_of
from zarrbrowser.gallery.thumbnail import Missing
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.gallery.field_controls import FieldControls
from zarrbrowser.panes.gallery.gallery_model import GalleryModel
from zarrbrowser.panes.gallery.gallery_view import LARGEST, SMALLEST, GalleryView
from zarrbrowser.panes.gallery.thumbnail_loader import ThumbnailLoader
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.bar import Bar
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import ElidedLabel, label
from zarrbrowser.workers import Lane, Workers

_CALM_MS = 300


class GalleryPane(Pane):
    """Shows the images of one group; only those in view are read."""

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._lane = Lane(workers)
        self._source: Source | None = None
        self._node: NodeLike | None = None
        self._awaited: Mapping[str, Any] | None = None
        """A view to restore once the images are known."""
        self.loader = ThumbnailLoader(workers, self)
        self.model = GalleryModel(self)
        self.view = GalleryView(self.model, self.loader)
        self.stack = DataStack(self.view, self._retry, self._notice_pressed)
        self.title = ElidedLabel("muted")
        self.fields = FieldControls()
        self._gallery: Gallery | None = None
        """All images, of all acquisitions."""
        self.same = tool_button("contrast", "The same contrast for all thumbnails; off: each has its own")
        self.same.setCheckable(True)
        self.same.setChecked(True)
        self.size_slider = QSlider(Qt.Orientation.Horizontal)
        self.size_slider.setRange(SMALLEST, LARGEST)
        self.size_slider.setFixedWidth(120)
        self.size_slider.setToolTip("Size of the thumbnails (+, -, Ctrl and the wheel)")
        self.size_slider.setAccessibleName("size of the thumbnails")
        self.fit_button = tool_button("fit", "Fit the whole plate into view (F)", self.fit)
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self.view_changed)
        self._lay_out()
        self._connect()

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show the images of a group."""
        self.clear()
        self._source, self._node = source, node
        find = source.hierarchy.node
        self.stack.wait_for(f"Looking for the images of {node.path}")
        self._lane.ask(
            lambda _asked: gallery_of(node, find),
            self._show,
            self.stack.show_error,
            f"Opening {node.path}",
        )

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._lane.forget()
        self.loader.forget()
        self.model.show(None)
        self._calm.stop()
        self._source = self._node = self._awaited = self._gallery = None
        self.fields.offer(None)
        self.title.set_text("")
        self.stack.notice.say("")

    def forget_tiles(self) -> None:
        self.loader.forget()

    def fit(self) -> None:
        """Fit the whole plate into view; images of a list get their usual size."""
        self.view.fit()
        self._calm.start()

    def view_state(self) -> dict[str, Any]:
        """The current cell and the size of the cells."""
        if self.model.gallery is None:
            return {}
        side = None if self.view.is_fitted else self.view.side
        return {
            "cell": self.view.current_path(),
            "side": side,
            "same_contrast": self.view.shares_contrast,
            **self.fields.document(),
        }

    def restore(self, document: Mapping[str, Any]) -> None:
        """Restore the view from `view_state`; what does not fit is ignored."""
        if self.model.gallery is None:
            self._awaited = document
            return
        side, cell = document.get("side"), document.get("cell")
        before = self.fields.choice
        self.fields.restore(document)
        if self.fields.choice != before:
            self._choose_fields()
        if isinstance(side, int) and not isinstance(side, bool):
            self.view.set_side(side)
        self.same.setChecked(document.get("same_contrast") is not False)
        if isinstance(cell, str) and cell:
            self.view.go(cell)

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.view.viewport().update()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Pause reading under another tab; a window that is hidden as a whole goes on."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.loader.want((), self.view.samples)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Resume reading."""
        super().showEvent(event)
        if not event.spontaneous():
            self._read()

    def _lay_out(self) -> None:
        bar = Bar()
        bar.row.addWidget(self.title, 1)
        bar.row.addWidget(self.fields)
        bar.row.addWidget(self.same)
        bar.row.addSpacing(8)
        size = label("Size", "muted")
        bar.row.addWidget(size)
        bar.row.addWidget(self.size_slider)
        bar.row.addWidget(self.fit_button)
        bar.row.addWidget(bar.more)
        bar.gives_way = (size, self.size_slider, self.same)
        bar.least_width = 240
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.stack, 1)

    def _connect(self) -> None:
        self.same.toggled.connect(self._share)
        self.fields.chosen.connect(lambda _choice: self._choose_fields())
        self.size_slider.valueChanged.connect(self._resize)
        self.view.chosen.connect(self._open)
        self.view.current_changed.connect(self._point)
        self.view.looked_elsewhere.connect(self._read)
        self.loader.arrived.connect(self._arrived)
        self.loader.paused.connect(self._pause)
        self.loader.idle.connect(self._idle)

    def _show(self, gallery: Gallery) -> None:
        source = self._source
        if source is None:
            return
        if not gallery.cells:
            self.stack.show_sentence(f"The metadata name no {gallery.noun}s.", drawing="group")
            return
        self._gallery = gallery
        self.fields.offer(gallery)
        self.loader.start(source.hierarchy.node)
        self.view.colour_map = self.session.colour_map
        self.title.set_text(gallery.title)
        self.fit_button.setToolTip(
            "Fit the whole plate into view (F)" if gallery.is_plate else "Thumbnails of the usual size (F)"
        )
        # Images of a series have nothing in common; the wells of a plate are compared.
        self.same.setChecked(gallery.noun != "image")
        self.view.shares_contrast = self.same.isChecked()
        self.view.fit()
        self.model.show(gallery)
        self.stack.show_data(gallery.note)
        if self._awaited is not None:
            document, self._awaited = self._awaited, None
            self.restore(document)
        if not self.view.current_path():
            self.view.go(gallery.cells[0].path)
        self._read()

    def _choose_fields(self) -> None:
        """Show the chosen field of each well, or the fields of the chosen acquisition."""
        source, gallery = self._source, self._gallery
        if source is None or gallery is None:
            return
        choice, path = self.fields.choice, self.view.current_path()
        shown = gallery.of_acquisition(choice.acquisition)
        self.loader.start(source.hierarchy.node, choice)
        self.model.show(shown)
        self.title.set_text(shown.title)
        self.view.go(path)
        if not self.view.current_path() and shown.cells:
            self.view.go(shown.cells[0].path)
        self._read()
        self._calm.start()

    def _open(self, path: str) -> None:
        """Go to a cell; on the way back it is the current one."""
        self._calm.stop()
        self.view_changed.emit()
        self.path_chosen.emit(path)

    def _read(self) -> None:
        if self.isVisible() and self.model.gallery is not None:
            self.loader.want(self.view.cells_in_view(), self.view.samples)
        if self.size_slider.value() != self.view.side:
            self.size_slider.blockSignals(True)
            self.size_slider.setValue(self.view.side)
            self.size_slider.blockSignals(False)

    def _resize(self, side: int) -> None:
        self.view.set_side(side)
        self._calm.start()

    def _share(self, is_on: bool) -> None:
        self.view.shares_contrast = is_on
        self.view.recolour()
        self._calm.start()

    def _point(self, path: str) -> None:
        cell = self.model.cell(self.view.currentIndex())
        problem = self.loader.problem(path)
        parts = () if cell is None else (cell.name, cell.detail, "" if problem is None else sentence(problem))
        self.pointed.emit(",  ".join(filter(None, parts)))
        self._calm.start()

    def _arrived(self, path: str) -> None:
        problem = self.loader.problem(path)
        if self._gallery is not None and self._gallery.noun == "well":
            self.fields.offer_fields(self.loader.most_fields)
        if problem is not None:
            self.model.set_problem(path, sentence(problem))
            if path == self.view.current_path():
                self._point(path)

    def _idle(self) -> None:
        gallery = self.model.gallery
        if gallery is None:
            return
        self.stack.notice.show_text(gallery.note)
        missing = sum(isinstance(self.loader.problem(cell.path), Missing) for cell in gallery.cells)
        self.title.set_text(gallery.title + (f", {missing:,} of them missing" if missing else ""))
        if self.loader.read_bytes:
            self.reported.emit(
                f"{gallery.title}: {format_bytes(self.loader.read_bytes)} decoded for thumbnails"
            )
        self.settled.emit()

    def _pause(self) -> None:
        """Ask before more is read."""
        rest = count(self.loader.waiting, "thumbnail")
        if self.loader.is_stopped:
            self.stack.notice.say(
                f"You stopped the reading; {rest} in view {'is' if self.loader.waiting == 1 else 'are'} not read.",
                "Read",
            )
        else:
            read = format_bytes(self.loader.read_bytes)
            self.stack.notice.say(
                f"The thumbnails so far decoded {read}; {rest} in view {'is' if self.loader.waiting == 1 else 'are'} not read.",
                "Load anyway",
            )
        self.settled.emit()

    def _notice_pressed(self) -> None:
        self.stack.notice.show_text("")
        self.loader.allow()

    def _retry(self) -> None:
        if self._source is not None and self._node is not None:
            self.show_node(self._source, self._node)
