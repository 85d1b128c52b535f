"""Names in the tree take the place of empty columns beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QModelIndex
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.models.trees import fetch, model_of
from zarrbrowser.window.side.tree_delegate import TreeDelegate
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.workers import Workers

LONG = "a_group_with_quite_a_long_name_that_does_not_fit_in_its_column"


def shown(
    children: dict[str, Any], workers: Workers, qtbot: QtBot
) -> tuple[TreeView, QModelIndex, QModelIndex]:
    """The tree of a group with two children, and their rows."""
    model, root = model_of(FakeGroup(children), workers, qtbot)
    fetch(model, root, qtbot)
    view = TreeView(model)
    qtbot.addWidget(view)
    view.resize(560, 200)
    view.show()
    view.expand(root)
    group, array = (model.index(row, 0, root) for row in range(2))
    return view, group, array


def test_a_long_name_runs_over_empty_columns_but_not_over_a_shape(workers: Workers, qtbot: QtBot) -> None:
    children = {LONG: FakeGroup(), f"{LONG}_": FakeArray(np.zeros((3, 4)))}
    view, group, array = shown(children, workers, qtbot)
    delegate = view.itemDelegate()
    assert isinstance(delegate, TreeDelegate)
    assert delegate.next_text(group) is None
    assert delegate.next_text(array) == array.siblingAtColumn(1)
    assert delegate.next_text(array.siblingAtColumn(1)) == array.siblingAtColumn(2)
    end, box = view.header().sectionSize(0), view.visualRect(group)
    picture = view.viewport().grab().toImage()
    background = picture.pixelColor(picture.width() - 2, box.center().y())
    beyond = [(x, y) for x in range(end + 2, end + 8) for y in range(box.top() + 2, box.bottom() - 2)]
    assert any(picture.pixelColor(*place) != background for place in beyond)


def test_a_long_type_begins_in_the_empty_column_before_it(workers: Workers, qtbot: QtBot) -> None:
    table = {"encoding-type": "anndata", "encoding-version": "0.1.0"}
    children = {"a": FakeGroup({}, table), "b": FakeArray(np.zeros((3, 4), "datetime64[ns]"))}
    view, group, array = shown(children, workers, qtbot)
    assert group.siblingAtColumn(2).data() == "annotated matrix"
    begins = view.header().sectionViewportPosition(2)
    for row, runs_over in ((group, True), (array, False)):
        box = view.visualRect(row)
        picture = view.viewport().grab().toImage()
        background = picture.pixelColor(picture.width() - 2, box.center().y())
        before = [(x, y) for x in range(begins - 12, begins) for y in range(box.top() + 2, box.bottom() - 2)]
        assert any(picture.pixelColor(*place) != background for place in before) == runs_over
