"""The model of search results."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from tests.browser.fakes import FakeHierarchy
from tests.browser.window.side.searching import example
from zarrbrowser.models.hit_model import MOST, PLACE_ROLE, HitModel
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


def test_results_beyond_the_last_row_are_only_counted(application: QApplication) -> None:
    source = Source(SourceRequest("fake.zarr"), FakeHierarchy(example()), example())
    model, inserted = HitModel(), []
    model.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))
    entries = [Entry(f"/a{number}", "group") for number in range(MOST - 1)]
    for part in (entries, entries[:5], entries[:5], []):
        model.add(source, part)
    assert (model.rowCount(), model.found) == (MOST, MOST + 9)
    assert inserted == [(0, MOST - 2), (MOST - 1, MOST - 1)]


def test_a_result_says_where_its_node_is(application: QApplication) -> None:
    source = Source(SourceRequest("fake.zarr"), FakeHierarchy(example()), example())
    model = HitModel()
    entries = [Entry("/", "group"), Entry("/é/b b", "array", (), "int8"), Entry("/c", "broken")]
    model.add(source, entries)
    assert [model.index(row, 0).data() for row in range(3)] == ["/", "b b", "c"]
    assert [model.index(row, 0).data(PLACE_ROLE) for row in range(3)] == ["/", "/é", "/"]
    assert model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole) == "/é/b b\nfake.zarr"
    assert model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "/é/b b"
    assert model.index(1, 1).data() == "scalar"
    assert model.hit(model.index(2, 0)) == (source, entries[2])
    model.add(source, [Entry("/", "group", title="scan.zarr")])
    assert [model.index(3, 0).data(role) for role in (0, PLACE_ROLE)] == ["scan.zarr", "fake.zarr"]
    gone = model.index(2, 0)
    model.clear()
    assert model.hit(gone) is None


def test_each_kind_of_result_has_its_own_icon(application: QApplication) -> None:
    source = Source(SourceRequest("fake.zarr"), FakeHierarchy(example()), example())
    model = HitModel()
    shapes = ((), (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1))
    model.add(source, [Entry("/a", "array", shape) for shape in shapes])
    model.add(source, [Entry("/b", kind) for kind in ("group", "collection", "broken")])
    drawings = []
    for row in range(model.rowCount()):
        image = model.index(row, 0).data(Qt.ItemDataRole.DecorationRole).pixmap(32, 32).toImage()
        drawings.append(bytes(image.constBits()))
    assert drawings[3] == drawings[4], "three axes and more"
    assert len(set(drawings)) == 7
