"""Which thumbnails are read, kept and dropped."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeGroup, Gate
from tests.browser.gallery.plates import image
from zarrbrowser.gallery.cells import Cell
from zarrbrowser.panes.gallery import thumbnail_loader as module
from zarrbrowser.panes.gallery.thumbnail_loader import ThumbnailLoader
from zarrbrowser.workers import Workers

CELLS = [Cell(str(number), f"/{number}") for number in range(10)]


@pytest.fixture
def group() -> FakeGroup:
    return FakeGroup({cell.name: image(number, side=8) for number, cell in enumerate(CELLS)})


@pytest.fixture
def loader(workers: Workers, group: FakeGroup) -> ThumbnailLoader:
    made = ThumbnailLoader(workers, workers)
    made.start(group.find)
    return made


def test_cells_are_read_in_order(
    loader: ThumbnailLoader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IN_FLIGHT", 1)
    arrived: list[str] = []
    loader.arrived.connect(arrived.append)
    with qtbot.waitSignal(loader.idle):
        loader.want(CELLS[4:7], 16)
    assert arrived == ["/4", "/5", "/6"]
    assert loader.read_bytes == 3 * 8 * 8 * 2
    loader.want(CELLS[4:7], 16)
    assert not loader.busy, "they are there already"


def test_cells_out_of_view_are_dropped_first(
    loader: ThumbnailLoader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CACHE_BYTES", 4 * (128 + 512))
    for wanted in (CELLS[:4], CELLS[4:6]):
        with qtbot.waitSignal(loader.idle):
            loader.want(wanted, 16)
    there = [cell.path for cell in CELLS if loader.thumbnail(cell.path) is not None]
    assert len(there) == 4
    assert {"/4", "/5"} <= set(there)
    with qtbot.waitSignal(loader.idle):
        loader.want(CELLS, 16)
    assert all(loader.thumbnail(cell.path) for cell in CELLS), (
        "all in view are kept, or they would be read for ever"
    )


def test_cells_that_are_not_wanted_any_more_are_cancelled(
    loader: ThumbnailLoader, group: FakeGroup, qtbot: QtBot, workers: Workers
) -> None:
    gate = Gate()
    group.find("/0/0").before_read = gate.wait
    loader.want(CELLS[:1], 16)
    gate.waiting.acquire()
    loader.want((), 16)
    assert not workers.active
    gate.open()
    with qtbot.waitSignal(loader.idle):
        loader.want(CELLS[1:2], 16)
    assert loader.thumbnail("/0") is None


def test_failures_are_tried_again_on_request(loader: ThumbnailLoader, qtbot: QtBot) -> None:
    gone = Cell("x", "/x")
    with qtbot.waitSignal(loader.idle):
        loader.want([gone], 16)
    assert "does not exist" in str(loader.problem("/x"))
    loader.want([gone], 16)
    assert not loader.busy
    loader.retry()
    loader.want([gone], 16)
    assert loader.busy
    loader.forget()
    assert loader.problem("/x") is None


def test_nothing_is_read_without_a_hierarchy(workers: Workers) -> None:
    owner = QObject()
    loader = ThumbnailLoader(workers, owner)
    loader.want(CELLS, 16)
    assert not loader.busy
