"""Loading tiles: in order, cancelled once out of view, never waiting for one that hangs."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.panes.image.pictures import pane_of
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import whole
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.workers import Workers, tile_loader
from zarrbrowser.workers.tile_loader import TileLoader
from zarrbrowser.workers.workers import Stopped
from zarrcore.errors import CodecError


def test_stale_tiles_are_cancelled(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.broadcast_to(np.float32(1), (100_000, 100_000))
    array, gate = FakeArray(values, chunks=(256, 256)), Gate()
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert "The middle is shown" in pane.body.stack.notice.text
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
    qtbot.waitUntil(lambda: pane.view.is_complete)
    array.before_read = lambda selection: gate.wait() if selection[0] == 0 else None
    pane.body.sliders.spins[0].setValue(0)
    assert gate.waiting.acquire(timeout=30)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.spins[0].setValue(2)
    assert pane.view.frame.planes[0].index[0] == 2
    gate.open()


VALUES = np.arange(600 * 600, dtype=np.float32).reshape(600, 600)


class Loading:
    """A loader of the four tiles of a plane, and what it announced."""

    def __init__(self, workers: Workers) -> None:
        self.array = FakeArray(VALUES, chunks=(300, 300))
        self.raster = Raster.of(whole(self.array), Axes.initial(self.array))
        self.tiles = sorted(
            self.raster.tiles((slice(0, 600), slice(0, 600))), key=lambda tile: (tile.row, tile.column)
        )
        self.cache = TileCache()
        self.loader = TileLoader(workers, self.cache)
        self.told: list[object] = []
        self.loader.arrived.connect(lambda: self.told.append("arrived"))
        self.loader.failed.connect(self.told.append)
        self.loader.stopped.connect(lambda: self.told.append("stopped"))


@pytest.fixture
def loading(workers: Workers) -> Loading:
    return Loading(workers)


def test_tiles_are_read_in_the_order_of_the_list(
    loading: Loading, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tile_loader, "IN_FLIGHT", 1)
    order = [loading.tiles[number] for number in (2, 0, 3, 1)]
    loading.loader.want(order, "Reading")
    assert (loading.loader.busy, loading.loader.total) == (True, 4)
    qtbot.waitUntil(lambda: not loading.loader.busy)
    places = [(rows.start // 300, columns.start // 300) for rows, columns in loading.array.selections]
    assert places == [(tile.row, tile.column) for tile in order]
    assert loading.told == ["arrived"] * 4
    assert all(
        np.array_equal(loading.cache.get(tile), VALUES[loading.raster.samples(tile)]) for tile in order
    )


def test_tiles_that_are_no_longer_wanted_are_not_stored(
    loading: Loading, workers: Workers, qtbot: QtBot
) -> None:
    gate = Gate()
    loading.array.before_read = gate.wait
    loading.loader.want(loading.tiles)
    loading.loader.want(loading.tiles[3:])
    assert list(loading.loader.running) == loading.tiles[3:]
    assert loading.loader.total == 1
    gate.open()
    qtbot.waitUntil(lambda: not loading.loader.busy)
    assert [tile in loading.cache for tile in loading.tiles] == [False, False, False, True]
    loading.loader.want(loading.tiles)
    loading.loader.forget()
    assert (loading.loader.busy, workers.active) == (False, ())


def test_an_unreadable_tile_is_tried_again_only_on_request(loading: Loading, qtbot: QtBot) -> None:
    flaky = Flaky()
    loading.array.before_read = flaky
    loading.loader.want(loading.tiles[:1])
    qtbot.waitUntil(lambda: not loading.loader.busy)
    assert list(loading.loader.broken) == loading.tiles[:1]
    assert [str(error) for error in loading.told] == [str(loading.loader.broken[loading.tiles[0]])]
    flaky.mended = True
    loading.loader.retry_stopped()
    loading.loader.want(loading.tiles[:1])
    assert not loading.loader.busy
    loading.loader.retry()
    loading.loader.want(loading.tiles[:1])
    qtbot.waitUntil(lambda: loading.tiles[0] in loading.cache)


def test_the_user_stops_all_tiles_at_once_and_may_go_on(
    loading: Loading, workers: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tile_loader, "IN_FLIGHT", 2)
    gate = Gate()
    loading.array.before_read = gate.wait
    loading.loader.want(loading.tiles)
    workers.stop()
    gate.open()
    assert not loading.loader.busy
    assert loading.told[0] == "stopped"
    assert [type(told) for told in loading.told[1:]] == [Stopped], "one error, not one for each tile"
    assert set(loading.loader.broken) == set(loading.tiles)
    loading.loader.retry_stopped()
    loading.loader.want(loading.tiles)
    qtbot.waitUntil(lambda: len(loading.cache) == 4)


def test_a_torn_tile_is_shown_without_its_hole_until_it_is_retried(workers: Workers, qtbot: QtBot) -> None:
    array, problem = FakeArray(VALUES, chunks=(30, 600)), [CodecError("is short", key="c/1")]

    def broken(selection: tuple[slice, slice]) -> None:
        if problem and selection[0].start < 60 and selection[0].stop > 30:
            raise problem[0]

    array.before_read = broken
    raster = Raster.of(whole(array), Axes.initial(array))
    tile = next(
        one for one in raster.tiles((slice(0, 600), slice(0, 600))) if (one.row, one.column) == (0, 0)
    )
    cache = TileCache()
    loader = TileLoader(workers, cache)
    loader.want([tile])
    qtbot.waitUntil(lambda: tile in cache)
    assert loader.torn == {tile: problem[0]}
    assert [rows for rows, _columns in cache.holes(tile)] == [slice(30, 60)]
    assert loader.broken == {}
    problem.clear()
    loader.retry()
    assert tile not in cache
    loader.want([tile])
    qtbot.waitUntil(lambda: tile in cache)
    assert (loader.torn, cache.holes(tile)) == ({}, ())
