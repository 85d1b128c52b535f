"""The model of search results."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from tests.browser.fakes import FakeHierarchy
from tests.browser.window.side.searching import example
from zarrbrowser.models.hit_model import HitModel
from zarrbrowser.session.inventory import Entry
from zarrbrowser.session.sources import Source, SourceRequest


def test_the_model_of_results_is_consistent(qtmodeltester: ModelTester, application: QApplication) -> None:
    source = Source(SourceRequest("fake.zarr"), FakeHierarchy(example()), example())
    model = HitModel()
    model.add(source, [Entry("/a/b", "array", (3, 4), "int8"), Entry("/g", "group"), Entry("/c", "broken")])
    qtmodeltester.check(model)
    assert [model.index(0, column).data() for column in range(3)] == ["b", "3 × 4", "int8"]
    assert model.index(0, 0).data(Qt.ItemDataRole.UserRole) == "/a"
    model.clear()
    assert (model.rowCount(), model.found) == (0, 0)
