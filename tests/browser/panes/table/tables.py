"""Tables of any size, by arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.browser.fakes import FakeArray
from zarrbrowser.panes.table.table_pane import TablePane

VALUES = np.arange(3 * 1000 * 200, dtype=np.int32).reshape(3, 1000, 200)


class Endless(FakeArray):
    """Elements by arithmetic: 2 ** 40 rows do not take memory."""

    def __init__(self, length: int) -> None:
        super().__init__(np.zeros((1, 3), np.int64), chunks=(1, 3))
        self.shape = (length, 3)
        self.chunk_shape = self.inner_chunk_shape = (1000, 3)
        self.name, self.path = "endless", "/endless"

    def read(self, selection: Any = ..., out: object = None, **_: object) -> np.ndarray:
        rows, columns = selection
        self.selections.append(selection)
        return np.arange(rows.start, rows.stop)[:, None] * 10 + np.arange(3)[columns]


def read_here(pane: TablePane, row: int, column: int) -> object:
    known, value = pane.model.value(row, column)
    return value if known else None
