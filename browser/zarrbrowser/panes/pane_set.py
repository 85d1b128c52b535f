"""The panes of the window, each created when it is first needed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from importlib import import_module

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.colours.colour_maps import COLOUR_MAPS, lookup_table
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.registry import PANES, kind_of
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.theme.icons import load_drawings
from zarrbrowser.workers import Workers


class PaneSet(QObject):
    """Panes by the titles of their tabs.

    Signals:
        made: a new pane, and its title.
        pointed: the value under the pointer, as text.
        reported: what was read, for the status bar.
        shown: a pane has its data on the screen.
        retried: the user wants the node read again.
        view_changed: the present `Pane.view_state`.
        path_chosen: the path of a node that the user wants to go to.
        change_asked: a `Change` that the user wants.
        fill_asked: a `Target`, the elements for which the user wants to type a value.
        source_asked: the `SourceRequest` of a source that a pane needs.
        allow_asked: a folder or URL that data name, and that the user allows.
    """

    made = Signal(object, str)
    pointed = Signal(str)
    reported = Signal(str)
    shown = Signal()
    retried = Signal()
    view_changed = Signal(object)
    path_chosen = Signal(str)
    change_asked = Signal(object)
    fill_asked = Signal(object)
    source_asked = Signal(object)
    allow_asked = Signal(str)

    def __init__(self, session: Session, workers: Workers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._workers = session, workers
        self._panes: dict[str, Pane] = {}

    def __getitem__(self, title: str) -> Pane:
        if title not in self._panes:
            pane = self._panes[title] = kind_of(title).load()(self._session, self._workers)
            pane.pointed.connect(self.pointed)
            pane.reported.connect(self.reported)
            pane.settled.connect(self.shown)
            pane.retried.connect(self.retried)
            pane.unpacked.connect(self._unpack)
            pane.path_chosen.connect(self.path_chosen)
            pane.change_asked.connect(self.change_asked)
            pane.fill_asked.connect(self.fill_asked)
            pane.source_asked.connect(self.source_asked)
            for stack in pane.findChildren(DataStack):
                stack.allow_asked.connect(pane.allow_asked)
            pane.allow_asked.connect(self.allow_asked)
            pane.view_changed.connect(lambda: self.view_changed.emit(pane.view_state()))
            self.made.emit(pane, title)
        return self._panes[title]

    def __iter__(self) -> Iterator[Pane]:
        """The panes created so far."""
        return iter(self._panes.values())

    def get(self, title: str) -> Pane | None:
        """A pane, if it was created."""
        return self._panes.get(title)

    def forget_tiles(self) -> None:
        """Free the tiles of all pictures, also those of closed sources, which they keep open."""
        for pane in self:
            pane.forget_tiles()

    def reread_beside(self, sources: Collection[Source]) -> None:
        """Read what is shown beside the current node again if it is of one of these sources, which have changed."""
        for pane in self:
            if pane.beside is not None:
                pane.beside.read_again(sources)

    def sources_changed(self, known: Mapping[str, str]) -> None:
        """Let all panes let go of sources that are no longer open, and take those that are: see `Pane.sources_changed`."""
        for pane in self:
            pane.sources_changed(known)

    def unsaved(self) -> dict[str, str]:
        """The texts in all tabs that the user has begun and not saved, by the paths of their nodes."""
        return {path: text for pane in self for path, text in pane.unsaved().items()}

    def _unpack(self, is_on: bool) -> None:
        """Apply the user's choice in one tab to all tabs."""
        source, node = self._session.source, self._session.node
        if source is not None and node is not None:
            self._session.unpack(source, node.path, is_on=is_on)
            for pane in self:
                pane.unpack(is_on=is_on)


def load_pictures() -> None:
    """Import the drawing modules, and read what they draw; runs in a worker."""
    load_drawings()
    import_module("numpy.ma")  # which the first use of numpy.unique imports, in the middle of a drawing
    import_module("zarrcore.hierarchy")  # modules for opening, which the first opening would wait for
    for kind in PANES:
        if kind.is_drawn:
            kind.load()
    for name in COLOUR_MAPS:
        lookup_table(name)
