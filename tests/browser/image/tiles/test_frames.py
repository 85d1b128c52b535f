"""The frame of a view: level and sampling for the screen, tiles in view, and the limit on reads without asking."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image, level_of, whole
from zarrbrowser.image.tiles.frames import Frame, Mosaic, View, assemble, plan, rect_of
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.nodes.read_cost import ReadCost


def pyramid(side: int = 65536, levels: int = 6, chunk: int = 256) -> Image:
    arrays = []
    for number in range(levels):
        length = side >> number
        values = np.broadcast_to(np.uint16(0), (length, length))
        arrays.append(FakeArray(values, chunks=(min(chunk, length),) * 2))
    base = arrays[0]
    return Image(
        "/image", (whole(base), *(level_of(base.shape, one) for one in arrays[1:])), ("y", "x"), ("", "")
    )


def frame_of(image: Image, rows: tuple[float, float], columns: tuple[float, float], **more: Any) -> Frame:
    axes = Axes.initial(image.base)
    return plan(image, [axes], View(rows, columns, 500, 800), **more)


def test_the_level_is_that_of_the_zoom() -> None:
    image = pyramid()
    for shift in range(6):
        frame = frame_of(image, (0, 500 << shift), (0, 800 << shift))
        assert frame.raster.level is image.levels[shift]
        assert frame.raster.steps == (1, 1)
        assert len(frame.tiles) == 2 * 4
    assert frame_of(image, (0, 5), (0, 8)).raster.level is image.levels[0]


def test_the_coarsest_level_is_subsampled_when_zoomed_out_further() -> None:
    frame = frame_of(pyramid(levels=3), (0, 65536), (0, 65536))
    assert frame.raster.steps == (32, 16)
    assert frame.raster.shape == (512, 1024)
    height, width = (part.stop - part.start for part in frame.window)
    assert (height, width) == (512, 1024)
    assert frame_of(pyramid(levels=3), (0, 500), (0, 800)).raster.steps == (1, 1)


def test_more_than_may_be_read_is_held_back_or_coarser() -> None:
    alone = pyramid(levels=1)
    frame = frame_of(alone, (0, 65536), (0, 65536))
    assert frame.is_held_back
    assert frame.cost.chunks == 256 * 256
    assert frame.missing(TileCache()) == []
    agreed = frame_of(alone, (0, 65536), (0, 65536), may_read_bytes=frame.cost.nbytes)
    assert not agreed.is_held_back
    huge = pyramid(levels=5, chunk=16384)  # a chunk of 512 MiB at the base
    frame = frame_of(huge, (0, 500), (0, 800))
    assert frame.raster.level is huge.levels[3]
    assert not frame.is_held_back


def test_loaded_tiles_have_no_read_cost() -> None:
    frame = frame_of(pyramid(levels=1), (0, 65536), (0, 65536), is_there=lambda _tile: True)
    assert not frame.is_held_back
    assert frame.cost.nbytes == 0


@pytest.mark.parametrize(
    ("chunk", "chunks"),
    [
        ((1, 64, 64), 3 * 4),
        ((2, 64, 64), 2 * 4),  # the first two channels share their chunks
        ((3, 64, 64), 4),
        ((1, 5000, 5000), 3 * 1),  # longer than a tile
        ((3, 5000, 5000), 1),
    ],
)
def test_chunks_of_blended_channels_count_once(chunk: tuple[int, ...], chunks: int) -> None:
    side = 128 if chunk[1] == 64 else 5000
    array = FakeArray(np.broadcast_to(np.uint8(0), (3, side, side)), ("c", "y", "x"), chunks=chunk)
    image = Image("/image", (whole(array),), ("c", "y", "x"))
    planes = [Axes(array.shape, ("c", "y", "x"), 1, 2, None, (number, 0, 0)) for number in range(3)]
    frame = plan(image, planes, View((0, side), (0, side), side, side))
    assert frame.cost == ReadCost(chunks, chunks * math.prod(chunk))


def test_a_small_coarse_level_comes_first() -> None:
    frame = frame_of(pyramid(1024, 4), (0, 500), (0, 800))
    assert [tile.raster.level.array.shape for tile in frame.missing(TileCache())][:1] == [(128, 128)]
    assert (
        frame_of(pyramid(), (0, 500), (0, 800)).backdrop == ()
    )  # 2048 elements per side are too many for a backdrop


def test_a_window_extends_beyond_the_view_in_whole_steps() -> None:
    frame = frame_of(pyramid(), (1000, 1500), (2000, 2800))
    rows, columns = frame.window
    assert (rows.start % 64, columns.stop % 64) == (0, 0)
    assert rows.start <= 1000 - 125 < rows.start + 64
    assert columns.stop >= 2800 + 200


def test_gaps_are_filled_from_coarser_tiles() -> None:
    values = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    base, coarse = FakeArray(values, chunks=(32, 32)), FakeArray(values[::4, ::4])
    level = level_of(base.shape, coarse)
    axes = Axes.initial(base)
    window = (slice(0, 64), slice(0, 64))
    backdrop = Mosaic(Raster.of(level, axes), (slice(0, 16), slice(0, 16)), values[::4, ::4], None)
    mosaic = assemble(Raster.of(whole(base), axes), window, TileCache(), [backdrop])
    assert mosaic.is_there is None
    assert np.array_equal(mosaic.values, np.repeat(np.repeat(values[::4, ::4], 4, 0), 4, 1))
    small = Mosaic(backdrop.raster, (slice(0, 4), slice(8, 16)), values[:16:4, 32::4], None)
    mosaic = assemble(Raster.of(whole(base), axes), window, TileCache(), [small])
    assert mosaic.is_there is not None
    assert np.argwhere(mosaic.is_there).min(0).tolist() == [0, 32]
    assert mosaic.is_there.sum() == 16 * 32


def test_a_window_covers_its_part_of_the_base() -> None:
    base = FakeArray(np.zeros((100, 100)))
    raster = Raster.of(whole(base), Axes.initial(base), (4, 2))
    assert rect_of(raster, (slice(0, 25), slice(10, 50))) == (-0.5, 19.5, 99.5, 99.5)


def test_a_huge_plane_has_few_tiles() -> None:
    values = np.broadcast_to(np.uint8(0), (2**31, 2**31))
    endless = FakeArray(values, chunks=(512, 512))
    image = Image("/endless", (whole(endless),), ("y", "x"))
    frame = frame_of(image, (0, 2**31), (0, 2**31))
    assert frame.is_held_back
    assert len(frame.tiles) < 5000
    assert frame.cost.chunks == 512 * 1024  # one for each sample
