"""What a node is according to a convention: a heading and facts, read in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import Fact
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.workers import Lane, Workers

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.conventions import Meaning


class MeaningFacts(QWidget):
    """The meaning of one node; hidden for a node without one."""

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lane = Lane(workers)
        self.grid: FactGrid | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.hide()

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show what a node is, once that is read."""
        from zarrcore.conventions import meaning, recognise  # late: for a fast start

        self.clear()
        recognised = recognise(node)
        title = "" if recognised is None else f"{recognised[0].title} {recognised[1]}"

        def show_error(error: Exception) -> None:
            if title:  # otherwise nothing says that there is a meaning
                self._show(title, [Fact("Error", sentence(error))])

        if title:
            self._show(title, [])
        self._lane.ask(lambda _asked: meaning(node, source.hierarchy.node), self._show_meaning, show_error)

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._lane.forget()
        self.hide()
        if self.grid is not None:
            self._column.removeWidget(self.grid)
            self.grid.hide()
            self.grid.deleteLater()
            self.grid = None

    def _show_meaning(self, found: Meaning | None) -> None:
        if found is not None:
            self._show(found.summary, [Fact(label.capitalize(), text) for label, text in found.facts()])

    def _show(self, heading: str, facts: list[Fact]) -> None:
        self.clear()
        self.grid = FactGrid(heading, facts)
        self._column.addWidget(self.grid)
        self.show()
