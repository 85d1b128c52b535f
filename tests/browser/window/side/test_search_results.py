"""The list of search results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy
from tests.browser.window.side.searching import example, paths
from zarrbrowser.models import hit_model
from zarrbrowser.models.hit_model import HitModel
from zarrbrowser.session.inventory import Entry
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.window.side.search_results import SearchResults


def test_results_lead_to_their_nodes(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    side = window.view.side
    QTest.keySequence(window, "Ctrl+F")
    QTest.keyClicks(side.box, "ima")
    qtbot.waitUntil(lambda: paths(window) == ["/image", "/scan/image"])
    qtbot.waitUntil(lambda: side.line.text == "2 found  ·  2 groups searched")
    QTest.keyClick(side.box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.view.top_bar.address.text() == "fake.zarr#/image")
    QTest.keyClick(side.results, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.view.top_bar.address.text() == "fake.zarr#/scan/image")
    assert side.results.currentIndex().data() == "image"
    assert side.results.grab().toImage() != side.tree.grab().toImage()
    QTest.keyClick(side.box, Qt.Key.Key_Escape)
    assert not side.shows_hits
    assert window.tree.currentIndex().data() == "image"
    assert window.tree.currentIndex().parent().data() == "scan"


def test_more_results_than_are_shown_do_not_block_the_window(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hit_model, "MOST", 2000)
    asked: list[int] = []
    data = HitModel.data

    def noted(model: HitModel, index: Any, role: int = 0) -> Any:
        asked.append(index.row())
        return data(model, index, role)

    monkeypatch.setattr(HitModel, "data", noted)
    window = open_window(FakeGroup({f"a{number:06}": FakeArray(np.zeros(1)) for number in range(3000)}))
    parts: list[int] = []
    window.view.side.hits.rowsInserted.connect(lambda _parent, first, last: parts.append(last - first + 1))
    window.view.side.box.setText("a0")
    qtbot.waitUntil(lambda: window.view.side.hits.found == 3000)
    assert window.view.side.hits.rowCount() == sum(parts) == 2000
    assert window.view.side.line.text.startswith("3,000 found, the first 2,000 shown")
    assert max(asked) < 1000, "views ask only for the rows in view"


@pytest.fixture
def results(application: QApplication, qtbot: QtBot) -> SearchResults:
    model = HitModel()
    source = Source(SourceRequest("fake.zarr"), FakeHierarchy(example()), example())
    model.add(source, [Entry("/scan/image", "array", (3, 4), "int8"), Entry("/é/" + "n" * 300, "group")])
    made = SearchResults(model)
    model.setParent(made)
    qtbot.addWidget(made)
    made.resize(400, 200)
    return made


def test_a_row_is_chosen_by_return_and_by_a_click(results: SearchResults, qtbot: QtBot) -> None:
    results.show()
    results.choose_first()
    with qtbot.waitSignal(results.chosen) as heard:
        QTest.keyClick(results, Qt.Key.Key_Return)
    assert heard.args[0].data() == "image"
    with qtbot.waitSignal(results.chosen) as heard:
        place = results.visualRect(results.model().index(1, 0)).center()
        QTest.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert heard.args[0].row() == 1


def test_the_first_of_no_results_is_not_chosen(results: SearchResults, qtbot: QtBot) -> None:
    model = results.model()
    assert isinstance(model, HitModel)
    model.clear()
    with qtbot.assertNotEmitted(results.chosen):
        results.choose_first()


def test_the_place_of_a_node_is_drawn_beside_its_name(results: SearchResults) -> None:
    results.show()
    before = results.grab().toImage()
    model = results.model()
    assert isinstance(model, HitModel)
    hit = model.hit(model.index(0, 0))
    assert hit is not None
    model.clear()
    model.add(hit[0], [Entry("/image", "array", (3, 4), "int8"), Entry("/é/" + "n" * 300, "group")])
    assert results.grab().toImage() != before, "the same name at another place"
