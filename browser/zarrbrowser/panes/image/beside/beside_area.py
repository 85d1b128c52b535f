"""The second image: a pane of its own, below a bar with its name and its links to the first one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.nodes.protocols import NodeLike, is_broken
from zarrbrowser.panes.image.beside.beside_bar import BesideBar
from zarrbrowser.panes.image.beside.pane_link import PaneLink
from zarrbrowser.session.saved_views.second_image import SecondImage
from zarrbrowser.session.saved_views.untrusted import address_of
from zarrbrowser.session.sources import Source, short_name
from zarrbrowser.values.packing import read_packing
from zarrbrowser.workers import Lane, Workers

if TYPE_CHECKING:
    from zarrbrowser.panes.image.image_pane import ImagePane

_ROOM = (440, 380)
"""The width and the height, in pixels, from which the controls of the second image are shown."""


class BesideArea(QWidget):
    """Shows the image of a node beside another image pane.

    Signals:
        closed: the user wants the area removed.
        changed: the view has changed, and then stayed the same for a moment.
        pointed: the values of both images under the pointer, as text.
        reported: what was not possible, for the status bar.
        source_asked: the `SourceRequest` of the source, which is not open and must be.
    """

    closed = Signal()
    changed = Signal()
    pointed = Signal(str)
    reported = Signal(str)
    source_asked = Signal(object)

    def __init__(
        self, first: ImagePane, pane: ImagePane, workers: Workers, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._first, self.pane = first, pane
        self._opening = Lane(workers, in_flight=1)
        self.source: Source | None = None
        self.path = ""
        self._awaited: SecondImage | None = None
        """What to show once its source is open."""
        self._view: Mapping[str, Any] = {}
        """The view settings to restore, until the image is open."""
        self._has_controls: bool | None = None
        """Whether the user wants the controls; None while the room decides."""
        self.bar = BesideBar()
        self.link = PaneLink(first, pane, workers, self)
        pane.setAcceptDrops(False)  # what is dropped on it is for the pane around it
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(pane, 1)
        self.bar.close_button.clicked.connect(lambda _checked: self.closed.emit())
        self.bar.controls.clicked.connect(self._choose_controls)
        self.bar.linked.connect(lambda zooms, moves: self._turn(zooms=zooms, moves=moves))
        self.bar.taken.connect(lambda: self._take_contrast(self._first, self.pane))
        self.bar.given.connect(lambda: self._take_contrast(self.pane, self._first))
        self.link.changed.connect(self._show_link)
        self.link.pointed.connect(self.pointed)
        pane.view_changed.connect(self.changed)
        pane.body.stack.sentence.button.clicked.connect(lambda _checked: self._retry())

    def wait_for(self, second: SecondImage) -> None:
        """Ask for a source, and say that it is being opened; for one that the view must not open, say why."""
        self._awaited, self._view = second, _view_of(second)
        address = second.request.shown_address
        self.bar.title.set_text(f"{short_name(address)}  {second.request.path}")
        self.pane.body.sliders.hide()
        if second.refused:
            self.pane.body.stack.show_sentence(f"{address} is not open. {second.refused}")
        else:
            self._ask_for_source(second)

    def tell_problem(self, problem: str) -> None:
        """Say why the source could not be opened."""
        self.pane.body.stack.show_sentence(problem, retry=True)

    def show_path(self, source: Source, path: str, state: Mapping[str, Any] | None = None) -> None:
        """Show the image of a node, which is opened in the background.

        Args:
            state: the view settings to restore.
        """
        self.source, self.path, self._awaited = source, path, None
        self.bar.title.set_text(f"{source.title}  {path}")
        self._open(state)

    def restore(self, second: SecondImage) -> None:
        """Show the image that is shown already with other links and view settings."""
        links = {name: bool(second.settings.get(name, is_on)) for name, is_on in self._links().items()}
        self.turn(**links)
        view = _view_of(second)
        if not view or json.dumps(view, sort_keys=True) == json.dumps(self.view_state(), sort_keys=True):
            return
        if self.pane.model.state is None:
            self._open(view)
        else:
            self.pane.restore({**view, "beside": None})

    def read_again(self) -> None:
        """Open the node and read its elements again, because something has changed; the view stays."""
        view, state = self.view_state(), self.pane.model.state
        if state is not None and self.pane.body.contrast.unpacking.isHidden():
            # Nothing was packed when it was shown, but a change may have added a scale. The node itself shows the change already.
            view = {**view, "is_unpacked": True}
        if self.source is not None:
            self.pane.session.forget_views(self.source, self.path)  # they are of the earlier attributes
        self.pane.forget_elements()
        self._open(view)

    def view_state(self) -> Mapping[str, Any]:
        """The view settings as JSON, also while the image is being opened."""
        return self.pane.lasting_view_state() or self._view

    def forget(self) -> None:
        """Show nothing any more, and cancel requests."""
        self._opening.forget()
        self.link.forget()
        self.pane.clear()
        self.pane.forget_tiles()

    def document(self) -> dict[str, Any] | None:
        """What is shown or awaited, and how, as JSON without a secret; None without either."""
        links = self._links()
        if self._awaited is not None:
            return {**self._awaited.document(), **links}
        if self.source is None:
            return None
        own, url = self.source.request, self.source.hierarchy.url
        request = replace(own, address=address_of(own, url), path=self.path)
        return SecondImage(request, {**links, "view": self.view_state()}).document()

    def turn(self, *, zooms: bool, moves: bool) -> None:
        """Switch the links, and show so."""
        self.bar.show_links(zooms=zooms, moves=moves)
        self.link.turn(zooms=zooms, moves=moves)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Show the controls if there is room."""
        super().resizeEvent(event)
        self._place_controls()

    def _links(self) -> dict[str, bool]:
        return {"zooms": self.link.zooms, "moves": self.link.moves}

    def _open(self, state: Mapping[str, Any] | None, *, is_again: bool = False) -> None:
        source, path, pane = self.source, self.path, self.pane
        if source is None:
            return
        self._view = state or {}
        pane.clear()
        pane.body.sliders.hide()
        pane.body.stack.wait_for(f"Opening {path}")

        def show(node: NodeLike) -> None:
            if is_broken(node):
                pane.body.stack.show_error(node.error)
                return
            pane.show_node(source, node)
            if state:
                pane.restore({**state, "beside": None})  # a link from elsewhere may nest images

        def find(_asked: object) -> NodeLike:
            if is_again:
                source.hierarchy.forget(path)
            found: NodeLike = source.hierarchy.node(path)
            read_packing(
                [found], source.hierarchy.node(path.rpartition("/")[0] or "/"), source.hierarchy.node
            )
            return found

        self._opening.ask(find, show, pane.body.stack.show_error, f"Opening {path}")

    def _retry(self) -> None:
        """Open the source or the node again if it could not be opened; the pane itself repeats the reading of an image."""
        if self._awaited is not None:
            self._ask_for_source(self._awaited)
        elif self.pane.model.state is None and not self._opening.busy:
            self._open(self._view, is_again=True)

    def _ask_for_source(self, second: SecondImage) -> None:
        self.pane.body.stack.wait_for(f"Opening {second.request.shown_address}")
        self.source_asked.emit(second.request)

    def _turn(self, *, zooms: bool, moves: bool) -> None:
        self.link.turn(zooms=zooms, moves=moves)
        self._show_link()
        self.changed.emit()

    def _show_link(self) -> None:
        self.bar.show_link(self.link.basis, self.link.outside)

    def _choose_controls(self, is_on: bool) -> None:
        self._has_controls = is_on
        self._place_controls()

    def _place_controls(self) -> None:
        has_room = self.width() >= _ROOM[0] and self.height() >= _ROOM[1]
        is_on = has_room if self._has_controls is None else self._has_controls
        self.bar.controls.setChecked(is_on)
        self.pane.body.show_controls(is_on=is_on)

    def _take_contrast(self, one: ImagePane, other: ImagePane) -> None:
        """Give an image the contrast of another one: the same number has the same place in the colours."""
        mine, theirs = one.model.state, other.model.state
        measured = one.model.measured
        if mine is None or theirs is None:
            return
        if measured is None or not all(_has_contrast(state.settings) for state in (mine, theirs)):
            self.reported.emit("Only images that are drawn with a colour map have a contrast to take over.")
            return
        levels = [
            found.levels(wish, mine.settings.norm)
            for found, wish in zip(measured.statistics, _contrasts(mine.settings), strict=False)
        ]
        fixed = [Contrast(ContrastMode.FIXED, *bounds) for bounds in levels]
        settings = theirs.settings
        if not fixed or len(fixed) != len(_contrasts(settings)):
            self.reported.emit("The two images do not have the same number of contrasts.")
        elif settings.is_blended:
            for position, contrast in zip(settings.channels_on, fixed, strict=True):
                settings = settings.with_channel(position, contrast=contrast)
            other.model.set(channels=settings.channels, and_measure=True)
        else:
            other.model.set(contrast=replace(fixed[0]), norm=mine.settings.norm, and_measure=True)


def _view_of(second: SecondImage) -> Mapping[str, Any]:
    view = second.settings.get("view")
    return view if isinstance(view, Mapping) else {}


def _has_contrast(settings: Any) -> bool:
    """Whether a picture has a contrast; not colours that are stored, as red, green and blue."""
    return settings.axes.channel is None


def _contrasts(settings: Any) -> list[Contrast]:
    """The contrasts of a picture: one per blended channel, else one."""
    if not settings.is_blended:
        return [settings.contrast]
    return [settings.channels[position].contrast for position in settings.channels_on]
