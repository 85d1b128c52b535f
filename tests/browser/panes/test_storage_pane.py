"""The Storage tab: it counts in the background, can be stopped, and reports errors."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, Flaky, Gate
from tests.browser.panes.stored import array_of, texts
from zarrbrowser.panes.storage_pane import StoragePane
from zarrbrowser.workers import Workers


def test_an_array_without_elements_has_no_chunks(storage_pane: StoragePane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(storage_pane.settled):
        storage_pane.show_array(FakeArray(np.zeros((0, 5)), chunks=(1, 5)))
    assert "0 of 0 chunks" in texts(storage_pane)
    storage_pane.picture.grab()  # an error while painting would end the program
    assert storage_pane.picture.text_at(5, 5) == ""


def test_counting_can_be_stopped_and_restarted(
    storage_pane: StoragePane, workers: Workers, qtbot: QtBot
) -> None:
    array, gate = array_of((0, 0)), Gate()
    array.before_read = gate.wait
    storage_pane.show_array(array)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    assert storage_pane.stop_button.isVisible()
    storage_pane.stop_button.click()
    assert (workers.active, storage_pane.again_button.isVisible()) == ((), True)
    gate.open()
    with qtbot.waitSignal(storage_pane.settled):
        storage_pane.again_button.click()
    assert "1 of 6 chunks (16.7 %)" in texts(storage_pane)


def test_a_store_that_fails_says_why(storage_pane: StoragePane, qtbot: QtBot) -> None:
    array, flaky = array_of((0, 0)), Flaky()
    array.before_read = flaky
    with qtbot.waitSignal(storage_pane.settled):
        storage_pane.show_array(array)
    assert "does not answer" in storage_pane.problem.text
    flaky.mended = True
    with qtbot.waitSignal(storage_pane.settled):
        storage_pane.problem.button.click()
    assert not storage_pane.problem.isVisible()
    assert "1 of 6 chunks (16.7 %)" in texts(storage_pane)


def test_a_scalar_array_has_one_chunk(storage_pane: StoragePane, qtbot: QtBot) -> None:
    array = FakeArray(np.float32(3))
    array.stored_chunks = [()]
    with qtbot.waitSignal(storage_pane.settled):
        storage_pane.show_array(array)
    assert "1 of 1 chunk (100 %)" in texts(storage_pane)
    assert storage_pane.picture.text_at(5, 5) == "chunk (): stored"
