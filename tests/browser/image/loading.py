"""Views of an image without a window: planned, and loaded into a cache."""

from __future__ import annotations

from zarrbrowser.image.levels import Image
from zarrbrowser.image.tiles.frames import Frame, View, plan
from zarrbrowser.image.tiles.raster import Tile
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings


def load(tile: Tile, cache: TileCache) -> None:
    """Read one tile into a cache."""
    cache.put(tile, tile.raster.read(tile.raster.samples(tile)))


def view_of(image: Image, scale: float = 1.0) -> View:
    """The whole plane on a screen with so many pixels per element."""
    height, width = image.base.shape[-2:]
    return View((-0.5, height - 0.5), (-0.5, width - 0.5), height * scale, width * scale)


def frame_of(image: Image, settings: ViewSettings, view: View | None = None) -> Frame:
    """The frame of a view, by default of the whole plane, one pixel for each element."""
    return plan(image, settings.planes(image), view or view_of(image))


def loaded(image: Image, settings: ViewSettings, cache: TileCache, view: View | None = None) -> Frame:
    """The frame of a view, with all of its tiles in the cache."""
    frame = frame_of(image, settings, view)
    for tile in frame.missing(cache):
        load(tile, cache)
    return frame
