"""Loading tiles: in order, cancelled once out of view, never waiting for one that hangs."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.panes.image.pictures import pane_of
from zarrbrowser.workers import tile_loader


def test_stale_tiles_are_cancelled(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.broadcast_to(np.float32(1), (100_000, 100_000))
    array, gate = FakeArray(values, chunks=(256, 256)), Gate()
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    assert "The middle is shown" in pane.stack.notice.text
    array.before_read = gate.wait
    pane.canvas.show_range((0, 500), (0, 500))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    read = len(array.selections)
    pane.canvas.show_range((90_000, 90_500), (90_000, 90_500))
    qtbot.waitUntil(lambda: all(tile.row > 300 for tile in pane.view.loader.running))
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    tiles_in_view = 9
    assert len(array.selections) <= read + tiles_in_view + pane.view.loader.total


def test_a_plane_that_never_loads_does_not_block_the_next(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.broadcast_to(np.float32(0), (3, 2048, 2048))
    array, gate = FakeArray(values, chunks=(1, 256, 256)), Gate()
    monkeypatch.setattr(tile_loader, "IN_FLIGHT", 2)
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    array.before_read = lambda selection: gate.wait() if selection[0] == 0 else None
    pane.sliders.spins[0].setValue(0)
    assert gate.waiting.acquire(timeout=5)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.spins[0].setValue(2)
    assert pane.view.frame.planes[0].index[0] == 2
    gate.open()
