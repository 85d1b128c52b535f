"""The cache of loaded tiles: which are kept, and what it reports of them."""

from __future__ import annotations

import numpy as np

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import whole
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.tiles.tile_cache import TileCache


def test_recently_used_tiles_are_kept() -> None:
    array = FakeArray(np.zeros((10, 10), np.uint8), chunks=(1, 10))
    raster = Raster.of(whole(array), Axes.initial(array))
    tiles = [type(raster.tiles((slice(0, 1), slice(0, 1)))[0])(raster, row, 0) for row in range(4)]
    cache = TileCache(25)
    for tile in tiles[:2]:
        cache.put(tile, np.zeros(10, np.uint8))
    assert cache.get(tiles[0]) is not None
    cache.put(tiles[2], np.zeros(10, np.uint8))
    assert [tile in cache for tile in tiles] == [True, False, True, False]
    assert cache.nbytes == 20
    cache.put(tiles[3], np.zeros(1000, np.uint8))
    assert len(cache) == 1


def test_the_holes_of_a_tile_are_forgotten_with_it() -> None:
    array = FakeArray(np.zeros((10, 10), np.uint8), chunks=(5, 10))
    raster = Raster.of(whole(array), Axes.initial(array))
    (tile,) = raster.tiles((slice(0, 10), slice(0, 10)))
    cache, hole = TileCache(), (slice(0, 5), slice(0, 10))
    assert cache.get(tile) is None
    cache.put(tile, np.zeros((10, 10), np.uint8), (hole,))
    assert cache.holes(tile) == (hole,)
    cache.put(tile, np.ones((10, 10), np.uint8))
    assert (cache.holes(tile), cache.nbytes) == ((), 100), "the new values are complete"
    cache.put(tile, np.ones((10, 10), np.uint8), (hole,))
    cache.clear()
    assert (cache.holes(tile), cache.nbytes, len(cache)) == ((), 0, 0)
    cache.drop(tile)
    assert cache.nbytes == 0, "a tile that is not there frees nothing"


def test_an_unreadable_tile_is_one_hole_until_it_is_read() -> None:
    array = FakeArray(np.zeros((10, 10), np.uint8), chunks=(5, 10))
    raster = Raster.of(whole(array), Axes.initial(array))
    (tile,) = raster.tiles((slice(0, 10), slice(0, 10)))
    cache, hole = TileCache(), (slice(0, 10), slice(0, 10))
    cache.put_unreadable(tile)
    assert tile not in cache
    assert cache.holes(tile) == cache.part([tile]).holes(tile) == (hole,)
    cache.put(tile, np.ones((10, 10), np.uint8))
    assert cache.holes(tile) == ()
    cache.put_unreadable(tile)
    cache.clear()
    assert (cache.holes(tile), cache.nbytes) == ((), 0)
