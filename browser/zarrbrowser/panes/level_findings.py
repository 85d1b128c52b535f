"""What a check finds in a group itself and its place in consolidated metadata, read in the background from a local store."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import Fact
from zarrbrowser.nodes.protocols import NodeLike
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.session.sources import Source
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.workers import Lane, Request, Workers

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.operations.check import Finding

_log = logging.getLogger(__name__)
_SHOWN = 4


class LevelFindings(QWidget):
    """The errors and warnings of one group; hidden for a group without any."""

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lane = Lane(workers)
        self.grid: FactGrid | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.hide()

    @property
    def busy(self) -> bool:
        """Whether it is not known yet."""
        return self._lane.busy

    def show_node(self, source: Source, group: NodeLike) -> None:
        """Show what is wrong with a group, once that is known."""
        from zarrcore.hierarchy import Hierarchy  # late: for a fast start
        from zarrcore.operations.check import check_level

        self.clear()
        hierarchy = source.hierarchy
        if not isinstance(hierarchy, Hierarchy) or hierarchy.store.is_remote:
            return  # over a network, each name below the group would be a request

        def work(asked: Request) -> list[Finding]:
            found: list[Finding] = []
            for one in check_level(hierarchy, group.path):
                if asked.is_cancelled():
                    raise Cancelled
                found.append(one)
            return found

        # What cannot be read is reported where it is shown.
        self._lane.ask(work, self._show, lambda error: _log.debug("cannot check %s: %s", group.path, error))

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._lane.forget()
        self.hide()
        if self.grid is not None:
            self._column.removeWidget(self.grid)
            self.grid.hide()
            self.grid.deleteLater()
            self.grid = None

    def _show(self, findings: list[Finding]) -> None:
        wrong = [one for one in findings if one.severity in ("error", "warning")]
        if not wrong:
            return
        facts = [Fact(one.severity.capitalize(), one.sentence, one.key or one.path) for one in wrong[:_SHOWN]]
        if len(wrong) > _SHOWN:
            facts.append(Fact("", f"and {len(wrong) - _SHOWN} more, which Check… lists"))
        self.grid = FactGrid("What a check finds here", facts)
        self._column.addWidget(self.grid)
        self.show()
