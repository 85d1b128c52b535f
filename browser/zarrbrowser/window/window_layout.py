"""The layout of the window, and its saved geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.widgets.label import DropMark
from zarrbrowser.widgets.notice import Notice, SentencePane
from zarrbrowser.widgets.splitter import Splitter
from zarrbrowser.window.appearance import WindowAppearance
from zarrbrowser.window.empty_state import EmptyState
from zarrbrowser.window.side.side_pane import SidePane
from zarrbrowser.window.status_bar import StatusBar
from zarrbrowser.window.top_bar import TopBar

if TYPE_CHECKING:
    from zarrbrowser.window.main_window import MainWindow

_SIZE, _TREE_WIDTH, _LEAST_TREE_WIDTH = (1280, 800), 400, 140


class WindowLayout(QWidget):
    """The top bar, and below it the start page, or the tree beside a node or a message; the status bar.

    Attributes:
        side: the tree, and the search above it.
        sentence: the message in place of a node.
        empty: the start page.
        appearance: the light or dark colours of all this.
        notice: a bar below the top bar with a sentence that does not belong to a node; hidden without one.
        drop_mark: says that something can be dropped here.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        session, workers = window.session, window.workers
        self._settings, self.node_pane = window.settings, window.node_pane
        self.top_bar: TopBar = TopBar(workers)
        self.status = StatusBar(workers, session.traffic)
        self.side: SidePane = SidePane(window.tree, lambda: session.sources, workers)
        self.sentence, self.empty = SentencePane(), EmptyState()
        self.appearance = WindowAppearance(window, window.settings, (self.empty, self.node_pane, self.side))
        self._right, self._body = QStackedWidget(), QStackedWidget()
        self._split = Splitter("between tree and data")
        self._right.addWidget(self.node_pane)
        self._right.addWidget(self.sentence)
        self._split.addWidget(self.side)
        self._split.addWidget(self._right)
        self._split.setSizes([_TREE_WIDTH, _SIZE[0] - _TREE_WIDTH])
        self.side.setMinimumWidth(_LEAST_TREE_WIDTH)
        self._split.setStretchFactor(1, 1)
        self._is_split_chosen = False
        """Whether the user has chosen the width of the tree."""
        self._split.splitterMoved.connect(self._split_chosen)
        self._split.setHandleWidth(1)
        self.top_bar.tree_button.toggled.connect(self.side.setVisible)
        self._body.addWidget(self.empty)
        self._body.addWidget(self._split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.notice = Notice("Close", lambda: self.notice.say(""))
        around = QVBoxLayout()
        around.setContentsMargins(12, 0, 12, 0)
        around.addWidget(self.notice)
        column.addWidget(self.top_bar)
        column.addLayout(around)
        column.addWidget(self._body, 1)
        self.drop_mark = DropMark("Drop to open", self)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Let the tree leave room for the data in a narrow window, unless the user has chosen its width."""
        super().resizeEvent(event)
        if not self._is_split_chosen:
            width = event.size().width()
            tree = min(_TREE_WIDTH, width * _TREE_WIDTH // _SIZE[0])
            self._split.setSizes([tree, width - tree])

    def _split_chosen(self, _at: int, _handle: int) -> None:
        self._is_split_chosen = True

    @property
    def shows_sentence(self) -> bool:
        """Whether a message is shown instead of a node."""
        return self._right.currentWidget() is self.sentence

    def show_empty(self) -> None:
        """Show the start page, while no source is open."""
        self.top_bar.tree_button.setEnabled(False)
        self._body.setCurrentWidget(self.empty)

    def show_tree(self) -> None:
        """Show the tree, once a source is open or being opened, unless the user hid it."""
        self.top_bar.tree_button.setEnabled(True)
        self._body.setCurrentWidget(self._split)

    def focus_tree(self) -> None:
        """Give the keys to the tree, also if it was hidden."""
        self.top_bar.tree_button.setChecked(True)
        self.side.tree.setFocus()

    def search(self) -> None:
        """Give the keys to the search box, also if it was hidden with the tree."""
        self.top_bar.tree_button.setChecked(True)
        self.side.focus_box()

    def show_node(self) -> None:
        """Show a node on the right."""
        self._right.setCurrentWidget(self.node_pane)

    def show_sentence(self) -> None:
        """Show a message on the right."""
        self._right.setCurrentWidget(self.sentence)

    def show_recent(self, requests: list[SourceRequest]) -> None:
        """Offer recent sources."""
        self.top_bar.show_recent(requests)
        self.empty.show_recent(requests)

    def fill(self, window: QMainWindow) -> None:
        """Install the layout in a window, and restore its geometry."""
        window.setWindowTitle("zarrscope")
        window.setAcceptDrops(True)
        window.resize(*_SIZE)
        window.setCentralWidget(self)
        window.setStatusBar(self.status)
        geometry, split = self._settings.data("geometry"), self._settings.data("split")
        if not geometry.isEmpty():
            window.restoreGeometry(geometry)
        window.resize(window.size().boundedTo(window.screen().availableSize()))
        if not split.isEmpty():
            self._split.restoreState(split)
            self._split.setChildrenCollapsible(False)
            self._is_split_chosen = True
        self.top_bar.tree_button.setChecked(self._settings.text("tree", "shown") == "shown")

    def keep(self) -> None:
        """Save the geometry."""
        self._settings.keep("geometry", self.window().saveGeometry())
        if self._is_split_chosen:
            self._settings.keep("split", self._split.saveState())
        self._settings.keep("tree", "shown" if self.top_bar.tree_button.isChecked() else "hidden")
