"""The table of requests."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from tests.browser.fakes import FakeGroup, FakeHierarchy
from zarrbrowser.models import request_model
from zarrbrowser.models.request_model import RequestModel
from zarrbrowser.session.sources import Source, SourceRequest
from zarrcore.stores import RequestRecord

SOURCE = Source(SourceRequest("fake.zarr"), FakeHierarchy(FakeGroup()), FakeGroup())


def record(ended_s: float, key: str = "a/c/0", **further: object) -> RequestRecord:
    found = {"keys": 1, "bytes": 2048, "seconds": 0.0123, "error": "", "is_absent": False, "is_kept": False}
    return RequestRecord(ended_s, "get", key, **{**found, **further})


def texts(model: RequestModel, row: int) -> list[str]:
    return [model.index(row, column).data() for column in range(1, model.columnCount())]


def test_a_request_is_a_row(application: QApplication, qtmodeltester: ModelTester) -> None:
    model = RequestModel()
    qtmodeltester.check(model)
    model.add(SOURCE, [record(1), record(2, keys=3, is_kept=True), record(3, bytes=0, is_absent=True)])
    model.add(SOURCE, [record(4, "\x1b", bytes=0, error="no answer")])
    assert texts(model, 0) == ["fake.zarr", "GET", "a/c/0", "2.00 KiB", "12.3", "ok", "store"]
    assert texts(model, 1)[2::4] == ["a/c/0  and 2 more", "cache"]
    assert texts(model, 2)[3:6] == ["", "12.3", "absent"]
    assert texts(model, 3)[5] == "failed: no answer"
    assert "\x1b" not in texts(model, 3)[2]
    assert model.summary("") == "4 requests  ·  4.00 KiB  ·  1 from the cache  ·  1 failed"
    assert model.summary("other") == "0 requests  ·  0 bytes"
    assert model.url(0) == "fake.zarr/a/c/0"


def test_old_requests_go_and_the_table_is_bounded(
    application: QApplication, qtmodeltester: ModelTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_model, "MOST", 5)
    model = RequestModel()
    qtmodeltester.check(model)
    model.add(SOURCE, [record(number, f"{number}") for number in range(4)])
    model.add(SOURCE, [record(number, f"{number}") for number in range(4, 7)])
    assert [texts(model, row)[2] for row in range(model.rowCount())] == ["2", "3", "4", "5", "6"]
    model.add(SOURCE, [record(number, f"{number}") for number in range(20)])
    assert [texts(model, row)[2] for row in range(model.rowCount())] == ["15", "16", "17", "18", "19"]
    model.forget_old(77.5)
    assert [texts(model, row)[2] for row in range(model.rowCount())] == ["18", "19"]
    model.clear()
    assert model.rowCount() == 0
