"""JSON attributes as rows of a tree."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from zarrbrowser.models.json_model import JsonModel, is_small


def test_any_json_makes_a_consistent_model(application: QApplication, qtmodeltester: ModelTester) -> None:
    document = {
        "a": {"b": [{"c": 1.5}, None, True]},
        "list": [1, 2],
        "long": list(range(20)),
        "empty": {},
        "text": "x",
    }
    model = JsonModel(document)
    qtmodeltester.check(model)
    rows = {model.index(row, 0).data(): model.index(row, 1).data() for row in range(model.rowCount())}
    assert rows == {"a": "1 member", "list": "[1, 2]", "long": "20 items", "empty": "0 members", "text": "x"}
    assert model.hasChildren(model.index(2, 0))
    assert not model.hasChildren(model.index(1, 0)), "a short list is shown whole beside its name"
    deep = model.index(0, 0, model.index(0, 0, model.index(0, 0)))
    assert (deep.data(), deep.siblingAtColumn(1).data()) == ("0", "1 member")


def test_counting_members_ends_early() -> None:
    assert is_small({"a": {"b": [1, 2]}, "c": "text"}, 5)
    assert not is_small({"a": {"b": [1, 2]}, "c": "text"}, 4)
