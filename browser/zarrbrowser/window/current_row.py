"""What the window shows of the current row of the tree: its node, or a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QTimer, Signal

from zarrbrowser.models.tree_item import Fetching
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.error_text import CONNECTION
from zarrbrowser.session.sources import Source, short_name
from zarrbrowser.widgets.buttons import AllowButton, push_button
from zarrbrowser.window.reveal import Revealer

if TYPE_CHECKING:
    from zarrbrowser.window.main_window import MainWindow


class CurrentRow(QObject):
    """Shows the current row, and follows what becomes of it: it is opened, read, or fails.

    Signals:
        node_shown: the node of the row is shown.
        settled: the row, or the reason why it cannot be shown, is on the screen.
    """

    node_shown = Signal()
    settled = Signal()

    def __init__(self, window: MainWindow, revealer: Revealer) -> None:
        super().__init__(window)
        self._window, self._revealer = window, revealer
        model, view, sources = window.model, window.view, window.sources
        self._model, self._view, self._tree, self._sources = model, view, window.tree, sources
        self._session = window.session
        self._retry: Callable[[], None] = self._read_again
        self._tree.node_chosen.connect(self._show)
        self._tree.clicked.connect(self._row_clicked)
        model.source_failed.connect(self._row_settled)
        model.node_read.connect(self._row_settled)
        model.dataChanged.connect(self._row_changed)
        sources.opened.connect(self._source_opened)
        sources.emptied.connect(self._show_start_page)
        revealer.failed.connect(self._path_failed)
        view.side.hit_chosen.connect(
            lambda source, path: revealer.reveal(source, model.find(source.request), path)
        )
        self._connection = push_button(CONNECTION, window.choose_location)
        self._allowing = AllowButton(self._mend)
        self._close = push_button("Close", sources.close_current)
        for button in (self._connection, self._allowing, self._close):
            view.sentence.add_button(button)
        view.sentence.button.clicked.connect(lambda _checked: self._retry())
        view.node_pane.panes.retried.connect(self._read_again)
        view.node_pane.panes.allow_asked.connect(self._mend)
        view.node_pane.pictures.failed.connect(self._say)

    def _show(self, index: QModelIndex) -> None:
        item = self._model.item(index)
        if item is None or not index.isValid():
            return
        if item.node is not None and item.source is not None:
            self._show_node(item.source, item.node)
        elif item.is_note and item.parent is not None and item.parent.fetching is Fetching.FAILED:
            source, node = item.source, item.parent.node
            if source is not None and node is not None:
                self._view.top_bar.show_address(source.address_of(node.path))
            self._say(item.note)
            self._allowing.offer(item.parent.allow)
        elif item.request is not None:
            self._leave_node(f"{short_name(item.request.shown_address)} – zarrscope")
            self._view.top_bar.show_address(item.request.address)
            self._view.top_bar.show_versions((), "")
            if item.fetching is Fetching.FAILED:
                self._say(item.note)
                self._connection.setVisible("://" in item.request.address)  # a path has no connection
                self._close.show()
                self._allowing.offer(item.allow if item.allow != CONNECTION else "")
            else:
                self._say(f"Opening {item.request.shown_address}…", drawing="loading", retry=False)

    def _show_node(self, source: Source, node: NodeLike) -> None:
        view, pane = self._view, self._view.node_pane
        view.status.forget()
        view.show_node()
        pane.show_node(source, node)
        self.node_shown.emit()
        view.top_bar.show_address(source.address_of(node.path))
        view.top_bar.show_versions(source.versions, source.hierarchy.url)
        self._window.navigator.arrived()
        self._window.setWindowTitle(f"{node.name or source.title} – zarrscope")
        if pane.current_tab() not in ("Image", "Plot", "Value"):
            QTimer.singleShot(0, self.settled.emit)

    def _show_start_page(self) -> None:
        """Show the start page: no source is open any more."""
        self._view.status.forget()
        self._view.show_empty()
        self._view.top_bar.show_address("")
        self._view.top_bar.show_versions((), "")
        self._window.setWindowTitle("zarrscope")

    def _say(self, text: str, *, drawing: str = "broken", retry: bool = True) -> None:
        self._retry = self._read_again
        self._connection.hide()
        self._close.hide()
        self._allowing.offer("")
        self._view.sentence.say(text, drawing=drawing, retry=retry)
        self._view.show_sentence()
        if retry:
            self.settled.emit()

    def _leave_node(self, title: str) -> None:
        """Clear the node before a message is shown."""
        self._window.navigator.leave()
        self._view.status.forget()
        self._window.setWindowTitle(title)

    def _read_again(self) -> None:
        self._model.retry(QPersistentModelIndex(self._tree.currentIndex()))

    def _mend(self, remedy: str) -> None:
        if remedy != CONNECTION:
            self._sources.allow(remedy)
        elif (source := self._session.source) is not None:
            self._window.choose_location(source.request)

    # Events

    def _row_clicked(self, index: QModelIndex) -> None:
        # A click on the current row does not change the row, but the window may show a message instead of its node.
        if self._view.shows_sentence:
            self._show(index)

    def _row_changed(self, first: QModelIndex, _last: QModelIndex) -> None:
        item = self._model.item(first)
        if item is None:
            return
        opens = item.request is not None and item.source is None and self._sources.is_current(first)
        if opens or (item.is_note and first == self._tree.currentIndex()):
            self._show(first)

    def _row_settled(self, index: QModelIndex) -> None:
        if index == self._tree.currentIndex().siblingAtColumn(0):
            self._show(index)

    def _source_opened(self, index: QModelIndex) -> None:
        item = self._model.item(index)
        if item is None or item.source is None or item.request is None or not self._sources.is_current(index):
            return
        path = item.request.path if item.request.path != "/" else item.source.first
        if path:
            self._revealer.reveal(item.source, index, path)
        else:
            self._show(index)

    def _path_failed(self, text: str, address: str) -> None:
        self._leave_node("zarrscope")
        self._view.top_bar.show_address(address)
        self._say(text)
        self._retry = self._revealer.again
