"""Reading the blocks of a table that are in view."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, Gate
from tests.browser.panes.table.tables import VALUES, read_here
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.workers import Workers
from zarrcore.errors import CodecError


def test_only_cells_in_view_are_read(pane: TablePane, qtbot: QtBot) -> None:
    array = FakeArray(VALUES, chunks=(1, 100, 100))
    pane.contents.show_array(array)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == VALUES[1, 0, 0])
    assert pane.model.index(3, 4).data() == f"{VALUES[1, 3, 4]:,}"
    assert len(array.selections) <= 2
    pane.go(990, 190)
    qtbot.waitUntil(lambda: read_here(pane, 990, 190) == VALUES[1, 990, 190])
    assert read_here(pane, 500, 100) is None
    pane.controls.sliders.sliders[0].setValue(2)
    qtbot.waitUntil(lambda: read_here(pane, 990, 190) == VALUES[2, 990, 190])
    pane.controls.axes.swap.click()
    qtbot.waitUntil(lambda: read_here(pane, 5, 7) == VALUES[2, 7, 5])
    assert pane.model.headerData(7, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) == "7"


def test_an_unreadable_block_is_reported_and_can_be_retried(pane: TablePane, qtbot: QtBot) -> None:
    array, problem = FakeArray(VALUES[0], chunks=(100, 100)), [True]

    def broken(selection: tuple[slice, slice]) -> None:
        if problem and selection[0].start == 0:
            raise CodecError("chunk c/0/0 is broken")

    array.before_read = broken
    pane.contents.show_array(array)
    qtbot.waitUntil(pane.reader.problem.isVisible)
    assert pane.reader.problem.text == "Chunk c/0/0 is broken."
    pane.go(900)
    qtbot.waitUntil(lambda: read_here(pane, 900, 0) == VALUES[0, 900, 0])
    problem.clear()
    pane.go(0)
    pane.reader.problem.button.click()
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == 0)
    assert not pane.reader.problem.isVisible()


def test_blocks_out_of_view_are_not_waited_for(pane: TablePane, workers: Workers, qtbot: QtBot) -> None:
    array, gate = FakeArray(VALUES[0], chunks=(100, 100)), Gate()
    array.before_read = lambda selection: gate.wait() if selection[0].start == 0 else None
    pane.contents.show_array(array)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    pane.go(900)
    qtbot.waitUntil(lambda: read_here(pane, 900, 0) == VALUES[0, 900, 0])
    assert not any("rows 0–" in request.label for request in workers.active)
    gate.open()
    assert read_here(pane, 0, 0) is None, "a late answer is dropped"


def test_large_reads_need_consent(pane: TablePane, qtbot: QtBot) -> None:
    array = FakeArray(VALUES[0], chunks=(100, 100))
    array.inner_chunk_shape = (20_000, 20_000)
    pane.contents.show_array(array)
    qtbot.waitUntil(pane.stack.notice.isVisible)
    assert array.selections == []
    pane.stack.notice.button.click()
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) == 0)


def test_an_array_without_chunks_says_so(pane: TablePane, qtbot: QtBot) -> None:
    array = FakeArray(np.full((9, 9), 5))
    pane.contents.show_array(array)
    qtbot.waitUntil(
        lambda: pane.stack.notice.text == "No chunk was written: every element is the fill value."
    )
    assert pane.stack.notice.button.isHidden()
    written = FakeArray(np.full((9, 9), 5))
    written.stored_chunks = [(0, 0)]
    pane.contents.show_array(written)
    qtbot.waitUntil(lambda: read_here(pane, 0, 0) is not None)
    assert not pane.stack.notice.text
