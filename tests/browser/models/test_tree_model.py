"""The tree: fetched in pages, sorted, with errors as rows."""

from __future__ import annotations

from collections import Counter
from itertools import count

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt, QTimer
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup, FakeHierarchy, Flaky, Gate
from tests.browser.models.trees import fetch, has_more, leaves, model_of, names
from tests.campaigns import ALL
from zarrbrowser.models import row_model, tree_item, tree_model
from zarrbrowser.models.tree_item import PAGE_SIZE
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.workers import Workers
from zarrcore.errors import MetadataError

MANY = 100_000 if ALL else 10_000


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


@pytest.fixture
def too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let groups have more names than are listed at once."""
    monkeypatch.setattr(tree_item, "MOST_NAMES", PAGE_SIZE)


@pytest.mark.usefixtures("too_many")
def test_many_children_arrive_in_pages(workers: Workers, qtbot: QtBot) -> None:
    values = np.zeros(1)
    root_group = FakeGroup({f"a{number:06}": FakeArray(values) for number in range(MANY)})
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
    assert model.child_named(root, "a009900").data() == "a009900"
    assert max(inserted.values()) <= PAGE_SIZE + 2, "the event loop runs between two pages"


def test_all_names_of_a_large_group_are_in_order_at_once(workers: Workers, qtbot: QtBot) -> None:
    listed = [f"run_{number}" for number in range(MANY)]
    np.random.default_rng(1).shuffle(listed)
    values = np.zeros(1)
    model, root = model_of(FakeGroup({name: FakeArray(values) for name in listed}), workers, qtbot)
    early = model.adopt(root, model.item(root).node.find(f"run_{MANY - 1}"))
    kept = QPersistentModelIndex(early)
    fetch(model, root, qtbot)
    assert not has_more(model, root)
    rows = names(model, root)
    assert rows[:2] == ["run_0 … run_499", "run_500 … run_999"]
    assert (len(rows), rows[-1]) == (MANY // PAGE_SIZE, f"run_{MANY - PAGE_SIZE} … run_{MANY - 1}")
    assert model.index(0, 1, root).data() == "500 nodes"
    assert kept.data() == f"run_{MANY - 1}"
    second = model.index(1, 0, root)
    assert model.hasChildren(second)
    with qtbot.waitSignal(model.children_arrived):
        model.fetchMore(second)
    assert names(model, second) == [f"run_{number}" for number in range(500, 1000)]
    assert not model.canFetchMore(second)
    assert model.adopt(root, model.item(root).node.find("run_5432")).data() == "run_5432"
    assert rows == names(model, root)
    assert model.typed(kept, "RUN_0") == "/run_0"
    assert model.typed(second.siblingAtRow(2), "run_1234") == "/run_1234"
    assert model.typed(kept, "walk") == ""


def test_names_that_take_long_to_list_come_into_order_later(
    workers: Workers, qtbot: QtBot, qtmodeltester: ModelTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_model, "LISTING_S", -1.0)
    for module in (row_model, tree_model):
        monkeypatch.setattr(module, "PAGE_SIZE", 50)
    group = FakeGroup({f"t{number}": FakeArray(np.zeros(1)) for number in sorted(range(120), key=str)})
    model, root = model_of(group, workers, qtbot)
    fetch(model, root, qtbot)
    chosen = QPersistentModelIndex(model.child_named(root, "t1"))
    qtbot.waitUntil(lambda: model.rowCount(root) == 3)
    assert names(model, root) == ["t0 … t49", "t50 … t99", "t100 … t119"]
    assert chosen.data() == "t1"
    assert [model.index(row, 1, root).data() for row in range(3)] == ["50 nodes", "50 nodes", "20 nodes"]
    qtmodeltester.check(model)
    for row in range(3):
        model.fetchMore(model.index(row, 0, root))
    qtbot.waitUntil(lambda: not workers.active)
    assert leaves(model, root) == [f"t{number}" for number in range(120)]


def test_a_range_that_cannot_be_read_is_tried_again(workers: Workers, qtbot: QtBot) -> None:
    group = FakeGroup({f"t{number}": FakeArray(np.zeros(1)) for number in range(1000)})
    model, root = model_of(group, workers, qtbot)
    fetch(model, root, qtbot)
    second = model.index(1, 0, root)
    source = model.item(root).source
    read, source.hierarchy.child = source.hierarchy.child, Flaky()
    model.fetchMore(second)
    qtbot.waitUntil(lambda: any("does not answer" in name for name in names(model, second)))
    assert len(names(model, second)) == 1
    source.hierarchy.child = read
    model.retry(model.index(0, 0, second))
    qtbot.waitUntil(lambda: len(names(model, second)) == 500)
    model.reload(root)
    qtbot.waitUntil(lambda: model.rowCount(root) == 0)


def test_one_page_is_fetched_at_a_time(workers: Workers, qtbot: QtBot) -> None:
    group, gate = FakeGroup({"a": FakeArray(np.zeros(1))}), Gate()
    group.before_listing = gate.wait
    model, root = model_of(group, workers, qtbot)
    model.fetchMore(root)
    assert not model.canFetchMore(root)
    qtbot.waitUntil(lambda: names(model, root) == ["Loading…"])
    with qtbot.waitSignal(model.children_arrived):
        gate.open()
    assert names(model, root) == ["a"]


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


def test_nodes_that_came_before_an_error_are_rows_above_it(workers: Workers, qtbot: QtBot) -> None:
    group, came = FakeGroup({name: FakeArray(np.zeros(1)) for name in "abc"}), count()
    group.before_child = lambda: Flaky()() if next(came) == 2 else None
    model, root = model_of(group, workers, qtbot)
    model.fetchMore(root)
    qtbot.waitUntil(lambda: names(model, root) == ["a", "b", "The server at example.org does not answer."])
    with qtbot.waitSignal(model.children_arrived):
        model.retry(model.index(2, 0, root))
    assert names(model, root) == ["a", "b", "c"]


@pytest.mark.usefixtures("too_many")
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
    assert gate.waiting.acquire(timeout=30)
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
