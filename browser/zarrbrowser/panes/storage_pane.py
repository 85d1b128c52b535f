"""The Storage tab: how much of an array is stored, and which chunks; counted in the background."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from zarrbrowser.chunks.chunk_map import ChunkMap, count_chunks
from zarrbrowser.chunks.storage_facts import storage_facts
from zarrbrowser.nodes.describe import Fact
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array
from zarrbrowser.panes.chunk_picture import ChunkPicture
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.notice import Notice
from zarrbrowser.widgets.splitter import side_by_side
from zarrbrowser.workers import Request, Workers
from zarrbrowser.workers.workers import Stopped


class StoragePane(Pane):
    """Shows one array; the facts on the left, the chunks on the right."""

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._array: ArrayLike | None = None
        self._counting: Request | None = None
        self._last: ChunkMap | None = None
        self.facts = QScrollArea()
        self.facts.setAccessibleName("facts")
        self.facts.setWidgetResizable(True)
        self.facts.setMinimumWidth(200)
        self.picture = ChunkPicture()
        self.problem = Notice("Count again", self.start)
        self.state = label(role="muted")
        self._heading = label(role="heading")
        self.stop_button = push_button("Stop counting", self.stop)
        self.again_button = push_button("Count again", self.start, drawing="retry")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(side_by_side(self.facts, self._right(), (400, 500), "between facts and chunks"))

    def show_node(self, _source: Source, node: NodeLike) -> None:
        """Show an array, and start counting."""
        if is_array(node):
            self.show_array(node)

    def show_array(self, array: ArrayLike) -> None:
        """Show an array, and start counting."""
        self.clear()
        self._array = array
        is_sharded = tuple(array.inner_chunk_shape) != tuple(array.chunk_shape)
        self._heading.setText("Shards in the store" if is_sharded else "Chunks in the store")
        self.start()

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        if self._counting is not None:
            self.workers.cancel(self._counting)
        self._array = self._counting = self._last = None
        self.picture.show_map(None)
        self.facts.setWidget(QWidget())

    def start(self) -> None:
        """Count the chunks in the store."""
        array = self._array
        if array is None:
            return
        if self._counting is not None:
            self.workers.cancel(self._counting)
        self.problem.say("")
        self._last = None
        self._counting = self.workers.submit(
            lambda asked: count_chunks(array, asked.is_cancelled, asked.report_part),
            self._done,
            self._failed,
            f"Counting chunks of {array.path}",
            self._show,
        )
        self._show_counted()

    def stop(self) -> None:
        """Stop counting; keep the numbers so far."""
        if self._counting is not None:
            self.workers.cancel(self._counting)
            self._counting = None
            self._show_counted()
            self.settled.emit()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.picture.update_colours()

    def _right(self) -> QWidget:
        right = QWidget()
        right.setProperty("role", "surface")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._heading)
        top.addWidget(self.state)
        top.addStretch(1)
        top.addWidget(self.stop_button)
        top.addWidget(self.again_button)
        column = QVBoxLayout(right)
        column.setContentsMargins(16, 12, 12, 12)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self.problem)
        column.addWidget(self.picture, 1)
        column.addLayout(_legend())
        return right

    def _show(self, chunk_map: ChunkMap) -> None:
        self._last = chunk_map
        self.picture.show_map(chunk_map)
        self._show_counted()

    def _done(self, chunk_map: ChunkMap) -> None:
        self._counting = None
        self._show(chunk_map)
        self.settled.emit()

    def _failed(self, error: Exception) -> None:
        self._counting = None
        self._show_counted()
        if not isinstance(error, Stopped):
            self.problem.say(sentence(error))
        self.settled.emit()

    def _show_counted(self) -> None:
        array, known = self._array, self._last
        if array is None:
            return
        counting = self._counting is not None
        whole = known is not None and known.info is not None
        self.stop_button.setVisible(counting)
        self.again_button.setVisible(not counting)
        found = f"{known.present:,} so far" if known is not None else ""
        self.state.setText("" if whole else f"counting…  {found}" if counting else f"stopped, {found}")
        facts = storage_facts(array, known) if known is not None else [Fact("Chunks", "counting…")]
        column_widget = QWidget()
        column_widget.setProperty("role", "surface")
        column = QVBoxLayout(column_widget)
        column.setContentsMargins(20, 16, 16, 16)
        column.addWidget(FactGrid("Storage", facts))
        column.addStretch(1)
        self.facts.setWidget(column_widget)


def _legend() -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(6)
    for role, text in (("stored", "stored"), ("absent", "not stored: reads as the fill value")):
        swatch = QFrame()
        swatch.setProperty("role", role)
        swatch.setFixedSize(14, 14)
        row.addWidget(swatch)
        row.addWidget(label(text, "muted"))
        row.addSpacing(10)
    row.addStretch(1)
    return row
