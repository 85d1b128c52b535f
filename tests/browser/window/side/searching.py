"""A hierarchy to search, and the results in a window."""

from __future__ import annotations

import numpy as np

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.window.main_window import MainWindow


def example() -> FakeGroup:
    inner = FakeGroup({"image": FakeArray(np.zeros((4, 5))), "mask": FakeArray(np.zeros((4, 5), bool))})
    return FakeGroup({"image": FakeArray(np.zeros((2, 3))), "scan": inner})


def paths(window: MainWindow) -> list[str]:
    hits = window.view.side.hits
    found = [hits.hit(hits.index(row, 0)) for row in range(hits.rowCount())]
    return [hit[1].path for hit in found if hit is not None]
