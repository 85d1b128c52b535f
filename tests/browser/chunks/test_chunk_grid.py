"""The chunks in view: their places, and which are stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.browser.fakes import FakeArray
from zarrbrowser.chunks.chunk_grid import chunks_in, stored
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import level_of, whole
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.session.sources import SourceRequest, open_source


def test_chunks_in_view() -> None:
    array = FakeArray(np.zeros((9, 100, 120)), chunks=(4, 30, 50))
    axes = Axes.initial(array).at(0, 5)
    grid = chunks_in(Raster.of(whole(array), axes), View((25, 65), (-20, 49.4), 400, 600))
    assert grid is not None
    assert (grid.rows, grid.columns) == (range(3), range(1))
    assert grid.index(2, 0) == (1, 2, 0)
    assert [grid.edge(0, row) for row in range(5)] == [-0.5, 29.5, 59.5, 89.5, 99.5]
    everything = chunks_in(Raster.of(whole(array), axes), View((-50, 150), (-50, 200), 400, 600))
    assert everything is not None
    assert len(everything.cells) == 4 * 3


def test_chunks_too_small_to_see_are_not_shown() -> None:
    array = FakeArray(np.broadcast_to(np.uint8(0), (100_000, 100_000)), chunks=(10, 10))
    raster = Raster.of(whole(array), Axes.initial(array))
    assert chunks_in(raster, View((0, 100_000), (0, 100_000), 800, 800)) is None
    assert chunks_in(raster, View((0, 2000), (0, 2000), 8000, 8000)) is None
    assert chunks_in(raster, View((0, 100), (0, 100), 800, 800)) is not None


def test_chunks_of_a_coarse_level() -> None:
    base, coarse = FakeArray(np.zeros((64, 64))), FakeArray(np.zeros((16, 16)), chunks=(8, 8))
    raster = Raster.of(level_of(base.shape, coarse), Axes.initial(base))
    grid = chunks_in(raster, View((-0.5, 63.5), (-0.5, 31), 640, 640))
    assert grid is not None
    assert (grid.rows, grid.columns) == (range(2), range(1))
    assert [grid.edge(1, column) for column in range(3)] == [-0.5, 31.5, 63.5]


@pytest.mark.parametrize("shards", [None, (4, 4)])
def test_stored_chunks_are_found(tmp_path: Path, shards: tuple[int, int] | None) -> None:
    array = zarr.create_array(
        tmp_path / "a", shape=(8, 8), chunks=(2, 2), shards=shards, dtype="i2", fill_value=0
    )
    array[:3, :3] = 1
    node = open_source(SourceRequest(str(tmp_path / "a"))).root
    side = 2 if shards else 4
    indices = [(row, column) for row in range(side) for column in range(side)]
    expected = {(0, 0)} if shards else {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert {index for index, is_there in stored(node, indices).items() if is_there} == expected
    with pytest.raises(Cancelled):
        stored(node, indices, lambda: True)
