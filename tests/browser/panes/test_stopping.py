"""Reading stops when the user stops it, and pauses while its tab is hidden."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import numpy as np
import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.panes.image.pictures import pane_of
from tests.waiting import PATIENCE_S
from zarrbrowser.image.tiles import frames
from zarrbrowser.nodes import read_cost
from zarrbrowser.panes import data_stack
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.plot_pane import PlotPane
from zarrbrowser.panes.table import block_reader
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.state import Session
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers import Lane, Workers
from zarrbrowser.workers.tile_loader import IN_FLIGHT

TILES = 64


class Turnstile:
    """Lets readers through one by one."""

    def __init__(self) -> None:
        self.begun: list[Any] = []
        self._permits = threading.Semaphore(0)

    def __call__(self, selection: Any) -> None:
        self.begun.append(selection)
        assert self._permits.acquire(timeout=PATIENCE_S), "this reader was never let through"

    def let(self, number: int) -> None:
        self._permits.release(number)


@pytest.fixture
def loading(
    monkeypatch: pytest.MonkeyPatch, open_window: OpenWindow, qtbot: QtBot
) -> tuple[MainWindow, ImagePane, Turnstile]:
    """A picture of many tiles that the user agreed to load; the first ones have arrived.

    The window is closed before the size of tiles is that of the program again, because it may still draw.
    """
    monkeypatch.setattr(frames, "ASK_ABOVE_BYTES", 1000)
    values = np.broadcast_to(np.float32(0), (8 * 256, 8 * 256))
    array, turnstile = FakeArray(values, chunks=(256, 256)), Turnstile()
    monkeypatch.setattr("zarrbrowser.image.tiles.raster._TILE_BYTES", 2**18)
    window = open_window(FakeGroup({"array": array, "other": FakeArray(np.zeros((3, 3)))}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.body.stack.notice.isVisible())
    array.before_read = turnstile
    pane.body.stack.notice.button.click()
    qtbot.waitUntil(lambda: pane.view.frame is not None and len(pane.view.frame.tiles) == TILES)
    qtbot.waitUntil(lambda: len(turnstile.begun) == IN_FLIGHT)
    turnstile.let(4)
    qtbot.waitUntil(lambda: len(turnstile.begun) == IN_FLIGHT + 4)
    return window, pane, turnstile


def rest(window: MainWindow, turnstile: Turnstile, qtbot: QtBot) -> int:
    """The number of started reads, once no more start."""
    turnstile.let(1000)
    assert window.workers.wait(PATIENCE_S)
    qtbot.waitUntil(lambda: not window.workers.active)
    return len(turnstile.begun)


@pytest.mark.parametrize("way", ["Esc", "button"])
def test_stop_is_immediate_and_permanent(
    way: str, loading: tuple[MainWindow, ImagePane, Turnstile], qtbot: QtBot
) -> None:
    window, pane, turnstile = loading
    begun = len(turnstile.begun)
    if way == "Esc":
        QTest.keySequence(window, "Esc")
    else:
        window.view.status.cancel.click()
    assert not window.workers.active
    assert rest(window, turnstile, qtbot) == begun
    assert pane.body.stack.notice.button.text() in ("Retry", "Load anyway")
    pane.canvas.show_range((0, 900), (0, 900))
    assert rest(window, turnstile, qtbot) == begun, (
        "another part is read only up to the limit without consent"
    )


def test_returning_to_an_array_asks_again(
    loading: tuple[MainWindow, ImagePane, Turnstile], qtbot: QtBot
) -> None:
    window, pane, turnstile = loading
    begun = len(turnstile.begun)
    window.navigator.go_within("/other")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/other")
    assert rest(window, turnstile, qtbot) == begun
    window.navigator.back()
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/array")
    qtbot.waitUntil(lambda: pane.body.stack.notice.isVisible())
    assert pane.body.stack.notice.button.text() == "Load anyway"
    assert rest(window, turnstile, qtbot) == begun


def test_the_image_tab_pauses_under_another_tab(
    loading: tuple[MainWindow, ImagePane, Turnstile], qtbot: QtBot
) -> None:
    window, pane, turnstile = loading
    begun = len(turnstile.begun)
    window.node_pane.show_tab("Metadata")
    assert rest(window, turnstile, qtbot) == begun
    with qtbot.waitSignal(pane.plane_shown):
        window.node_pane.show_tab("Image")
    assert pane.view.is_complete
    assert len(turnstile.begun) == TILES + IN_FLIGHT, "interrupted tiles are read again, loaded tiles are not"


def test_stopping_the_reading_stops_a_film(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(np.zeros((50, 30, 40), np.float32), chunks=(1, 30, 40))
    window = open_window(FakeGroup({"array": array}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    gate = Gate()
    array.before_read = gate.wait
    pane.body.sliders.play()
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    window.workers.stop()
    assert not pane.body.sliders.is_playing
    gate.open()
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert not pane.view.faults, "another plane is a new request"


@pytest.mark.parametrize("way", ["stop", "hide"])
def test_a_stopped_table_stops_reading(
    way: str, workers: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_reader, "_AT_ONCE", 1)
    array, turnstile = FakeArray(np.zeros((900, 900)), chunks=(10, 10)), Turnstile()
    array.before_read = turnstile
    pane = TablePane(Session(), workers)
    qtbot.addWidget(pane)
    pane.resize(6000, 200)  # more blocks than are read at once, whatever the font, and few cells to draw
    pane.show()
    pane.contents.show_array(array)
    qtbot.waitUntil(lambda: len(turnstile.begun) == 1)
    assert len(pane.reader.blocks_in_view()) > 1
    workers.stop() if way == "stop" else pane.hide()
    turnstile.let(1000)
    assert workers.wait(PATIENCE_S)
    assert not workers.active
    assert len(turnstile.begun) == 1
    pane.reader.problem.button.click() if way == "stop" else pane.show()
    qtbot.waitUntil(lambda: pane.model.value(0, 0)[0])


def test_a_plot_pauses_under_another_tab(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_stack, "ASK_ABOVE_BYTES", 10)
    array, gate = FakeArray(np.arange(40.0)), Gate()
    array.before_read = gate.wait
    window = open_window(FakeGroup({"array": array}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    pane = window.node_pane.pane("Plot")
    assert isinstance(pane, PlotPane)
    qtbot.waitUntil(lambda: pane.stack.notice.isVisible())
    pane.stack.notice.button.click()
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    window.node_pane.show_tab("Metadata")
    assert not any("/array" in request.label for request in window.workers.active)
    gate.open()
    window.node_pane.show_tab("Plot")
    qtbot.waitUntil(lambda: pane.curve.yData is not None and pane.curve.yData.size == 40)


def test_waiting_requests_of_a_lane_are_stopped_too(workers: Workers, qtbot: QtBot) -> None:
    gate, begun, errors = Gate(), [], []
    lane = Lane(workers, in_flight=1)

    def begin(number: int, _request: object) -> None:
        begun.append(number)
        gate.wait()

    for number in (1, 2):
        lane.ask(partial(begin, number), print, errors.append)
    qtbot.waitUntil(lambda: begun == [1])
    workers.stop()
    assert not lane.busy
    gate.open()
    assert workers.wait(PATIENCE_S)
    assert begun == [1]


def test_all_parts_share_the_limit_for_reading_without_consent() -> None:
    for module in (frames, data_stack):
        assert vars(module)["ASK_ABOVE_BYTES"] == read_cost.ASK_ABOVE_BYTES
