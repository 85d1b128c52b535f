"""The tree: fetched in pages, sorted, with errors as rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup, FakeHierarchy, Flaky, Gate
from tests.browser.models.trees import leaves, model_of, names
from zarrbrowser.models.tree_item import PAGE_SIZE, Fetching, natural_key
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.workers import Workers
from zarrcore.errors import MetadataError

MANY = 100_000


def fetch(model: TreeModel, index: QModelIndex, qtbot: QtBot) -> None:
    with qtbot.waitSignal(model.children_arrived):
        model.fetchMore(index)
        model.fetch_on(index)


def has_more(model: TreeModel, index: QModelIndex) -> bool:
    item = model.item(index)
    return item is not None and item.fetching in (Fetching.NOT_YET, Fetching.PARTLY)


def test_a_small_group_is_sorted_in_natural_order(
    workers: Workers, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    children = {name: FakeArray(np.zeros((2, 3), np.int16)) for name in ("t10", "t2", "A")}
    model, root = model_of(FakeGroup({**children, "g": FakeGroup()}), workers, qtbot)
    qtmodeltester.check(model)
    qtbot.waitUntil(lambda: names(model, root) == ["A", "g", "t2", "t10"])  # the tester fetched them
    assert model.index(0, 1, root).data() == "2 × 3"
    assert model.index(0, 2, root).data() == "int16"
    assert not model.canFetchMore(root)
    assert not model.hasChildren(model.index(0, 0, root))
    qtmodeltester.check(model)


def test_a_hundred_thousand_children_arrive_in_pages(workers: Workers, qtbot: QtBot) -> None:
    root_group = FakeGroup({f"a{number:06}": FakeArray(np.zeros(1)) for number in range(MANY)})
    model, root = model_of(root_group, workers, qtbot)
    fetch(model, root, qtbot)
    assert 1 < model.rowCount(root) <= PAGE_SIZE + 1
    assert names(model, root)[-1] == "More…"
    turns, inserted = 0, Counter[int]()

    def turn() -> None:
        nonlocal turns
        turns += 1

    ticker = QTimer(interval=0)
    ticker.timeout.connect(turn)
    ticker.start()
    model.rowsInserted.connect(lambda _parent, first, last: inserted.update({turns: last - first + 1}))
    while has_more(model, root):
        fetch(model, root, qtbot)
    ticker.stop()
    ranges = [
        model.index(row, 0, root)
        for row in range(model.rowCount(root))
        if model.rowCount(model.index(row, 0, root))
    ]
    assert len(ranges) >= MANY // PAGE_SIZE - 1
    assert all(model.rowCount(index) <= PAGE_SIZE for index in ranges)
    assert len(leaves(model, root)) == MANY
    assert leaves(model, root)[-1] == f"a{MANY - 1:06}"
    assert ranges[-1].data().endswith(f"a{MANY - 1:06}")
    assert model.child_named(root, "a099000").data() == "a099000"
    assert max(inserted.values()) <= PAGE_SIZE + 2, "the event loop runs between two pages"


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


def test_one_page_is_fetched_at_a_time(workers: Workers, qtbot: QtBot) -> None:
    group, gate = FakeGroup({"a": FakeArray(np.zeros(1))}), Gate()
    group.before_listing = gate.wait
    model, root = model_of(group, workers, qtbot)
    model.fetchMore(root)
    assert not model.canFetchMore(root)
    qtbot.waitUntil(lambda: names(model, root) == ["Loading…"])
    with qtbot.waitSignal(model.children_arrived):
        gate.open()
    assert names(model, root)[0] == "a"  # on a busy machine the page may end there


def test_a_listing_that_fails_is_a_row_that_can_be_retried(workers: Workers, qtbot: QtBot) -> None:
    group, flaky = FakeGroup({"a": FakeArray(np.zeros(1))}), Flaky()
    group.before_listing = flaky
    model, root = model_of(group, workers, qtbot)
    model.fetchMore(root)
    qtbot.waitUntil(lambda: names(model, root) == ["The server at example.org does not answer."])
    flaky.mended = True
    with qtbot.waitSignal(model.children_arrived):
        model.retry(model.index(0, 0, root))
    assert names(model, root) == ["a"]


def test_an_interrupted_listing_keeps_its_first_rows(workers: Workers, qtbot: QtBot) -> None:
    group, flaky = FakeGroup({f"a{number}": FakeArray(np.zeros(1)) for number in range(3000)}), Flaky()
    model, root = model_of(group, workers, qtbot)
    fetch(model, root, qtbot)
    group.before_child = flaky
    came = len(leaves(model, root)) - 1
    model.fetch_on(root)
    qtbot.waitUntil(lambda: "does not answer" in names(model, root)[-1])
    assert len(leaves(model, root)) == came + 1
    flaky.mended = True
    with qtbot.waitSignal(model.children_arrived):
        model.retry(model.index(model.rowCount(root) - 1, 0, root))
    while has_more(model, root):
        fetch(model, root, qtbot)
    assert len(set(leaves(model, root))) == len(leaves(model, root)) == 3000


def test_broken_nodes_are_rows_with_a_reason(workers: Workers, qtbot: QtBot) -> None:
    broken = FakeBroken(MetadataError("expected a list", member="shape"))
    model, root = model_of(FakeGroup({"bad": broken, "good": FakeArray(np.zeros(1))}), workers, qtbot)
    fetch(model, root, qtbot)
    assert model.index(0, 1, root).data() == "cannot be read"
    assert "expected a list" in model.index(0, 0, root).data(Qt.ItemDataRole.ToolTipRole)


def test_a_node_shown_before_its_page_is_not_shown_twice(
    workers: Workers, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    group = FakeGroup({name: FakeArray(np.zeros(1)) for name in "abc"})
    model, root = model_of(group, workers, qtbot)
    assert model.adopt(root, group.find("b")).data() == "b"
    fetch(model, root, qtbot)
    assert names(model, root) == ["a", "b", "c"]
    qtmodeltester.check(model)


def test_a_source_that_cannot_be_opened_can_be_retried_and_closed(workers: Workers, qtbot: QtBot) -> None:
    flaky, group = Flaky(), FakeGroup()

    def open_it(request: SourceRequest) -> Source:
        flaky()
        return Source(request, FakeHierarchy(group), group)

    model = TreeModel(workers, open_it)
    with qtbot.waitSignal(model.source_failed):
        model.open(SourceRequest("far.zarr"))
    row = model.index(0, 0)
    assert model.index(0, 1).data() == "cannot be opened"
    flaky.mended = True
    with qtbot.waitSignal(model.source_opened):
        model.retry(row)
    assert model.index(0, 1).data() == ""
    model.close(row)
    assert model.rowCount() == 0
    assert model.item(row) is None, "an index that outlived its row finds no item"


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


def test_reload_reads_the_source_again(workers: Workers, qtbot: QtBot) -> None:
    group = FakeGroup({"a": FakeArray(np.zeros(1))})
    model, root = model_of(group, workers, qtbot)
    fetch(model, root, qtbot)
    group.add("b", FakeArray(np.zeros(1)))
    with qtbot.waitSignal(model.source_opened):
        model.reload(model.index(0, 0, root))
    fetch(model, model.index(0, 0), qtbot)
    assert names(model, model.index(0, 0)) == ["a", "b"]


def test_reload_cancels_a_running_listing(workers: Workers, qtbot: QtBot) -> None:
    old, new, gate = (
        FakeGroup({"old": FakeArray(np.zeros(1))}),
        FakeGroup({"new": FakeArray(np.zeros(1))}),
        Gate(),
    )
    old.before_listing = gate.wait
    roots = iter((old, new))

    def open_it(request: SourceRequest) -> Source:
        root = next(roots)
        return Source(request, FakeHierarchy(root), root)

    model = TreeModel(workers, open_it)
    with qtbot.waitSignal(model.source_opened):
        model.open(SourceRequest("fake.zarr"))
    model.fetchMore(model.index(0, 0))
    assert gate.waiting.acquire(timeout=5)
    with qtbot.waitSignal(model.source_opened):
        model.reload(model.index(0, 0))
    gate.open()
    fetch(model, model.index(0, 0), qtbot)
    qtbot.waitUntil(lambda: not workers.active)
    assert names(model, model.index(0, 0)) == ["new"]


def test_closing_a_source_cancels_its_requests(workers: Workers, qtbot: QtBot) -> None:
    group, gate = FakeGroup({"inner": FakeGroup()}), Gate()
    model, root = model_of(group, workers, qtbot)
    fetch(model, root, qtbot)
    group.find("inner").before_listing = gate.wait
    model.fetchMore(model.index(0, 0, root))
    assert [request.label for request in workers.active] == ["Listing /inner"]
    model.close(root)
    assert workers.active == ()
    gate.open()


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
    wanted = [f"t{number}" for number in range(4000)]
    listed = {"shuffled": wanted[:], "by text": sorted(wanted), "backwards": wanted[::-1], "sorted": wanted}[
        order
    ]
    if order == "shuffled":
        np.random.default_rng(1).shuffle(listed)
    model, root = model_of(FakeGroup({name: FakeArray(np.zeros(1)) for name in listed}), workers, qtbot)
    fetch(model, root, qtbot)
    early = QPersistentModelIndex(model.index(7, 0, root))
    name = early.data()
    model.adopt(root, named("t3999a"))
    while has_more(model, root):
        fetch(model, root, qtbot)
        told = [natural_key(end) for ends in bounds(model, root) for end in ends]
        assert told == sorted(told)
    wanted.append("t3999a")
    assert leaves(model, root) == wanted
    assert early.data() == name, "the indices that a view holds stay valid"
    assert all(model.rowCount(model.index(row, 0, root)) <= PAGE_SIZE for row in range(model.rowCount(root)))
    assert model.rowCount(root) <= PAGE_SIZE + 4 * len(wanted) // PAGE_SIZE
    assert model.child_named(root, "t1234").data() == "t1234"
    qtmodeltester.check(model)


def named(name: str) -> FakeArray:
    array = FakeArray(np.zeros(1))
    array.name, array.path = name, f"/{name}"
    return array
