"""The tree: what it fetches, its menu, and its keys."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.models.trees import leaves, model_of
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.workers import Workers


def test_the_view_fetches_only_rows_in_view(workers: Workers, qtbot: QtBot) -> None:
    group = FakeGroup({f"a{number:05}": FakeArray(np.zeros(1)) for number in range(20_000)})
    model, root = model_of(group, workers, qtbot)
    view = TreeView(model)
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.expand(root)
    qtbot.waitUntil(lambda: model.rowCount(root) > 100)
    qtbot.wait(150)
    before = len(leaves(model, root))
    assert before < 2000
    view.scrollToBottom()
    qtbot.waitUntil(lambda: len(leaves(model, root)) > before)
    qtbot.wait(150)
    assert len(leaves(model, root)) < 4000
