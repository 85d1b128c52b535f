"""Cells that hold references are links to the nodes that these lead to."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject

from zarrbrowser.models.grid_model import Cells, GridModel
from zarrbrowser.table.references import TableReferences
from zarrbrowser.table.row_order import whole_table
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)


class CellLinks(QObject):
    """Finds out which columns of a table hold references, and has the model show them as links."""

    def __init__(self, model: GridModel, workers: Workers) -> None:
        super().__init__(model)
        self._model, self._lane = model, Lane(workers, in_flight=1)
        self._references: TableReferences | None = None

    def show_table(self, grid: Cells | None) -> None:
        """Look for references in the columns of a table, once for all its slices."""
        found = None if grid is None else TableReferences(whole_table(grid))
        before = self._references
        if found is not None and before is not None and found.has_same_columns(before):
            return
        self._lane.forget()
        self._references = found
        self._model.show_links(None)
        if found is not None and found.may_exist:
            self._lane.ask(
                lambda _asked: found.look(),
                lambda has_some: self._model.show_links(found.target if has_some else None),
                lambda error: _log.debug("cannot find out which cells are references: %s", error),
            )
