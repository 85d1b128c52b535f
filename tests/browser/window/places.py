"""A hierarchy to move in, and where a window is."""

from __future__ import annotations

import numpy as np

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.window.main_window import MainWindow


def example() -> FakeGroup:
    inner = FakeGroup({"line": FakeArray(np.arange(5.0))})
    return FakeGroup({"scan": inner, "image": FakeArray(np.zeros((4, 5)))})


def at(window: MainWindow, path: str, tab: str) -> bool:
    node = window.session.node
    return node is not None and node.path == path and window.node_pane.current_tab() == tab
