"""The tree: what it fetches, its menu, and its keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup, Flaky
from tests.browser.models.trees import fetch, leaves, model_of, names
from zarrbrowser.models import tree_item
from zarrbrowser.models.tree_item import PAGE_SIZE
from zarrbrowser.models.tree_model import TreeModel
from zarrbrowser.window.side.tree_view import TreeView
from zarrbrowser.workers import Workers
from zarrcore.errors import MetadataError


@pytest.fixture
def too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let groups have more names than are listed at once, so that they come in pages."""
    monkeypatch.setattr(tree_item, "MOST_NAMES", PAGE_SIZE)


def test_a_typed_name_is_found_although_it_is_not_read_yet(workers: Workers, qtbot: QtBot) -> None:
    group = FakeGroup({f"run_{number:05}": FakeArray(np.zeros(1)) for number in range(3000)})
    model, root = model_of(group, workers, qtbot)
    view = expanded(model, root, qtbot)
    qtbot.waitUntil(lambda: model.rowCount(root) == 6)
    view.setCurrentIndex(model.index(0, 0, root))
    heard: list[str] = []
    view.name_typed.connect(heard.append)
    QShortcut(QKeySequence("1"), view, lambda: heard.append("the command of the key"))
    QTest.keyClicks(view, "Run_01234")
    assert heard[0] == "/run_00000"
    assert heard[-1] == "/run_01234"
    assert "the command of the key" not in heard


def test_a_chosen_row_stays_in_view_when_rows_arrive_above_it(workers: Workers, qtbot: QtBot) -> None:
    group = FakeGroup({f"run_{number:05}": FakeArray(np.zeros(1)) for number in range(3000)})
    model, root = model_of(group, workers, qtbot)
    view = expanded(model, root, qtbot)
    qtbot.waitUntil(lambda: model.rowCount(root) == 6)
    row = model.adopt(root, group.find("run_01234"))
    view.expand(row.parent())
    view.choose(row)
    assert is_in_view(view)
    qtbot.waitUntil(lambda: model.rowCount(view.currentIndex().parent()) == PAGE_SIZE)
    qtbot.waitUntil(lambda: is_in_view(view))
    assert view.currentIndex().data() == "run_01234"
    view.scrollToTop()
    view.expand(model.index(0, 0, root))
    qtbot.waitUntil(lambda: model.rowCount(model.index(0, 0, root)) == PAGE_SIZE)
    qtbot.wait(20)
    assert view.verticalScrollBar().value() == 0, "the user had scrolled away from the row"


def is_in_view(view: TreeView) -> bool:
    return view.viewport().rect().contains(view.visualRect(view.currentIndex()).center())


def expanded(model: TreeModel, root: QModelIndex, qtbot: QtBot) -> TreeView:
    """A small view on the screen, with an expanded row."""
    view = TreeView(model)
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.expand(root)
    return view


@pytest.mark.usefixtures("too_many")
def test_the_view_fetches_only_rows_in_view(workers: Workers, qtbot: QtBot) -> None:
    group = FakeGroup({f"a{number:05}": FakeArray(np.zeros(1)) for number in range(20_000)})
    model, root = model_of(group, workers, qtbot)
    view = expanded(model, root, qtbot)
    qtbot.waitUntil(lambda: model.rowCount(root) > 100)
    qtbot.wait(150)
    before = len(leaves(model, root))
    assert before < 2000
    view.scrollToBottom()
    qtbot.waitUntil(lambda: len(leaves(model, root)) > before)
    qtbot.wait(150)
    assert len(leaves(model, root)) < 4000


@pytest.mark.usefixtures("too_many")
def test_a_page_that_comes_in_parts_is_fetched_wholly(
    workers: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from a store that takes long for each node."""

    def part(stream: Iterator[Any], size: int) -> tuple[list[Any], bool, None]:
        nodes = [*islice(stream, min(size, 130))]
        return nodes, not nodes, None

    monkeypatch.setattr("zarrbrowser.models.tree_model.next_page", part)
    group = FakeGroup({f"a{number:05}": FakeArray(np.zeros(1)) for number in range(3000)})
    model, root = model_of(group, workers, qtbot)
    view = expanded(model, root, qtbot)
    item = model.item(root)
    assert item is not None

    def has(number: int) -> bool:
        if len(item.names) < PAGE_SIZE:  # new rows move the end out of view
            view.scrollToBottom()
        return len(item.names) == number

    for pages in (1, 2, 3):
        qtbot.waitUntil(lambda pages=pages: has(pages * PAGE_SIZE))  # type: ignore[misc]
        qtbot.wait(150)
        assert has(pages * PAGE_SIZE)
        view.scrollToTop()
        view.scrollToBottom()


def actions_of(view: TreeView, index: QModelIndex) -> dict[str, Any]:
    item = view.tree_model.item(index)
    assert item is not None
    return {one.text(): one for one in view.menu_for(index, item).actions() if one.text()}


def test_the_menu_of_a_row_has_what_can_be_done_with_it(workers: Workers, qtbot: QtBot) -> None:
    children = {"a": FakeArray(np.zeros(1)), "bad": FakeBroken(MetadataError("expected a list"))}
    model, root = model_of(FakeGroup(children), workers, qtbot)
    fetch(model, root, qtbot)
    view = TreeView(model)
    qtbot.addWidget(view)
    assert list(actions_of(view, root)) == [
        "Copy path",
        "Copy address",
        "Check…",
        "Allow changes",
        "Reload",
        "Close",
    ]
    array, broken = (model.index(row, 0, root) for row in range(2))
    assert list(actions_of(view, broken)) == ["Retry", "Copy path", "Copy address", "Check…"]
    with qtbot.waitSignal(view.check_asked) as heard:
        actions_of(view, array)["Check…"].trigger()
    assert heard.args[0] == array
    actions_of(view, array)["Copy address"].trigger()
    assert QGuiApplication.clipboard().text() == "fake.zarr#/a"
    actions_of(view, root)["Copy address"].trigger()
    assert QGuiApplication.clipboard().text() == "fake.zarr"
    with qtbot.waitSignal(view.reload_asked) as heard:
        actions_of(view, root)["Reload"].trigger()
    assert heard.args[0].data() == "fake.zarr"
    actions_of(view, root)["Close"].trigger()
    assert model.rowCount() == 0


def test_a_source_that_may_be_changed_has_more_in_its_menus(workers: Workers, qtbot: QtBot) -> None:
    model, root = model_of(FakeGroup({"a": FakeArray(np.zeros(1))}), workers, qtbot)
    fetch(model, root, qtbot)
    view = TreeView(model)
    qtbot.addWidget(view)
    item = model.item(root)
    assert item is not None
    assert item.source is not None
    item.source.may_change = True
    array = model.index(0, 0, root)
    assert list(actions_of(view, array))[-3:] == ["New group…", "Rename or move…", "Delete…"]
    assert list(actions_of(view, root))[3:5] == ["New group…", "Stop changes"]
    for title, asked in (
        ("New group…", view.group_asked),
        ("Rename or move…", view.path_asked),
        ("Delete…", view.erase_asked),
    ):
        with qtbot.waitSignal(asked) as heard:
            actions_of(view, array)[title].trigger()
        assert heard.args[0].data() == "a"
    with qtbot.waitSignal(view.changes_asked) as heard:
        actions_of(view, root)["Stop changes"].trigger()
    assert heard.args[0] == root
    view.setCurrentIndex(array)
    for key, asked in ((Qt.Key.Key_F2, view.path_asked), (Qt.Key.Key_Delete, view.erase_asked)):
        with qtbot.waitSignal(asked) as heard:
            QTest.keyClick(view, key)
        assert heard.args[0].data() == "a"


def test_return_opens_a_group_and_retries_what_failed(workers: Workers, qtbot: QtBot) -> None:
    group, flaky = FakeGroup({"a": FakeArray(np.zeros(1))}), Flaky()
    group.before_listing = flaky
    model, root = model_of(group, workers, qtbot)
    view = TreeView(model)
    qtbot.addWidget(view)
    view.show()
    view.setCurrentIndex(root)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.isExpanded(root)
    qtbot.waitUntil(lambda: names(model, root) == ["The server at example.org does not answer."])
    flaky.mended = True
    view.setCurrentIndex(model.index(0, 0, root))
    with qtbot.waitSignal(model.children_arrived):
        QTest.keyClick(view, Qt.Key.Key_Enter)
    assert names(model, root) == ["a"]
    view.setCurrentIndex(root)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert not view.isExpanded(root)


def test_choosing_the_current_row_again_announces_it(workers: Workers, qtbot: QtBot) -> None:
    model, root = model_of(FakeGroup(), workers, qtbot)
    view = TreeView(model)
    qtbot.addWidget(view)
    view.choose(root)
    with qtbot.waitSignal(view.node_chosen) as heard:
        view.choose(root)
    assert heard.args == [root]


def test_columns_give_way_although_the_pointer_is_over_the_tree(workers: Workers, qtbot: QtBot) -> None:
    model, root = model_of(FakeGroup({"a": FakeArray(np.zeros(1))}), workers, qtbot)
    view = expanded(model, root, qtbot)
    qtbot.waitExposed(view)
    QTest.mouseMove(view.windowHandle(), view.header().geometry().center())
    qtbot.waitUntil(view.header().underMouse)
    view.setColumnWidth(1, 150)  # as for wide shapes
    view.resize(150, 300)
    qtbot.waitUntil(lambda: view.isColumnHidden(1) and view.isColumnHidden(2))


def test_columns_give_way_to_names_far_to_the_right(workers: Workers, qtbot: QtBot) -> None:
    deep: Any = FakeArray(np.zeros((3, 4, 5)))
    for name in ("level", "image", "well", "row", "plate"):
        deep = FakeGroup({name: deep})
    model, root = model_of(deep, workers, qtbot)
    view = expanded(model, root, qtbot)
    view.resize(340, 300)
    qtbot.waitUntil(lambda: not view.isColumnHidden(1) and not view.isColumnHidden(2))
    index = root
    for _ in range(5):
        view.expand(index)
        qtbot.waitUntil(lambda index=index: model.rowCount(index) == 1)
        index = model.index(0, 0, index)
    qtbot.waitUntil(lambda: view.visualRect(index).width() >= 78 and view.isColumnHidden(2))
    view.collapse(root)
    qtbot.waitUntil(lambda: not view.isColumnHidden(1) and not view.isColumnHidden(2))


def test_a_width_that_is_dragged_is_kept(workers: Workers, qtbot: QtBot) -> None:
    model, root = model_of(FakeGroup({"a": FakeArray(np.zeros(1))}), workers, qtbot)
    view = expanded(model, root, qtbot)
    qtbot.waitExposed(view)
    header, window = view.header(), view.windowHandle()
    edge = header.geometry().topLeft() + QPoint(header.sectionPosition(2) - 1, header.height() // 2)
    width = view.columnWidth(1)
    QTest.mouseMove(window, edge)
    QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=edge)
    QTest.mouseMove(window, edge + QPoint(15, 0))
    QTest.mouseMove(window, edge + QPoint(30, 0))
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=edge + QPoint(30, 0))
    qtbot.waitUntil(lambda: view.columnWidth(1) != width)
    view.resize(150, 300)
    qtbot.waitUntil(lambda: view.viewport().width() <= 150)
    assert not view.isColumnHidden(1)


def test_rows_that_arrive_after_the_view_is_gone_reach_nobody(workers: Workers, qtbot: QtBot) -> None:
    model, root = model_of(FakeGroup({"a": FakeArray(np.zeros(1))}), workers, qtbot)
    shiboken6.delete(TreeView(model))
    fetch(model, root, qtbot)  # a slot of the view that is still connected fails the test
    assert names(model, root) == ["a"]
