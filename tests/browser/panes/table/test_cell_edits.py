"""Cells are changed by typing: exactly, visibly, and never by accident."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zarr
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.editing.places import write_example
from tests.browser.window.editing.windows import allow, idle
from zarrbrowser.dialogs.fill_dialog import FillDialog
from zarrbrowser.editing.elements import write_elements
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.panes.value_pane import ValuePane
from zarrbrowser.window.main_window import MainWindow


def table_of(window: MainWindow, qtbot: QtBot) -> TablePane:
    assert window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)
    qtbot.waitUntil(lambda: pane.model.value(0, 0)[0])
    return pane


def test_f2_changes_a_cell(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    write_example(tmp_path / "a.zarr")
    allow(window, qtbot, tmp_path / "a.zarr", "/scan/raw")
    pane = table_of(window, qtbot)
    pane.go(12, 7)
    QTest.keyClick(pane.table, Qt.Key.Key_F2)
    line = pane.cell_edits.line
    assert line.isVisible()
    assert line.text() == "367"
    QTest.keyClicks(line, "3e9")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert "Expected an integer, found '3e9'." in pane.reader.problem.text
    assert line.isVisible(), "the text stays"
    line.setText("-5")
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.model.value(12, 7) == (True, -5))
    assert not line.isVisible()
    assert pane.reader.problem.isHidden()
    assert pane.table.current_cell == (12, 7)
    assert zarr.open_array(tmp_path / "a.zarr/scan/raw", mode="r")[12, 7] == -5
    qtbot.waitUntil(lambda: window.view.status.message.text == "/scan/raw[12, 7]: 367 → -5")
    window.editor.undo()
    qtbot.waitUntil(lambda: pane.model.value(12, 7) == (True, 367))


def test_the_current_cell_stays_after_a_change(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(300, 200), chunks=(100, 200), dtype="i4")
    allow(window, qtbot, tmp_path / "a.zarr")
    idle(window, qtbot)
    pane = table_of(window, qtbot)
    for cell in ((12, 2), (170, 151), (299, 199)):
        pane.go(*cell)
        qtbot.waitUntil(lambda cell=cell: pane.model.value(*cell)[0])  # type: ignore[misc]
        QTest.keyClick(pane.table, Qt.Key.Key_Up)
        QTest.keyClick(pane.table, Qt.Key.Key_Left)
        current, before = (cell[0] - 1, cell[1] - 1), [part.start for part in pane.table.in_view()]
        QTest.keyClick(pane.table, Qt.Key.Key_F2)
        pane.cell_edits.line.setText("7")
        QTest.keyClick(pane.cell_edits.line, Qt.Key.Key_Return)
        idle(window, qtbot)
        qtbot.waitUntil(lambda current=current: pane.model.value(*current) == (True, 7))  # type: ignore[misc]
        assert pane.table.current_cell == current
        # A notice above the table comes and goes: only the first row and column in view stay the same.
        assert [part.start for part in pane.table.in_view()] == before


def test_texts_that_a_line_would_change_are_left_alone(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    made = zarr.create_array(tmp_path / "a.zarr", shape=3, dtype="S40000", zarr_format=2)
    made[:] = np.array([b"x" * 40_000, b"\xff", b"a\tb"])
    allow(window, qtbot, tmp_path / "a.zarr")
    pane = table_of(window, qtbot)
    idle(window, qtbot)  # while a node is opened, the status bar says that
    for row, said in ((0, "too long"), (1, "not UTF-8 text")):
        pane.go(row, 0)
        QTest.keyClick(pane.table, Qt.Key.Key_F2)
        assert not pane.cell_edits.line.isVisible()
        qtbot.waitUntil(lambda said=said: said in window.view.status.message.text)  # type: ignore[misc]
    pane.go(2, 0)
    QTest.keyClick(pane.table, Qt.Key.Key_F2)
    QTest.keyClick(pane.cell_edits.line, Qt.Key.Key_End)
    QTest.keyClicks(pane.cell_edits.line, "c")
    QTest.keyClick(pane.cell_edits.line, Qt.Key.Key_Return)
    idle(window, qtbot)
    assert zarr.open_array(tmp_path / "a.zarr", mode="r")[2] == b"a\tbc"


def test_escape_or_another_cell_changes_nothing(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    write_example(tmp_path / "a.zarr")
    allow(window, qtbot, tmp_path / "a.zarr", "/scan/raw")
    pane = table_of(window, qtbot)
    line = pane.cell_edits.line

    def to_tree() -> None:
        window.tree.setFocus()

    for leave in (
        lambda: QTest.keyClick(line, Qt.Key.Key_Escape),
        to_tree,
        lambda: pane.table.verticalScrollBar().valueChanged.emit(1),
        lambda: pane.model.move(0, 0),
    ):
        pane.go(1, 1)
        pane.table.edit_asked.emit()
        assert line.isVisible()
        line.setText("7")
        leave()
        assert window.tree.hasFocus() == (leave is to_tree)
        assert not line.isVisible()
    idle(window, qtbot)
    assert zarr.open_array(tmp_path / "a.zarr/scan/raw", mode="r")[1, 1] == 31


def test_a_cell_that_somebody_changed_is_read_again(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    write_example(tmp_path / "a.zarr")
    allow(window, qtbot, tmp_path / "a.zarr", "/scan/raw")
    pane = table_of(window, qtbot)
    zarr.open_array(tmp_path / "a.zarr/scan/raw", mode="r+")[1, 1] = 99
    pane.go(1, 1)
    pane.table.edit_asked.emit()
    pane.cell_edits.line.setText("7")
    QTest.keyClick(pane.cell_edits.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "another program changed it" in window.node_pane.notice.text)
    qtbot.waitUntil(lambda: pane.model.value(1, 1) == (True, 99))


def test_reading_only_is_said(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    write_example(tmp_path / "a.zarr")
    window.open_text(f"{tmp_path / 'a.zarr'}#/scan/raw")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/scan/raw")
    pane = table_of(window, qtbot)
    pane.go(1, 1)
    with qtbot.waitSignal(pane.reported) as said:
        QTest.keyClick(pane.table, Qt.Key.Key_F2)
    assert "open for reading only" in said.args[0]
    assert not pane.cell_edits.line.isVisible()
    assert pane.controls.fill.isHidden()


def test_packed_values_are_packed_again(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    with zc.create(tmp_path / "a.zarr") as made:
        attributes = {"scale_factor": 0.1, "add_offset": 10.0, "_FillValue": -1}
        array = made.create_array("t", shape=(4, 4), dtype="int16", attributes=attributes)
        array[...] = np.arange(16).reshape(4, 4)
    allow(window, qtbot, tmp_path / "a.zarr", "/t")
    pane = table_of(window, qtbot)
    pane.go(0, 3)
    pane.table.edit_asked.emit()
    line = pane.cell_edits.line
    line.setText("12.34")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert (
        "12.34 cannot be stored in steps of 0.1: the nearest values are 12.3 and 12.4"
        in pane.reader.problem.text
    )
    line.setText("12.3")
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: zarr.open_array(tmp_path / "a.zarr/t", mode="r")[0, 3] == 23)
    qtbot.waitUntil(lambda: pane.model.index(0, 3).data() == "12.3")
    pane.controls.unpacking.setChecked(False)
    qtbot.waitUntil(lambda: pane.model.value(0, 3) == (True, 23))
    pane.go(0, 3)
    pane.table.edit_asked.emit()
    line.setText("-1")
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: zarr.open_array(tmp_path / "a.zarr/t", mode="r")[0, 3] == -1)


def test_the_selected_cells_are_filled(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    write_example(tmp_path / "a.zarr")
    allow(window, qtbot, tmp_path / "a.zarr", "/scan/raw")
    pane = table_of(window, qtbot)
    pane.table.horizontalHeader().sectionPressed.emit(4)
    pane.ask_to_fill()
    dialog = window.findChild(FillDialog)
    assert dialog is not None
    assert dialog.note.text() == "20 elements in 2 chunks, can be undone"
    assert not dialog.write_button.isEnabled()
    dialog.value.setText("8")
    dialog.accept()
    qtbot.waitUntil(lambda: pane.model.value(3, 4) == (True, 8))
    read = zarr.open_array(tmp_path / "a.zarr/scan/raw", mode="r")[...]
    assert (read[:, 4] == 8).all()
    assert read[3, 5] == 95


def test_rows_are_sorted_by_what_was_written(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("x", shape=(3,), dtype="int32")[...] = [30, 10, 20]
    allow(window, qtbot, tmp_path / "a.zarr", "/x")
    pane = table_of(window, qtbot)
    pane.arranger.sort(0, is_descending=False)
    qtbot.waitUntil(lambda: pane.model.value(0, 0) == (True, 10))
    pane.go(0, 0)
    with qtbot.waitSignal(pane.reported) as said:
        pane.table.edit_asked.emit()
    assert "sorted or filtered" in said.args[0]
    array = window.session.node
    assert window.session.source is not None
    window.editor.run_here(write_elements(window.session.source, array, (slice(1, 2),), np.int32(99)))
    qtbot.waitUntil(lambda: [pane.model.value(row, 0)[1] for row in range(3)] == [20, 30, 99])


def test_a_scalar_is_changed(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("x", shape=(), dtype="float32")
    allow(window, qtbot, tmp_path / "a.zarr", "/x")
    pane = window.node_pane.pane("Value")
    assert isinstance(pane, ValuePane)
    qtbot.waitUntil(lambda: pane.value.text() == "0.0")
    pane.change_button.click()
    dialog = window.findChild(FillDialog)
    assert dialog is not None
    dialog.value.setText("2.5")
    dialog.accept()
    qtbot.waitUntil(lambda: pane.value.text() == "2.5")
