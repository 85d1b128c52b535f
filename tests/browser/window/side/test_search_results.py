"""The list of search results."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.window.side.searching import example, paths
from zarrbrowser.models.hit_model import MOST, HitModel


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
