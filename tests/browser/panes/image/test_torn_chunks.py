"""A chunk that does not decode is hatched; the others of its tile are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow

VALUES = np.arange(100 * 120, dtype=np.int32).reshape(100, 120)


@pytest.fixture(autouse=True)
def _written(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=VALUES, chunks=(32, 32), zarr_format=3)


def picture_of(window: MainWindow, path: Path, qtbot: QtBot) -> ImagePane:
    window.open_text(f"{path}/a.zarr")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    return pane


def test_only_a_truncated_chunk_is_hatched(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    torn = tmp_path / "a.zarr" / "c" / "1" / "2"
    whole = torn.read_bytes()
    torn.write_bytes(whole[:20])
    pane = picture_of(window, tmp_path, qtbot)
    assert pane.body.stack.shows_data
    mosaic = pane.view.mosaics[0]
    assert mosaic.is_there is not None
    expected = np.ones(VALUES.shape, bool)
    expected[32:64, 64:96] = False
    rows, columns = mosaic.window
    assert np.array_equal(mosaic.is_there, expected[rows, columns])
    assert np.array_equal(mosaic.values[mosaic.is_there], VALUES[expected])
    (hole,) = pane.canvas.holes.rects
    assert hole.getRect() == (63.5, 31.5, 32, 32)
    assert "c/1/2" in pane.body.stack.notice.text
    measured = pane.view.measured
    assert measured is not None
    assert measured.statistics[0].size == expected.sum(), "hatched elements do not count"
    torn.write_bytes(whole)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.notice.button.click()
    assert pane.view.mosaics[0].is_there is None
    assert pane.canvas.holes.rects == []
    assert not pane.body.stack.notice.isVisible()


def test_a_plane_without_decodable_chunks_shows_an_error(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for chunk in (tmp_path / "a.zarr" / "c").glob("*/*"):
        chunk.write_bytes(b"torn")
    pane = picture_of(window, tmp_path, qtbot)
    assert not pane.body.stack.shows_data
    assert pane.body.stack.sentence.text.startswith("c/")


def test_a_tile_of_one_chunk_that_does_not_decode_is_hatched(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    values = np.arange(1200 * 3600, dtype=np.int32).reshape(1200, 3600)
    zarr.create_array(tmp_path / "a.zarr", data=values, chunks=(1200, 1200), zarr_format=3, overwrite=True)
    torn = tmp_path / "a.zarr" / "c" / "0" / "1"
    whole = torn.read_bytes()
    torn.write_bytes(bytes(20))
    pane = picture_of(window, tmp_path, qtbot)
    (hole,) = pane.canvas.holes.rects
    assert (hole.left(), hole.width()) == (1199.5, 1200)
    assert "c/0/1" in pane.body.stack.notice.text
    torn.write_bytes(whole)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.notice.button.click()
    assert pane.canvas.holes.rects == []


def test_the_notice_counts_the_chunks_that_cannot_be_read(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for name in ("0/1", "1/2", "2/0"):
        (tmp_path / "a.zarr" / "c" / name).write_bytes(b"torn")
    pane = picture_of(window, tmp_path, qtbot)
    assert pane.body.stack.notice.text.startswith("3 chunks in view cannot be read. c/0/1")
    assert len(pane.canvas.holes.rects) == 3
