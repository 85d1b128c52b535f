"""The controls of a plot."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, Gate
from tests.browser.panes.plots import show
from zarrbrowser.plot import error_bars, series


def test_axes_can_be_logarithmic(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(np.array([1.0, 10, 0, 1000])))
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size == 4)
    pane.controls.log_y.click()
    qtbot.waitUntil(lambda: np.array_equal(pane.curve.yData, [0, 1, np.nan, 3], equal_nan=True))
    pane.controls.log_x.click()
    qtbot.waitUntil(lambda: pane.curve.xData.size == 3)
    assert pane.curve.xData == pytest.approx(np.log10([1, 2, 3]))
    assert pane.graph.grab().toImage().width() > 0
    pane.controls.log_x.click()
    pane.controls.log_y.click()
    qtbot.waitUntil(lambda: pane.curve.yData.size == 4 and pane.curve.yData[3] == 1000)


def test_other_numbers_are_computed_off_the_event_loop_and_chosen_at_any_time(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    make = error_bars.logarithms

    def noted(numbers: np.ndarray) -> np.ndarray:
        threads.append(threading.current_thread())
        return make(numbers)

    monkeypatch.setattr(series, "logarithms", noted)
    array, gate = FakeArray(np.array([1.0, 10, 0, 1000])), Gate()
    array.before_read = gate.wait
    pane = show(open_window, qtbot, array)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    pane.controls.log_y.click()
    gate.open()
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size == 4)
    qtbot.waitUntil(lambda: np.array_equal(pane.curve.yData, [0, 1, np.nan, 3], equal_nan=True))
    assert threads
    assert threading.main_thread() not in threads
    assert len(array.selections) == 1
