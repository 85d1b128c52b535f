"""The table of findings."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from zarrbrowser.models import finding_model
from zarrbrowser.models.finding_model import FindingModel
from zarrbrowser.session.checking import Kind
from zarrcore.operations.check import Finding


def missing(number: int) -> Finding:
    return Finding("note", "missing-chunk", "/a", "missing", f"a/c/{number}", index=(number,))


def test_rows_of_a_kind_grow_while_they_are_shown(
    application: QApplication, qtmodeltester: ModelTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding_model, "MOST", 3)
    model = FindingModel()
    qtmodeltester.check(model)
    model.add([missing(0), Finding("error", "broken-chunk", "/a", "broken\x1b", "a/c/9", index=(9,))])
    assert model.rowCount() == 2
    model.show_kind(Kind.MISSING)
    model.add([missing(number) for number in range(1, 5)])
    assert [model.index(row, 1).data() for row in range(model.rowCount())] == ["a/c/0", "a/c/1", "a/c/2"]
    model.show_kind(None)
    assert model.rowCount() == 4
    assert [model.index(1, column).data() for column in (0, 1)] == ["error", "a/c/9"]
    assert "\x1b" not in model.index(1, 2).data()
    model.clear()
    assert model.rowCount() == 0
