"""The layout of the window, and its saved geometry."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from zarrbrowser.settings import Settings
from zarrbrowser.widgets.label import DropMark
from zarrbrowser.widgets.notice import Notice, SentencePane
from zarrbrowser.window.empty_state import EmptyState
from zarrbrowser.window.node_pane import NodePane
from zarrbrowser.window.side.side_pane import SidePane
from zarrbrowser.window.status_bar import StatusBar
from zarrbrowser.window.top_bar import TopBar

_SIZE, _TREE_WIDTH, _LEAST_TREE_WIDTH = (1280, 800), 400, 140


class WindowLayout(QWidget):
    """The top bar, and below it the start page, or the tree beside a node or a message.

    Attributes:
        notice: a bar below the top bar with a sentence that does not belong to a node; hidden without one.
        drop_mark: says that something can be dropped here.
    """

    def __init__(
        self, top_bar: TopBar, side: SidePane, node_pane: NodePane, sentence: SentencePane, empty: EmptyState
    ) -> None:
        super().__init__()
        self._node_pane, self._sentence, self._empty = node_pane, sentence, empty
        self._right, self._body = QStackedWidget(), QStackedWidget()
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._right.addWidget(node_pane)
        self._right.addWidget(sentence)
        self._split.addWidget(side)
        self._split.addWidget(self._right)
        self._split.setSizes([_TREE_WIDTH, _SIZE[0] - _TREE_WIDTH])
        side.setMinimumWidth(_LEAST_TREE_WIDTH)
        self._split.setStretchFactor(1, 1)
        self._split.setHandleWidth(1)
        self._split.setCollapsible(1, False)
        self._body.addWidget(empty)
        self._body.addWidget(self._split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.notice = Notice("Close", lambda: self.notice.say(""))
        around = QVBoxLayout()
        around.setContentsMargins(12, 0, 12, 0)
        around.addWidget(self.notice)
        column.addWidget(top_bar)
        column.addLayout(around)
        column.addWidget(self._body, 1)
        self.drop_mark = DropMark("Drop to open", self)

    @property
    def shows_sentence(self) -> bool:
        """Whether a message is shown instead of a node."""
        return self._right.currentWidget() is self._sentence

    def show_empty(self) -> None:
        """Show the start page, while no source is open."""
        self._body.setCurrentWidget(self._empty)

    def show_tree(self) -> None:
        """Show the tree, once a source is open or being opened."""
        self._body.setCurrentWidget(self._split)

    def show_node(self) -> None:
        """Show a node on the right."""
        self._right.setCurrentWidget(self._node_pane)

    def show_sentence(self) -> None:
        """Show a message on the right."""
        self._right.setCurrentWidget(self._sentence)

    def fill(self, window: QMainWindow, status: StatusBar, settings: Settings) -> None:
        """Install the layout in a window, and restore its geometry."""
        window.setWindowTitle("zarrscope")
        window.setAcceptDrops(True)
        window.resize(*_SIZE)
        window.setCentralWidget(self)
        window.setStatusBar(status)
        geometry, split = settings.data("geometry"), settings.data("split")
        if not geometry.isEmpty():
            window.restoreGeometry(geometry)
        window.resize(window.size().boundedTo(window.screen().availableSize()))
        if not split.isEmpty():
            self._split.restoreState(split)

    def keep(self, window: QMainWindow, settings: Settings) -> None:
        """Save the geometry."""
        settings.keep("geometry", window.saveGeometry())
        settings.keep("split", self._split.saveState())
