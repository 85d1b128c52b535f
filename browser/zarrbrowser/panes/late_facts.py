"""Facts that are read in the background: a heading and a grid, hidden until they are known."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import Fact
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.workers import Lane, Workers


class LateFacts(QWidget):
    """Facts about one node; hidden for a node without any."""

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lane = Lane(workers)
        self.grid: FactGrid | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.hide()

    @property
    def busy(self) -> bool:
        """Whether the facts are not known yet."""
        return self._lane.busy

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._lane.forget()
        self.hide()
        if self.grid is not None:
            self._column.removeWidget(self.grid)
            self.grid.hide()
            self.grid.deleteLater()
            self.grid = None

    def _show(self, heading: str, facts: Sequence[Fact]) -> None:
        self.clear()
        self.grid = FactGrid(heading, facts)
        self._column.addWidget(self.grid)
        self.show()
