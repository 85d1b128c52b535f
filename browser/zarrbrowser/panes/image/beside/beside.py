"""The second image of an image pane, if there is one: made when it is asked for, removed when its source is closed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout

from zarrbrowser.models.row_mime import row_in
from zarrbrowser.session.saved_views.second_image import SecondImage
from zarrbrowser.session.sources import Source, place_of
from zarrbrowser.session.state import Session
from zarrbrowser.widgets.label import DropMark
from zarrbrowser.widgets.splitter import Splitter

if TYPE_CHECKING:  # it needs the pane that this is a part of
    from zarrbrowser.panes.image.beside.beside_area import BesideArea
    from zarrbrowser.panes.image.beside.shared_colours import SharedColours
    from zarrbrowser.panes.image.image_pane import ImagePane

_SIDE_BY_SIDE = 860
"""The width of the pane, in pixels, from which the second image is to the right of the first one, not below it."""


class Beside(QObject):
    """Shows and removes the second image.

    Args:
        pane: the pane of the first image.
        make: makes a pane for the second image, with a session of its own: it keeps its own view settings.

    Attributes:
        splitter: holds the first image, then the second one.
        row: the splitter, then the panel of colours that both share.
        area: the second image; None without one.
        drop_mark: says that a row of the tree can be dropped on the picture.

    Signals:
        changed: the second image has changed, or there is none any more.
        pointed: the values under the pointer, as text.
        reported: what was not possible, for the status bar.
        source_asked: the `SourceRequest` of the source of a second image that is to be restored, if it is not open.
    """

    changed = Signal()
    pointed = Signal(str)
    reported = Signal(str)
    source_asked = Signal(object)

    def __init__(self, pane: ImagePane, make: Callable[[Session], ImagePane]) -> None:
        super().__init__(pane)
        self._pane, self._make = pane, make
        self.splitter = Splitter("between the images")
        self.splitter.addWidget(pane.body)
        self.row = QHBoxLayout()
        self.row.setSpacing(0)
        self.row.addWidget(self.splitter, 1)
        pane.setAcceptDrops(True)
        pane.installEventFilter(self)
        self.drop_mark = DropMark("Drop to show beside", pane)
        self.area: BesideArea | None = None
        self.colours: SharedColours | None = None
        self._awaited: SecondImage | None = None
        """A second image to show once its source is open; the area says so meanwhile."""

    @property
    def focused(self) -> ImagePane | None:
        """The pane of the second image, if the focus is in it."""
        focus = QApplication.focusWidget()
        is_in = self.area is not None and focus is not None and self.area.isAncestorOf(focus)
        return self.area.pane if self.area is not None and is_in else None

    def show(self, source: Source, path: str, document: Mapping[str, Any] | None = None) -> None:
        """Show the image of a node beside the first one.

        Args:
            document: what `document` told earlier.
        """
        self._awaited = None
        self._remove()
        area = self._add()
        told = document or {}
        view = told.get("view")
        state, first = self._pane.model.state, self._pane.session
        is_same = state is not None and first.source is source and state.image.path == path
        # The same array twice is of use at two positions.
        area.turn(zooms=bool(told.get("zooms", True)), moves=bool(told.get("moves", not is_same)))
        area.show_path(source, path, view if isinstance(view, Mapping) else None)
        self.changed.emit()

    def close(self) -> None:
        """Remove the second image."""
        self._awaited = None
        if self._remove():
            self.changed.emit()

    def document(self) -> dict[str, Any] | None:
        """The second image as JSON, for the history and for bookmarks; None without one."""
        return None if self.area is None else self.area.document()

    def restore(self, document: Any) -> None:
        """Show the second image of a document; without one, show none."""
        second = SecondImage.of(document)
        if second is None:
            self.close()
            return
        if self.area is not None and self._shows(second):
            self.area.restore(second)
            return
        source = self._source_of(second)
        if source is not None:
            self.show(source, second.request.path, second.settings)
        else:
            self._wait_for(second)

    def sources_changed(self, known: Mapping[str, str]) -> None:
        """Remove an image whose source is closed, and show an awaited one once its source is open.

        Args:
            known: the places of all sources in the tree: see `TreeModel.places`.
        """
        area = self.area
        if area is not None and self._awaited is None and area.source not in self._pane.session.sources:
            second = SecondImage.of(area.document())
            self.close()  # the image keeps files of the closed source open
            if second is None or second.request.place not in known:
                return
            self._wait_for(second)  # the source is being opened again
        self._look_for_awaited(known)

    def _look_for_awaited(self, known: Mapping[str, str]) -> None:
        area, second = self.area, self._awaited
        if area is None or second is None:
            return
        source, place = self._source_of(second), second.request.place
        if source is not None:
            self.show(source, second.request.path, area.document())
        elif known.get(place):
            area.tell_problem(known[place])
        elif place not in known and not second.refused:
            self.close()

    def forget_tiles(self) -> None:
        """Free the tiles of the second image."""
        if self.area is not None:
            self.area.pane.forget_tiles()

    def read_again(self, sources: Collection[Source] | None = None) -> None:
        """Read the second image again, because something has changed: in these sources, by default in any."""
        if self.area is not None and (sources is None or self.area.source in sources):
            self.area.read_again()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        if self.area is not None:
            self.area.pane.update_colours()

    def lead(self) -> None:
        """Let the second image follow the first one."""
        if self.area is not None:
            self.area.link.lead(self.area.link.first)

    def show_pointed(self, text: str) -> None:
        """Show the value under the pointer in the first image; with a second one, the link shows both."""
        if self.area is None:
            self.pointed.emit(text)

    def eventFilter(self, _pane: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take a row of the tree that is dropped on the pane, and use the room that the pane has."""
        if isinstance(event, QDropEvent):  # QDragEnterEvent is one, too
            take = {QEvent.Type.DragEnter: self._drag, QEvent.Type.Drop: self._drop}.get(event.type())
            if take is not None:
                take(event)
            return take is not None
        if event.type() == QEvent.Type.DragLeave:
            self.drop_mark.turn(is_on=False)
        elif event.type() == QEvent.Type.Resize:
            self._make_room()
        return False

    def _make_room(self) -> None:
        """Place the second image to the right of the first one, or below it in a narrow window."""
        wide = self._pane.width() >= _SIDE_BY_SIDE
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        # Else the pane could not become so narrow that the second image comes below the first one.
        self.splitter.setMinimumWidth(1 if wide and self.area is not None else 0)
        if self.area is not None and self.splitter.orientation() is not orientation:
            self.splitter.setOrientation(orientation)
            self._halve()

    def _drag(self, event: QDropEvent) -> None:
        """Accept a row of the tree."""
        if row_in(event.mimeData()) is not None:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.drop_mark.turn(is_on=True)
        else:
            event.ignore()

    def _drop(self, event: QDropEvent) -> None:
        """Show a row of the tree."""
        self.drop_mark.turn(is_on=False)
        row = row_in(event.mimeData())
        source = None if row is None else self._open_source(row[0])
        if row is None or source is None:
            event.ignore()
            return
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.show(source, row[1])

    def _wait_for(self, second: SecondImage) -> None:
        """Show the area of an image whose source is not open yet, and ask for that."""
        self._remove()
        area = self._add()
        area.turn(
            zooms=bool(second.settings.get("zooms", True)), moves=bool(second.settings.get("moves", True))
        )
        self._awaited = second
        area.wait_for(second)
        self.changed.emit()

    def _shows(self, second: SecondImage) -> bool:
        area, source = self.area, self._source_of(second)
        return (
            area is not None
            and source is not None
            and (area.source, area.path) == (source, second.request.path)
        )

    def _source_of(self, second: SecondImage) -> Source | None:
        return next((one for one in self._pane.session.sources if second.is_of(one)), None)

    def _open_source(self, address: str) -> Source | None:
        place = place_of(address)
        return next((one for one in self._pane.session.sources if place in one.places), None)

    def _add(self) -> BesideArea:
        from zarrbrowser.panes.image.beside.beside_area import BesideArea  # late: for a fast start
        from zarrbrowser.panes.image.beside.shared_colours import SharedColours

        first = self._pane.session
        session = Session(
            sources=first.sources, colour_map=first.colour_map, shows_colours=first.shows_colours
        )
        area = self.area = BesideArea(self._pane, self._make(session), self._pane.workers)
        area.closed.connect(self.close)
        area.changed.connect(self.changed)
        area.pointed.connect(self.pointed)
        area.reported.connect(self.reported)
        area.source_asked.connect(self.source_asked)
        area.pane.body.tools.reported.connect(self.reported)
        self.splitter.addWidget(area)
        self.colours = SharedColours(self._pane.body, area.pane.body, self._pane)
        self.row.addWidget(self.colours)
        self._make_room()
        self._halve()
        QTimer.singleShot(0, self, self._halve)  # once the area has its final least width
        return area

    def _remove(self) -> bool:
        area, self.area = self.area, None
        colours, self.colours = self.colours, None
        if area is None or colours is None:
            return False
        keys = QApplication.focusWidget()
        if keys is not None and any(part.isAncestorOf(keys) for part in (area, colours)):
            self._pane.canvas.setFocus()
        colours.forget()
        colours.hide()
        colours.deleteLater()
        self._make_room()
        area.blockSignals(True)
        area.forget()
        area.hide()
        area.setParent(None)
        area.deleteLater()
        self.pointed.emit("")
        return True

    def _halve(self) -> None:
        """Give both pictures the same room."""
        half = self.splitter.width() // 2
        self.splitter.setSizes([half, half])
