"""Searching in the window: results stream in and lead to their nodes; a source that hangs or fails does not block others."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy, Flaky, Gate
from zarrbrowser.models.hit_model import MOST, HitModel
from zarrbrowser.session.inventory import Entry
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def example() -> FakeGroup:
    inner = FakeGroup({"image": FakeArray(np.zeros((4, 5))), "mask": FakeArray(np.zeros((4, 5), bool))})
    return FakeGroup({"image": FakeArray(np.zeros((2, 3))), "scan": inner})


def paths(window: MainWindow) -> list[str]:
    hits = window.side.hits
    found = [hits.hit(hits.index(row, 0)) for row in range(hits.rowCount())]
    return [hit[1].path for hit in found if hit is not None]


def test_results_lead_to_their_nodes(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    side = window.side
    QTest.keySequence(window, "Ctrl+F")
    QTest.keyClicks(side.box, "ima")
    qtbot.waitUntil(lambda: paths(window) == ["/image", "/scan/image"])
    qtbot.waitUntil(lambda: side.line.text == "2 found  ·  2 groups searched")
    QTest.keyClick(side.box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.top_bar.address.text() == "fake.zarr#/image")
    QTest.keyClick(side.results, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.top_bar.address.text() == "fake.zarr#/scan/image")
    assert side.results.currentIndex().data() == "image"
    assert side.results.grab().toImage() != side.tree.grab().toImage()
    QTest.keyClick(side.box, Qt.Key.Key_Escape)
    assert not side.shows_hits
    assert window.tree.currentIndex().data() == "image"
    assert window.tree.currentIndex().parent().data() == "scan"


def test_a_hundred_thousand_results_do_not_block_the_window(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    data = HitModel.data
    monkeypatch.setattr(
        HitModel,
        "data",
        lambda model, index, role=0: (asked.append(index.row()), data(model, index, role))[1],
    )
    window = open_window(FakeGroup({f"a{number:06}": FakeArray(np.zeros(1)) for number in range(100_000)}))
    parts: list[int] = []
    window.side.hits.rowsInserted.connect(lambda _parent, first, last: parts.append(last - first + 1))
    window.side.box.setText("a")
    qtbot.waitUntil(lambda: window.side.hits.found == 100_000, timeout=30_000)
    assert window.side.hits.rowCount() == sum(parts) == MOST
    assert window.side.line.text.startswith("100,000 found, the first 10,000 shown")
    assert max(asked) < 1000, "views ask only for the rows in view"


def test_a_source_that_hangs_does_not_hide_results_of_others(application: QApplication, qtbot: QtBot) -> None:
    gate, roots = Gate(), {"one.zarr": example(), "two.zarr": example()}

    def opener(request: SourceRequest) -> Source:
        root = roots[request.address]
        return Source(request, FakeHierarchy(root), root)

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    for address in roots:
        window.open_text(address)
    qtbot.waitUntil(lambda: len(window.session.sources) == 2 and not window.workers.active)
    roots["one.zarr"].find("/scan").before_listing = gate.wait
    window.side.box.setText("mask")
    qtbot.waitUntil(lambda: paths(window) == ["/scan/mask"])
    assert window.side.stop_button.isVisible()
    window.side.stop_button.click()
    assert "stopped" in window.side.line.text
    assert not [one for one in window.workers.active if one.label.startswith("Searching")]
    gate.open()
    window.side.again_button.click()
    qtbot.waitUntil(lambda: len(paths(window)) == 2)
    window.close()
    assert window.workers.shut_down(5)


def test_a_search_that_fails_says_why_and_can_be_repeated(open_window: OpenWindow, qtbot: QtBot) -> None:
    root, flaky = example(), Flaky()
    window = open_window(root)
    qtbot.waitUntil(lambda: not window.workers.active)
    root.before_listing = flaky
    window.side.box.setText("mask")
    qtbot.waitUntil(lambda: "does not answer" in window.side.line.text)
    flaky.mended = True
    window.side.again_button.click()
    qtbot.waitUntil(lambda: paths(window) == ["/scan/mask"])
    root.find("/scan").add("mask2", FakeArray(np.zeros(3)))
    window.reload()
    qtbot.waitUntil(lambda: paths(window) == ["/scan/mask", "/scan/mask2"])


def test_the_model_of_results_is_consistent(qtmodeltester: ModelTester, application: QApplication) -> None:
    source = Source(SourceRequest("fake.zarr"), FakeHierarchy(example()), example())
    model = HitModel()
    model.add(source, [Entry("/a/b", "array", (3, 4), "int8"), Entry("/g", "group"), Entry("/c", "broken")])
    qtmodeltester.check(model)
    assert [model.index(0, column).data() for column in range(3)] == ["b", "3 × 4", "int8"]
    assert model.index(0, 0).data(Qt.ItemDataRole.UserRole) == "/a"
    model.clear()
    assert (model.rowCount(), model.found) == (0, 0)
