"""Reading in a thread: what is read stays, whatever ends the reading."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import Gate
from tests.browser.volume.volumes import blocks, image_of
from tests.waiting import PATIENCE_S
from zarrbrowser.image.levels import Image
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.panes.volume.volume_reader import VolumeReader, WantedVolume
from zarrbrowser.volume import grid as grids
from zarrbrowser.volume.axes import volume_axes
from zarrbrowser.volume.grid import VolumeGrid
from zarrbrowser.volume.textures import Painted, measure_volumes
from zarrbrowser.workers import Workers


def wanted(one: Image, **settings: Any) -> WantedVolume:
    state = ImageState(one, replace(initial_settings(one), **settings), lambda path: None)
    axes = volume_axes(one, state.settings, {})
    assert axes is not None
    return WantedVolume(state, axes, VolumeGrid(one.levels[0], 0, axes.all))


@pytest.fixture
def reader(workers: Workers) -> VolumeReader:
    return VolumeReader(workers, workers)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> tuple[Image, Any, Gate]:
    """An array in three blocks, the last of which waits."""
    monkeypatch.setattr(grids, "_BLOCK_BYTES", 1)
    one, gate = image_of(blocks((6, 7, 8)), None, (2, 7, 8)), Gate()
    array: Any = one.base
    array.before_read = lambda part: gate.wait() if part[0].start == 4 else None
    return one, array, gate


def test_a_volume_is_read_once(reader: VolumeReader, qtbot: QtBot) -> None:
    one = image_of(blocks((6, 7, 8)))
    array: Any = one.base
    found: list[Painted] = []
    reader.painted.connect(found.append)
    first = wanted(one)
    assert not reader.has(first)
    with qtbot.waitSignal(reader.came):
        reader.show(first, "reading")
    qtbot.waitUntil(lambda: bool(found))
    assert reader.has(first)
    assert reader.cost is not None
    assert reader.cost.nbytes == 6 * 7 * 8 * 2
    with qtbot.waitSignal(reader.came):
        reader.show(first, "reading")
    qtbot.waitUntil(lambda: len(found) == 2)
    assert len(array.selections) == 1


def test_another_depth_of_the_image_tab_needs_no_reading(reader: VolumeReader, qtbot: QtBot) -> None:
    one = image_of(blocks((6, 7, 8)))
    with qtbot.waitSignal(reader.came):
        reader.show(wanted(one), "reading")
    axes = initial_settings(one).axes
    assert reader.has(wanted(one, axes=axes.at(0, 5)))


def test_what_is_read_before_a_pause_stays(
    reader: VolumeReader, qtbot: QtBot, slow: tuple[Image, Any, Gate]
) -> None:
    one, array, gate = slow
    reader.show(wanted(one), "reading")
    gate.waiting.acquire(timeout=PATIENCE_S)
    reader.pause()
    assert reader._request is None
    gate.open()
    assert reader._workers.wait(PATIENCE_S)
    array.selections.clear()
    with qtbot.waitSignal(reader.came):
        reader.show(wanted(one), "reading")
    assert len(array.selections) <= 1


def test_a_stop_by_the_user_shows_what_there_is(
    reader: VolumeReader, workers: Workers, qtbot: QtBot, slow: tuple[Image, Any, Gate]
) -> None:
    one, _array, gate = slow
    reader.show(wanted(one), "reading")
    gate.waiting.acquire(timeout=PATIENCE_S)
    with qtbot.waitSignal(reader.came):
        workers.stop()
    found: list[Painted] = []
    reader.painted.connect(found.append)
    reader.paint(wanted(one).state)
    qtbot.waitUntil(lambda: bool(found))
    assert (found[0].textures[0].data[:4, ..., 1] == 255).all()
    assert (found[0].textures[0].data[4:] == 0).all()
    gate.open()


def test_a_failure_is_told(reader: VolumeReader, qtbot: QtBot) -> None:
    one = image_of(blocks((6, 7, 8)))
    array: Any = one.base
    error = OSError("no connection")

    def fail(_part: Any) -> None:
        raise error

    array.before_read = fail
    with qtbot.waitSignal(reader.failed) as told:
        reader.show(wanted(one), "reading")
    assert told.args == [error]
    assert not reader.busy


def test_statistics_are_kept_while_only_colours_change(
    reader: VolumeReader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zarrbrowser.panes.volume import volume_reader

    measured: list[int] = []
    plain = measure_volumes

    def count(*arguments: Any) -> Any:
        measured.append(1)
        return plain(*arguments)

    monkeypatch.setattr(volume_reader, "measure_volumes", count)
    one = image_of(blocks((6, 7, 8)))
    found: list[Painted] = []
    reader.painted.connect(found.append)
    reader.show(wanted(one), "reading")
    qtbot.waitUntil(lambda: len(found) == 1)
    reader.paint(wanted(one, colour_map="viridis").state)
    qtbot.waitUntil(lambda: len(found) == 2)
    assert len(measured) == 1
    assert not np.array_equal(found[0].textures[0].colours, found[1].textures[0].colours)
    reader.paint(wanted(one).state, measures=True)
    qtbot.waitUntil(lambda: len(found) == 3)
    assert len(measured) == 2


def test_nothing_is_painted_after_all_is_forgotten(reader: VolumeReader, qtbot: QtBot) -> None:
    one = image_of(blocks((6, 7, 8)))
    with qtbot.waitSignal(reader.came):
        reader.show(wanted(one), "reading")
    reader.forget()
    reader.paint(wanted(one).state)
    assert not reader.busy
    assert reader.error is None
