"""The Metadata tab: facts about a node, and its document as Zarr v3 or as stored."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QTabBar, QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import Fact, array_facts, codec_facts, group_facts, json_text, summary
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_group
from zarrbrowser.panes.meaning_facts import MeaningFacts
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.widgets.json_text import JsonText
from zarrbrowser.widgets.splitter import side_by_side
from zarrbrowser.workers import Lane, Request, Workers

_FORMS = (
    ("As Zarr v3", "The document converted to Zarr v3, for any format"),
    ("As stored", "The document as it is in the store"),
)
_STORED = 1


class MetadataPane(Pane):
    """Facts on the left, the document on the right."""

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._workers = workers
        self._lane = Lane(workers)
        self.meaning: MeaningFacts | None = None
        self.facts = QScrollArea()
        self.facts.setAccessibleName("facts")
        self.facts.setWidgetResizable(True)
        self.facts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form = QTabBar()
        self.form.setProperty("role", "switch")
        self.form.setAccessibleName("form of the document")
        for text, tip in _FORMS:
            self.form.setTabToolTip(self.form.addTab(text), tip)
        self.form.currentChanged.connect(lambda _form: self._read_text())
        self.document = JsonText("Metadata", self.form)
        self._node: NodeLike | None = None
        self.facts.setMinimumWidth(200)
        self.document.setMinimumWidth(200)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(side_by_side(self.facts, self.document, (420, 480), "between facts and document"))

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show a group or an array."""
        self.clear()
        self._node = node
        meaning = MeaningFacts(self._workers)
        self.facts.setWidget(_facts_of(source, node, meaning))
        self.meaning = meaning  # only now: had that failed, the widget would be gone
        meaning.show_node(source, node)
        self._read_text()

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._lane.forget()
        if self.meaning is not None:
            self.meaning.clear()
            self.meaning = None
        self._node = None
        self.facts.setWidget(QWidget())
        self.document.show_text("")

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.document.update_colours()

    def _read_text(self) -> None:
        node = self._node
        if node is None or not (is_array(node) or is_group(node)):
            return
        known, stored = node, self.form.currentIndex() == _STORED

        def work(_asked: Request) -> str:
            return json_text(known.stored_document() if stored else known.metadata_document())

        self.document.heading.set_text(known.metadata_key if stored else "Metadata")
        self._lane.ask(work, self.document.show_text, lambda error: self.document.show_text(sentence(error)))


def _facts_of(source: Source, node: NodeLike, meaning: MeaningFacts) -> QWidget:
    format_ = source.format_of(node)
    title, specification = source.kind_of(node), str(format_.specification)
    column_widget = QWidget()
    column_widget.setProperty("role", "surface")
    column = QVBoxLayout(column_widget)
    column.setContentsMargins(20, 16, 16, 16)
    column.setSpacing(20)
    column.addWidget(meaning)
    if is_array(node):
        column.addWidget(FactGrid("Array", array_facts(node, title, specification)))
        column.addWidget(
            FactGrid("Codecs, in the order of encoding", codec_facts(node) or [Fact("none", "")])
        )
    elif is_group(node):
        facts = group_facts(node, title, source.hierarchy.url, specification)
        column.addWidget(FactGrid(summary(node), facts))
    column.addStretch(1)
    return column_widget
