"""Sorting and filtering the rows of a table in its tab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.fakes import FakeArray
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.table.row_order import OrderedGrid

COUNTS = (np.arange(1000) * 7) % 1000
SCALED = {"scale_factor": 0.5}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """Two columns of 1,000 rows in chunks of 100, and an array of packed numbers."""
    hierarchy = zc.create(tmp_path / "a.zarr")
    for name, values in (("g/counts", COUNTS), ("g/squares", COUNTS.astype("f8") ** 2)):
        hierarchy.create_array(name, shape=(1000,), dtype=values.dtype, chunks=(100,))[...] = values
    packed = hierarchy.create_array("packed", shape=(4,), dtype="int16", chunks=(4,), attributes=SCALED)
    packed[...] = [4, 1, 3, 2]
    return Source(SourceRequest("a.zarr"), hierarchy, hierarchy["/"])


def show(pane: TablePane, source: Source, path: str, qtbot: QtBot) -> None:
    pane.show_node(source, source.hierarchy.node(path))
    qtbot.waitUntil(lambda: pane.grid is not None)


def shows(pane: TablePane, qtbot: QtBot, expected: list[Any], column: int = 0) -> None:
    """Wait until the first cells of a column are these."""
    qtbot.waitUntil(
        lambda: (
            [pane.model.value(row, column) for row in range(len(expected))]
            == [(True, one) for one in expected]
        )
    )


def headers(pane: TablePane, number: int = 3) -> list[str]:
    return [pane.model.headerData(row, Qt.Orientation.Vertical) for row in range(number)]


def test_rows_are_filtered_and_sorted(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    assert pane.arranger.line.isVisible()
    pane.arranger.line.setFocus()
    QTest.keyClicks(pane.arranger.line, "counts < 3")
    QTest.keyClick(pane.arranger.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.controls.note.text() == "3 of 1,000 rows")
    shows(pane, qtbot, [0, 1, 2])
    assert headers(pane) == ["0", "143", "286"]
    pane.table.go(0, 0)
    QTest.keyClick(
        pane.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    qtbot.waitUntil(lambda: isinstance(pane.grid, OrderedGrid) and pane.grid.order.column == 0)
    shows(pane, qtbot, [2, 1, 0])
    shows(pane, qtbot, [4.0, 1.0, 0.0], 1)
    assert pane.model.headerData(0, Qt.Orientation.Horizontal) == "counts ▼"
    pane.arranger.line.clear()
    shows(pane, qtbot, [999, 998, 997])


def test_the_menu_of_a_column_sorts(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    menu = QMenu()
    pane.arranger.fill_menu(menu, 1)
    actions = {action.text(): action for action in menu.actions()}
    assert not actions["Original order"].isEnabled()
    actions["Sort descending"].trigger()
    shows(pane, qtbot, [999.0**2, 998.0**2], 1)
    actions["Filter by this column"].trigger()
    assert pane.arranger.line.text() == "squares = "
    menu.clear()
    pane.arranger.fill_menu(menu, 1)
    next(action for action in menu.actions() if action.text() == "Original order").trigger()
    shows(pane, qtbot, [0, 7, 14])


def test_a_condition_that_is_none_is_explained(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    for text, reason in (
        ("nothing", "such as n_genes > 200"),
        ("counts > x", "x is not a number"),
        ("counts > 5000", "No row"),
    ):
        pane.arranger.line.setText(text)
        pane.arranger.filter(text)
        qtbot.waitUntil(lambda reason=reason: reason in pane.reader.problem.text)
    assert pane.model.rowCount() == 0
    pane.go(0)
    pane.arranger.filter("counts = 7")
    shows(pane, qtbot, [7])
    assert not pane.reader.problem.text


def test_a_row_is_found_in_any_order(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    pane.arranger.sort(0, is_descending=False)
    qtbot.waitUntil(lambda: isinstance(pane.grid, OrderedGrid))
    pane.go(143)
    assert pane.table.current_cell == (1, 0)
    pane.arranger.filter("counts > 5")
    qtbot.waitUntil(lambda: pane.grid is not None and pane.grid.rows == 994)
    with qtbot.waitSignal(pane.reported) as said:
        pane.go(143)
    assert said.args == ["Row 143 is not among the rows shown"]


def test_packed_numbers_are_sorted_as_they_are_shown(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/packed", qtbot)
    pane.arranger.filter("value >= 1")
    qtbot.waitUntil(lambda: isinstance(pane.grid, OrderedGrid))
    shows(pane, qtbot, [2.0, 1.5, 1.0])
    show(pane, source, "/packed", qtbot)  # as after a look at another tab
    assert isinstance(pane.grid, OrderedGrid)
    pane.controls.unpacking.setChecked(False)
    qtbot.waitUntil(lambda: pane.grid is not None and pane.grid.rows == 4)
    shows(pane, qtbot, [4, 1, 3])
    viewed = pane.viewed()
    assert viewed is not None
    assert viewed.in_view == (slice(None),)


def test_planes_have_no_rows_to_arrange(pane: TablePane, qtbot: QtBot) -> None:
    pane.contents.show_array(FakeArray(np.zeros((5, 5), "i4"), chunks=(5, 5)))
    shows(pane, qtbot, [0])
    assert not pane.arranger.line.isVisible()
    menu = QMenu()
    pane.arranger.fill_menu(menu, 0)
    pane.arranger.filter("value > 1")
    assert not menu.actions()
    assert not isinstance(pane.grid, OrderedGrid)


def test_the_place_of_a_sorted_row_is_restored(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    pane.arranger.sort(0, is_descending=True)
    shows(pane, qtbot, [999, 998])
    pane.table.go(500, 0)
    seen = pane.view_state()
    rows = pane.table.in_view()[0]
    assert isinstance(pane.grid, OrderedGrid)
    assert seen["cell"][0] == pane.grid.numbers[(rows.start + rows.stop) // 2]
    pane.table.go(0, 0)
    pane.restore(seen)
    assert abs(pane.table.in_view()[0].start - rows.start) <= 2, "the selected row is in the middle"
    pane.table.go(rows.start, 1)
    pane.restore(pane.view_state())
    assert pane.table.current_cell == (rows.start, 1), "what is in place stays selected"


def test_the_number_of_rows_is_told_in_a_narrow_window(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    pane.controls.note.setText("a text that is longer than the bar " * 9)
    pane.resize(500, 400)
    pane.controls.make_room()
    assert not pane.controls.note.isVisible()
    pane.arranger.filter("counts < 3")
    qtbot.waitUntil(lambda: pane.controls.note.text() == "3 of 1,000 rows")
    assert pane.controls.note.isVisible()


def test_a_sort_keeps_a_filter_that_is_not_shown_yet(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    pane.arranger.filter("counts < 3")
    pane.arranger.sort(0, is_descending=True)
    qtbot.waitUntil(lambda: pane.controls.note.text() == "3 of 1,000 rows")
    shows(pane, qtbot, [2, 1, 0])
    pane.arranger.filter("counts > many")
    qtbot.waitUntil(lambda: "not a number" in pane.reader.problem.text)
    pane.arranger.sort(0, is_descending=False)
    shows(pane, qtbot, [0, 1, 2])


VIEW = {"filter": "counts >= 990", "sort": ["squares", True], "cell": None}


def test_a_view_has_the_order_and_the_conditions(pane: TablePane, source: Source, qtbot: QtBot) -> None:
    show(pane, source, "/g", qtbot)
    assert pane.view_state() == {"cell": None}
    pane.restore(VIEW)
    assert pane.view_state() == VIEW, "also before the rows are arranged"
    shows(pane, qtbot, [999, 998, 997])
    assert pane.view_state() == VIEW
    assert pane.arranger.line.text() == "counts >= 990"
    pane.restore({"cell": None})
    shows(pane, qtbot, [0, 7, 14])
    assert pane.arranger.line.text() == ""


def test_a_view_scrolls_to_its_cell_once_the_rows_are_arranged(
    pane: TablePane, source: Source, qtbot: QtBot
) -> None:
    show(pane, source, "/g", qtbot)
    row = int(np.flatnonzero(COUNTS == 500)[0])
    pane.restore({"sort": ["counts", False], "cell": [row, 1]})
    assert pane.view_state()["cell"] == [row, 1]
    qtbot.waitUntil(lambda: isinstance(pane.grid, OrderedGrid))
    assert pane.table.current_cell == (500, 1)
    pane.restore({"filter": "counts < 10", "cell": [row, 1]})
    qtbot.waitUntil(lambda: pane.grid is not None and pane.grid.rows == 10)
    assert not pane.reader.problem.text, "a row that is not among those shown is allowed"


def test_an_array_with_one_axis_is_sorted_by_its_elements(
    pane: TablePane, source: Source, qtbot: QtBot
) -> None:
    show(pane, source, "/g/counts", qtbot)
    pane.arranger.sort(0, is_descending=True)
    shows(pane, qtbot, [999, 998])
    state = pane.view_state()
    pane.clear()
    show(pane, source, "/g/counts", qtbot)
    pane.restore(state)
    shows(pane, qtbot, [999, 998])


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"filter": "nothing = 1"}, "There is no column nothing"),
        ({"filter": "__import__('os').system('x')"}, "Write a column"),
        ({"filter": "counts > x"}, "x is not a number"),
        ({"filter": "counts = 1 and " * 5000 + "counts = 1"}, "characters; up to 2,000"),
    ],
)
def test_conditions_that_do_not_fit_are_refused(
    document: dict[str, Any], reason: str, pane: TablePane, source: Source, qtbot: QtBot
) -> None:
    show(pane, source, "/g", qtbot)
    pane.restore({**document, "sort": ["counts", True]})
    qtbot.waitUntil(lambda: reason in pane.reader.problem.text)
    shows(pane, qtbot, [999])  # sorted all the same
    assert reason in pane.reader.problem.text


def test_a_filter_that_only_a_worker_refuses_keeps_the_order_and_the_place(
    pane: TablePane, source: Source, qtbot: QtBot
) -> None:
    show(pane, source, "/g", qtbot)
    row = int(np.flatnonzero(COUNTS == 500)[0])
    pane.restore({"filter": "squares > many", "sort": ["counts", False], "cell": [row, 1]})
    qtbot.waitUntil(lambda: "not a number" in pane.reader.problem.text and isinstance(pane.grid, OrderedGrid))
    assert pane.table.current_cell == (500, 1)
    assert pane.view_state()["sort"] == ["counts", False]
    assert "filter" not in pane.view_state()
    assert pane.arranger.line.text() == "squares > many"


def test_an_order_that_arrives_later_does_not_hide_why_the_next_was_refused(
    pane: TablePane, source: Source, qtbot: QtBot
) -> None:
    show(pane, source, "/g", qtbot)
    pane.arranger.filter("counts < 2")
    pane.arranger.filter("(counts < 3")
    shows(pane, qtbot, [0, 1])
    assert "never closed" in pane.reader.problem.text
    pane.arranger.filter("counts < 3")
    qtbot.waitUntil(lambda: pane.model.rowCount() == 3)
    assert not pane.reader.problem.text


@pytest.mark.parametrize(
    "document",
    [{"filter": 5}, {"sort": "counts"}, {"sort": [5, True]}, {"sort": ["none", False]}, {"sort": [["x"], 1]}],
)
def test_a_malformed_order_is_the_tables_own(
    document: dict[str, Any], pane: TablePane, source: Source, qtbot: QtBot
) -> None:
    show(pane, source, "/g", qtbot)
    pane.restore(document)
    shows(pane, qtbot, [0, 7, 14])
    assert pane.reader.problem.text == ""
