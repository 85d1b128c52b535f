"""Models of trees in memory."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeGroup, FakeHierarchy
from zarrbrowser.models.tree_item import Fetching
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.workers import Workers


def model_of(root: FakeGroup, workers: Workers, qtbot: QtBot) -> tuple[TreeModel, QModelIndex]:
    model = TreeModel(workers, lambda request: Source(request, FakeHierarchy(root), root))
    with qtbot.waitSignal(model.source_opened):
        model.open(SourceRequest("fake.zarr"))
    return model, model.index(0, 0)


def names(model: TreeModel, parent: QModelIndex) -> list[str]:
    return [model.index(row, 0, parent).data() for row in range(model.rowCount(parent))]


def leaves(model: TreeModel, parent: QModelIndex) -> list[str]:
    """Names of children, including those in ranges."""
    found = []
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        inside = names(model, index)
        found.extend(inside or [index.data()])
    return found


def fetch(model: TreeModel, index: QModelIndex, qtbot: QtBot) -> None:
    with qtbot.waitSignal(model.children_arrived):
        model.fetchMore(index)
        model.fetch_on(index)


def has_more(model: TreeModel, index: QModelIndex) -> bool:
    item = model.item(index)
    return item is not None and item.fetching in (Fetching.NOT_YET, Fetching.PARTLY)
