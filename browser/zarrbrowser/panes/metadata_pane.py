"""The Metadata tab: facts about a node, and its document as Zarr v3 or as stored."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QTabBar, QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import (
    Fact,
    array_facts,
    axes_text,
    codec_facts,
    group_facts,
    json_text,
    summary,
)
from zarrbrowser.nodes.names_along import names_of
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array, is_group
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
_log = logging.getLogger(__name__)


class MetadataPane(Pane):
    """Facts on the left, the document on the right."""

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._workers = workers
        self._lane, self._naming = Lane(workers), Lane(workers)
        self.meaning: MeaningFacts | None = None
        self.facts = QScrollArea()
        self.facts.setAccessibleName("facts")
        self.facts.setWidgetResizable(True)
        self.facts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form = QTabBar()
        self.form.setProperty("role", "switch")
        self.form.setAccessibleName("form of the document")
        self.form.setUsesScrollButtons(False)  # the heading gives way instead
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
        widget, grid = _facts_of(source, node, meaning)
        self.facts.setWidget(widget)
        self.meaning = meaning  # only now: had that failed, the widget would be gone
        meaning.show_node(source, node)
        if is_array(node) and node.dimension_names is None:
            self._look_for_names(source, node, grid)
        self._read_text()

    def _look_for_names(self, source: Source, array: ArrayLike, grid: FactGrid) -> None:
        """Show the names that the groups above give the dimensions."""

        def show(names: Sequence[str | None] | None) -> None:
            if names:
                grid.add_detail("Shape", axes_text(names))

        self._naming.ask(
            lambda _asked: names_of(array, source.hierarchy.node),
            show,
            lambda error: _log.debug("cannot read the names of the dimensions", exc_info=error),
        )

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._lane.forget()
        self._naming.forget()
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


def _facts_of(source: Source, node: NodeLike, meaning: MeaningFacts) -> tuple[QWidget, FactGrid]:
    """The facts, and the grid with the first of them."""
    format_ = source.format_of(node)
    title, specification = source.kind_of(node), str(format_.specification)
    column_widget = QWidget()
    column_widget.setProperty("role", "surface")
    column = QVBoxLayout(column_widget)
    column.setContentsMargins(20, 16, 16, 16)
    column.setSpacing(20)
    column.addWidget(meaning)
    if is_array(node):
        column.addWidget(grid := FactGrid("Array", array_facts(node, title, specification)))
        column.addWidget(
            FactGrid("Codecs, in the order of encoding", codec_facts(node) or [Fact("none", "")])
        )
    else:
        facts = group_facts(node, title, source.hierarchy.url, specification) if is_group(node) else []
        column.addWidget(grid := FactGrid(summary(node), facts))
    column.addStretch(1)
    return column_widget, grid
