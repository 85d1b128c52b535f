"""The picture of stored chunks: its colours, and the text under the pointer."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray
from tests.browser.panes.stored import array_of, texts
from zarrbrowser.chunks import chunk_map
from zarrbrowser.chunks.chunk_map import ChunkMap, count_chunks
from zarrbrowser.panes.chunk_picture import ChunkPicture
from zarrbrowser.panes.storage_pane import StoragePane
from zarrbrowser.theme import current_colours


def test_the_map_shows_stored_chunks(storage_pane: StoragePane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(storage_pane.settled):
        storage_pane.show_array(array_of((0, 0), (2, 1)))
    picture = storage_pane.picture
    assert "2 of 6 chunks (33.3 %)" in texts(storage_pane)
    shown = picture.grab().toImage()
    colours = current_colours()
    for row in range(3):
        for column in range(2):
            x, y = column * 28 + 14, row * 28 + 14
            stored = (row, column) in ((0, 0), (2, 1))
            assert shown.pixelColor(x, y).name() == (colours.accent if stored else colours.border)
            state = "stored" if stored else "not stored"
            assert picture.text_at(x, y) == f"chunk ({row}, {column}): {state}"
    assert picture.text_at(400, 400) == ""


@pytest.fixture
def picture(application: QApplication, qtbot: QtBot) -> ChunkPicture:
    made = ChunkPicture()
    qtbot.addWidget(made)
    made.resize(280, 280)
    return made


def map_of(rows: int, columns: int, *stored: tuple[int, int]) -> ChunkMap:
    array = FakeArray(np.broadcast_to(np.uint8(0), (rows, columns)), chunks=(1, 1))
    array.stored_chunks = [*stored]
    return count_chunks(array, lambda: False, lambda _map: None)


def test_cells_of_several_chunks_are_counted(picture: ChunkPicture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_map, "MOST_ACROSS", 2)
    picture.show_map(map_of(4, 3, (0, 0), (1, 1), (3, 2)))
    assert picture.text_at(1, 1) == "chunks (0, 0) to (1, 1): 2 of 4 stored"
    assert picture.text_at(29, 29) == "chunks (2, 2) to (3, 2): 1 of 2 stored"
    image, colours = picture.grab().toImage(), current_colours()
    shades = {image.pixelColor(x, y).name() for x, y in ((14, 14), (42, 42))}
    assert shades.isdisjoint({colours.accent, colours.border}), "neither full nor empty"


def test_each_point_of_the_map_belongs_to_the_cell_that_is_drawn_there(picture: ChunkPicture) -> None:
    picture.resize(160, 80)
    picture.show_map(map_of(300, 400))
    cells = {picture.cell_at(x, y) for x in range(160) for y in range(80)}
    places = [cell for cell in cells if cell is not None]
    assert len({row for row, _column in places}) == 80
    assert max(places) <= (299, 399)
    assert picture.cell_at(159, 79) is None, "the map has the proportions of the grid"


def test_without_a_map_nothing_is_drawn(picture: ChunkPicture) -> None:
    empty = picture.grab().toImage()
    assert (picture.cell_at(1, 1), picture.text_at(1, 1)) == (None, "")
    picture.show_map(map_of(2, 2, (0, 0)))
    assert picture.grab().toImage() != empty
    picture.show_map(None)
    assert picture.grab().toImage() == empty


def test_a_cell_with_few_stored_chunks_does_not_look_empty(
    picture: ChunkPicture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_map, "MOST_ACROSS", 2)
    picture.show_map(map_of(100, 100, (0, 0)))
    image = picture.grab().toImage()
    few, none = image.pixelColor(14, 14), image.pixelColor(42, 42)
    assert none.name() == current_colours().border
    parts = zip(few.getRgb(), none.getRgb(), strict=True)
    assert max(abs(one - other) for one, other in parts) > 25
