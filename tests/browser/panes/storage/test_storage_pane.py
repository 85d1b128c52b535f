"""The Storage tab: it counts in the background, can be stopped, and reports errors."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, Flaky, Gate
from tests.browser.panes.storage.stored import array_of, texts
from zarrbrowser.panes.storage.storage_pane import StoragePane
from zarrbrowser.workers import Workers


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
