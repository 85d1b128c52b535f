"""Chunks over the picture: their borders, and which are not stored."""

from __future__ import annotations

from pathlib import Path

import zarr
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow


def test_chunks_that_are_not_stored_are_hatched(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    array = zarr.create_array(tmp_path / "a", shape=(64, 96), chunks=(32, 32), dtype="f4", fill_value=0)
    array[:32, :64] = 1
    window.open_text(str(tmp_path / "a"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.body.tools.chunks.text_changed) as heard:
        pane.body.controls.chunks.click()
    assert heard.args == ["6 chunks of 32 × 32 in view, 4 not stored"]
    assert pane.body.tools.chunks.overlay.missing == [(0, 2), (1, 0), (1, 1), (1, 2)]
    assert pane.canvas.grab().toImage().width() > 0
    pane.canvas.show_range((0, 20), (0, 20))
    qtbot.waitUntil(lambda: pane.body.tools.chunks.overlay.missing == [])
