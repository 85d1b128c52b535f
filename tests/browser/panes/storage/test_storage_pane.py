"""The Storage tab: it counts in the background, can be stopped, and reports errors."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, Flaky, Gate
from zarrbrowser.panes.storage.storage_pane import StoragePane
from zarrbrowser.session.state import Session
from zarrbrowser.theme import current_colours
from zarrbrowser.workers import Workers


@pytest.fixture
def pane(workers: Workers, qtbot: QtBot) -> StoragePane:
    made = StoragePane(Session(), workers)
    qtbot.addWidget(made)
    made.resize(800, 500)
    made.show()
    return made


def array_of(*stored: tuple[int, int]) -> FakeArray:
    array = FakeArray(np.zeros((30, 20), "f4"), chunks=(10, 10))
    array.stored_chunks = [*stored]
    return array


def texts(pane: StoragePane) -> list[str]:
    return [one.text() for one in pane.facts.findChildren(QLabel)]


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


def test_an_array_without_elements_has_no_chunks(pane: StoragePane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.settled):
        pane.show_array(FakeArray(np.zeros((0, 5)), chunks=(1, 5)))
    assert "0 of 0 chunks" in texts(pane)
    pane.picture.grab()  # an error while painting would end the program
    assert pane.picture.text_at(5, 5) == ""


def test_counting_can_be_stopped_and_restarted(pane: StoragePane, workers: Workers, qtbot: QtBot) -> None:
    array, gate = array_of((0, 0)), Gate()
    array.before_read = gate.wait
    pane.show_array(array)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    assert pane.stop_button.isVisible()
    pane.stop_button.click()
    assert (workers.active, pane.again_button.isVisible()) == ((), True)
    gate.open()
    with qtbot.waitSignal(pane.settled):
        pane.again_button.click()
    assert "1 of 6 chunks (16.7 %)" in texts(pane)


def test_a_store_that_fails_says_why(pane: StoragePane, qtbot: QtBot) -> None:
    array, flaky = array_of((0, 0)), Flaky()
    array.before_read = flaky
    with qtbot.waitSignal(pane.settled):
        pane.show_array(array)
    assert "does not answer" in pane.problem.text
    flaky.mended = True
    with qtbot.waitSignal(pane.settled):
        pane.problem.button.click()
    assert not pane.problem.isVisible()
    assert "1 of 6 chunks (16.7 %)" in texts(pane)


def test_a_scalar_array_has_one_chunk(pane: StoragePane, qtbot: QtBot) -> None:
    array = FakeArray(np.float32(3))
    array.stored_chunks = [()]
    with qtbot.waitSignal(pane.settled):
        pane.show_array(array)
    assert "1 of 1 chunk (100 %)" in texts(pane)
    assert pane.picture.text_at(5, 5) == "chunk (): stored"
