"""Tiles hold the same elements as NumPy slices, and cover each sample once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import level_of, whole
from zarrbrowser.image.tiles.frames import assemble
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.nodes.read_cost import ReadCost

sides = st.integers(1, 900)


@given(sides, sides, sides, sides, st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 16]), st.booleans())
def test_tiles_compose_the_plane(
    height: int, width: int, across: int, along: int, down: int, right: int, turned: bool
) -> None:
    values = np.arange(height * width, dtype=np.int32).reshape(1, height, width)
    array = FakeArray(values, chunks=(1, min(across, height), min(along, width)))
    axes = Axes.initial(array)
    axes = Axes(axes.shape, axes.names, *((2, 1) if turned else (1, 2)), None, (0, 0, 0))
    raster = Raster.of(whole(array), axes, (down, right))
    expected = (values[0].T if turned else values[0])[::down, ::right]
    assert raster.shape == expected.shape
    window = (slice(0, raster.shape[0]), slice(0, raster.shape[1]))
    cache = TileCache()
    times = np.zeros(raster.shape, int)
    for tile in raster.tiles(window):
        part = raster.samples(tile)
        cache.put(tile, raster.read(part))
        times[part] += 1
    assert (times == 1).all()
    mosaic = assemble(raster, window, cache)
    assert mosaic.is_there is None
    assert np.array_equal(mosaic.values, expected)


@given(sides, sides, st.integers(1, 5000), st.sampled_from([1, 2, 4, 8]))
def test_each_chunk_belongs_to_one_tile(height: int, width: int, chunk: int, step: int) -> None:
    chunks = (min(chunk, height), min(chunk, width))
    array = FakeArray(np.broadcast_to(np.uint8(0), (height, width)), chunks=chunks)
    raster = Raster.of(whole(array), Axes.initial(array), (step, step))
    for axis in range(2):
        if chunks[axis] <= 4096 * step:
            assert raster.tile_shape[axis] % chunks[axis] == 0


def test_the_chunks_of_a_tile_are_limited_in_bytes() -> None:
    array = FakeArray(np.broadcast_to(np.float32(0), (500, 1_000_000)), chunks=(1, 1_000_000))
    raster = Raster.of(whole(array), Axes.initial(array))
    height, width = raster.tile_shape
    assert height * width * 4 <= 16 * 2**20
    cost = raster.cost(raster.tiles((slice(0, 2), slice(0, 10))))
    assert cost.nbytes == cost.chunks * 4_000_000


def test_the_cost_of_tiles_is_that_of_their_chunks() -> None:
    array = FakeArray(np.zeros((4, 300, 500), np.float32), chunks=(3, 100, 50))
    raster = Raster.of(whole(array), Axes.initial(array))
    assert raster.cost(raster.tiles((slice(0, 300), slice(0, 500)))) == ReadCost(30, 30 * 3 * 100 * 50 * 4)
    rare = Raster.of(
        whole(FakeArray(np.zeros((600, 4)), chunks=(1, 4))),
        Axes((600, 4), ("a", "b"), 0, 1, None, (0, 0)),
        (8, 1),
    )
    assert rare.cost(rare.tiles((slice(0, 75), slice(0, 4)))).chunks == 75  # each eighth row is a chunk


def test_a_chunk_split_into_tiles_is_counted_once() -> None:
    array = FakeArray(np.broadcast_to(np.uint8(0), (20_000, 9_000)), chunks=(10_000, 9_000))
    raster = Raster.of(whole(array), Axes.initial(array))
    assert len(raster.tiles((slice(0, 10_000), slice(0, 9_000)))) == 9
    assert raster.cost(raster.tiles((slice(0, 10_000), slice(0, 9_000)))) == ReadCost(2, 180_000_000)
    assert raster.cost(raster.tiles((slice(9_000, 11_000), slice(0, 9_000)))) == ReadCost(2, 180_000_000)
    assert raster.cost(raster.tiles((slice(0, 100), slice(0, 9_000)))) == ReadCost(1, 90_000_000)


def test_the_nearest_to_the_middle_comes_first() -> None:
    array = FakeArray(np.zeros((2560, 2560), np.uint8), chunks=(256, 256))
    raster = Raster.of(whole(array), Axes.initial(array))
    tiles = raster.tiles((slice(0, 1280), slice(512, 1792)))
    assert (tiles[0].row, tiles[0].column) == (2, 4)
    assert {(tile.row, tile.column) for tile in tiles} == {(r, c) for r in range(5) for c in range(2, 7)}
    assert abs(tiles[-1].row - 2) == 2


def test_a_coarse_level_covers_its_source_elements() -> None:
    base, coarse = FakeArray(np.zeros((40, 80))), FakeArray(np.zeros((10, 20)))
    level = level_of(base.shape, coarse)
    assert level.factors == (4, 4)
    raster = Raster.of(level, Axes.initial(base))
    assert raster.to_base(0, 0) == 1.5  # the centre of elements 0 to 3
    assert raster.to_sample(0, raster.to_base(0, 7)) == pytest.approx(7)
    assert level.position(0, 39) == 9
    sampled = Raster.of(whole(base), Axes.initial(base), (4, 4))
    assert sampled.to_base(1, 2) == 9.5  # drawn over elements 8 to 11


@pytest.mark.parametrize("steps", [(1, 1), (2, 3), (16, 7)])
def test_windows_of_chunks_cover_the_whole_window(steps: tuple[int, int]) -> None:
    array = FakeArray(np.arange(70 * 90).reshape(70, 90), chunks=(16, 10))
    raster = Raster.of(whole(array), Axes.initial(array), steps)
    height, width = raster.shape
    seen = np.zeros(raster.shape, int)
    for rows, columns in raster.chunk_windows((slice(0, height), slice(0, width))):
        seen[rows, columns] += 1
        for part, step, length in zip((rows, columns), steps, (16, 10), strict=True):
            assert part.start * step // length == (part.stop - 1) * step // length, "one chunk"
    assert (seen == 1).all()
