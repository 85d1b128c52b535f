"""The commands that show an image beside the one in the Image tab."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QModelIndex, QObject, Signal

from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.session.state import Session
from zarrbrowser.window.node_pane import NodePane

_IMAGE = "Image"
_NO_IMAGE = "No image is shown: choose one in the tree, then show another one beside it."


class BesideOpener(QObject):
    """Shows and closes the second image, and opens its source for a view that has one.

    Signals:
        reported: why there is none, for the status bar.
    """

    reported = Signal(str)

    def __init__(self, session: Session, model: TreeModel, node_pane: NodePane) -> None:
        super().__init__(node_pane)
        self._session, self._model, self._node_pane = session, model, node_pane
        node_pane.panes.source_asked.connect(self._open)

    def show_row(self, index: QModelIndex) -> None:
        """Show the node of a row of the tree beside the image."""
        item = self._model.item(index)
        if item is not None and item.source is not None and item.node is not None:
            self.show(item.source, item.node.path)

    def show_current(self) -> None:
        """Show the current node beside itself: it stays while the user chooses others in the tree."""
        source, node = self._session.source, self._session.node
        if source is None or node is None:
            self.reported.emit(_NO_IMAGE)
        else:
            self.show(source, node.path)

    def show(self, source: Source, path: str) -> None:
        """Show the image of a node beside the one in the Image tab."""
        pane = self._node_pane.current_pane if self._node_pane.show_tab(_IMAGE) else None
        if pane is None or pane.beside is None:
            self.reported.emit(_NO_IMAGE)
        else:
            pane.beside.show(source, path)

    def _open(self, request: SourceRequest) -> None:
        """Open a source in the tree, without leaving the current node; the panes are informed when it is open."""
        known = self._session.recent.known(request)
        row = self._model.item(self._model.find(known))
        # The user may be waiting for a node of the same source.
        path = row.request.path if row is not None and row.request is not None else "/"
        self._model.open(replace(known, path=path))

    def close(self) -> None:
        """Close the second image."""
        pane = self._node_pane.panes.get(_IMAGE)
        if pane is not None and pane.beside is not None:
            pane.beside.close()
