"""The picture of stored chunks: its colours, and the text under the pointer."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.browser.panes.storage.stored import array_of, texts
from zarrbrowser.panes.storage.storage_pane import StoragePane
from zarrbrowser.theme import current_colours


def test_the_map_shows_stored_chunks(pane: StoragePane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.settled):
        pane.show_array(array_of((0, 0), (2, 1)))
    picture = pane.picture
    assert "2 of 6 chunks (33.3 %)" in texts(pane)
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
