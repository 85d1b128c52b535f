"""The table: read on demand, and copied exactly."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.panes.table.tables import VALUES, read_here
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.window.main_window import MainWindow


def test_columns_fit_numbers_that_load_after_coordinates(pane: TablePane, qtbot: QtBot) -> None:
    gate, array = Gate(), FakeArray(np.full((30, 40), -1234.567890123), ("y", "x"), chunks=(30, 40))
    array.before_read = gate.wait
    root = FakeGroup({"y": FakeArray(np.arange(30.0)), "x": FakeArray(np.arange(40.0)), "field": array})
    pane.contents.show_array(array, find=root.find)
    qtbot.waitUntil(lambda: bool(pane.model.coordinates))
    gate.open()
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) is not None)
    needed = pane.table.fontMetrics().horizontalAdvance(pane.model.index(0, 0).data())
    assert pane.table.columnWidth(0) > needed
    assert pane.table.columnWidth(39) == pane.table.columnWidth(0)


def test_axes_without_names_are_named_as_the_group_says(pane: TablePane, qtbot: QtBot) -> None:
    axes = {name: FakeArray(np.arange(float(length))) for name, length in (("t", 4), ("sy", 30), ("sx", 40))}
    told = {"NX_class": "NXdata", "signal": "field", "axes": [*axes]}
    field = FakeArray(np.arange(4 * 30 * 40.0).reshape(4, 30, 40))
    root = FakeGroup({"data": FakeGroup({"field": field, **axes}, told)})
    pane.contents.show_array(field, find=root.find)
    qtbot.waitUntil(lambda: pane.controls.axes.rows.currentText() == "sy")
    assert pane.controls.sliders.spins[0].accessibleName() == "index along t"
    assert {axis: one.name for axis, one in pane.model.coordinates.items()} == {0: "t", 1: "sy", 2: "sx"}
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) is not None)


def test_headers_show_coordinates(open_window: OpenWindow, qtbot: QtBot) -> None:
    children = {
        "depth": FakeArray(VALUES[0, :40, :3], ("z", "x")),
        "z": FakeArray(np.arange(40) * 0.5, ("z",)),
        "x": FakeArray(np.array([1.0, 2.0, 4.0]), ("x",)),
    }
    children["z"].attributes = {"units": "m"}
    children["x"].attributes = {}
    window = open_window(FakeGroup(children), "/depth")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    model = table_of(window).model
    across, down, shown = Qt.Orientation.Horizontal, Qt.Orientation.Vertical, Qt.ItemDataRole.DisplayRole
    qtbot.waitUntil(lambda: model.headerData(3, down, shown) == "3   1.5 m")
    assert model.headerData(2, across, shown) == "2\n4"


def table_of(window: MainWindow) -> TablePane:
    assert window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    return pane


def test_the_window_survives_a_lost_connection(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, flaky = FakeArray(np.arange(40.0)), Flaky()
    window = open_window(
        FakeGroup({"line": array, "none": FakeArray(np.zeros((0, 3))), "deep": FakeArray(VALUES)}), "/line"
    )
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    array.before_read = flaky
    window.node_pane.tabs.tabBarClicked.emit(1)  # the Table tab stays selected
    pane = table_of(window)
    qtbot.waitUntil(lambda: "does not answer" in pane.reader.problem.text)
    flaky.mended = True
    pane.reader.problem.button.click()
    qtbot.waitUntil(lambda: read_here(pane, 39, 0) == 39.0)
    window.open_text("fake.zarr#/deep")
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    window.node_pane.step(1)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[2, 0, 0])
    window.open_text("fake.zarr#/none")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "none")
    table_of(window)
    assert "no elements" in pane.stack.sentence.text


def test_the_view_is_restored(pane: TablePane, qtbot: QtBot) -> None:
    assert pane.view_state() == {}
    array = FakeArray(VALUES, ("z", "y", "x"), chunks=(1, 100, 100))
    pane.contents.show_array(array)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    first = pane.view_state()
    assert first == {"rows": 1, "columns": 2, "index": [1, 500, 100], "cell": None}
    assert pane.position() == "z = 1"
    pane.controls.sliders.sliders[0].setValue(2)
    pane.controls.axes.swap.click()
    with qtbot.waitSignal(pane.view_changed):
        pane.go(150, 700)
    qtbot.waitUntil(lambda: read_here(pane, 150, 700) == VALUES[2, 700, 150])
    seen, rows = pane.view_state(), pane.table.in_view()[0]
    pane.restore(first)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    pane.restore(seen)
    qtbot.waitUntil(lambda: read_here(pane, 150, 700) == VALUES[2, 700, 150])
    assert abs(pane.table.in_view()[0].start - rows.start) <= 1
    pane.restore({"cell": [10**9, -5]})
    qtbot.waitUntil(lambda: read_here(pane, 199, 0) == VALUES[2, 0, 199])
    pane.restore({"index": "nonsense", "cell": {}})
    assert pane.grid.axes.index[0] == 2
