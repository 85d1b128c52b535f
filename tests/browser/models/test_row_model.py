"""Rows of the tree by number: sorted, in ranges if there are many, and safe after they are gone."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.models.trees import fetch, has_more, leaves, model_of, names
from zarrbrowser.models import row_model, tree_item, tree_model
from zarrbrowser.models.tree_item import natural_key
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.workers import Workers

PAGE_SIZE = 50


@pytest.fixture(autouse=True)
def _too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let groups have more names than are listed at once, so that they come in pages, and these be small."""
    monkeypatch.setattr(tree_item, "MOST_NAMES", PAGE_SIZE)
    for module in (row_model, tree_model):
        monkeypatch.setattr(module, "PAGE_SIZE", PAGE_SIZE)


def test_a_model_with_ranges_is_consistent(
    workers: Workers, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    children = {f"a{number:06}": FakeArray(np.zeros(1)) for number in range(5 * PAGE_SIZE + 1)}
    model, root = model_of(FakeGroup(children), workers, qtbot)
    fetch(model, root, qtbot)
    while has_more(model, root):
        fetch(model, root, qtbot)
    rows = [model.rowCount(model.index(row, 0, root)) for row in range(model.rowCount(root))]
    assert len([count for count in rows if count > 1]) > 1, "several ranges"
    qtmodeltester.check(model)


def test_a_node_shown_before_its_page_is_not_shown_twice(
    workers: Workers, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    group = FakeGroup({name: FakeArray(np.zeros(1)) for name in "abc"})
    model, root = model_of(group, workers, qtbot)
    assert model.adopt(root, group.find("b")).data() == "b"
    fetch(model, root, qtbot)
    assert names(model, root) == ["a", "b", "c"]
    qtmodeltester.check(model)


def test_an_index_that_outlived_its_source_is_harmless(workers: Workers, qtbot: QtBot) -> None:
    group, gate = FakeGroup({"a": FakeArray(np.zeros(1))}), Gate()
    group.before_listing = gate.wait
    model, root = model_of(group, workers, qtbot)
    model.fetchMore(root)
    model.close(root)
    gate.open()
    qtbot.waitUntil(lambda: not workers.active)
    assert model.rowCount() == 0
    assert model.data(root) is None


def bounds(model: TreeModel, root: QModelIndex) -> list[tuple[str, str]]:
    """First and last name of each node or range below the root."""
    found = []
    for row in range(model.rowCount(root)):
        index = model.index(row, 0, root)
        item = model.item(index)
        assert item is not None
        inside = [child.node.name for child in item.children if child.node is not None]
        if item.is_range:
            assert index.data() == f"{inside[0]} … {inside[-1]}"
            found.append((inside[0], inside[-1]))
        elif item.node is not None:
            found.append((item.node.name, item.node.name))
    return found


@pytest.mark.parametrize("order", ["shuffled", "by text", "backwards", "sorted"])
def test_ranges_are_sorted_and_disjoint_for_any_order_of_listing(
    order: str, workers: Workers, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    wanted = [f"t{number}" for number in range(400)]
    listed = {"shuffled": wanted[:], "by text": sorted(wanted), "backwards": wanted[::-1], "sorted": wanted}[
        order
    ]
    if order == "shuffled":
        np.random.default_rng(1).shuffle(listed)
    model, root = model_of(FakeGroup({name: FakeArray(np.zeros(1)) for name in listed}), workers, qtbot)
    fetch(model, root, qtbot)
    early = QPersistentModelIndex(model.index(7, 0, root))
    name = early.data()
    model.adopt(root, named("t399a"))
    while has_more(model, root):
        fetch(model, root, qtbot)
        told = [natural_key(end) for ends in bounds(model, root) for end in ends]
        assert told == sorted(told)
    wanted.append("t399a")
    assert leaves(model, root) == wanted
    assert early.data() == name, "the indices that a view holds stay valid"
    assert all(model.rowCount(model.index(row, 0, root)) <= PAGE_SIZE for row in range(model.rowCount(root)))
    assert model.rowCount(root) <= PAGE_SIZE + 4 * len(wanted) // PAGE_SIZE
    assert model.child_named(root, "t123").data() == "t123"
    qtmodeltester.check(model)


def named(name: str) -> FakeArray:
    array = FakeArray(np.zeros(1))
    array.name, array.path = name, f"/{name}"
    return array
