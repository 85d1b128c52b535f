"""A cache of loaded tiles, least recently used out first, bounded in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from zarrbrowser.image.tiles.raster import Tile, Window
from zarrcore.typing import AnyArray

TILE_CACHE_BYTES = 384 * 2**20
"""Room for the largest read without asking, and half as much for earlier tiles."""


class TileCache:
    """Keeps tiles until their bytes exceed the bound. Used by one thread.

    >>> TileCache(0).nbytes
    0
    """

    def __init__(self, max_bytes: int = TILE_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._tiles: OrderedDict[Tile, AnyArray] = OrderedDict()
        self._holes: dict[Tile, tuple[Window, ...]] = {}
        self.nbytes = 0
        """The size of the tiles."""

    def __contains__(self, tile: Tile) -> bool:
        return tile in self._tiles

    def __len__(self) -> int:
        return len(self._tiles)

    def get(self, tile: Tile) -> AnyArray | None:
        """Get a tile, and mark it as used most recently."""
        found = self._tiles.get(tile)
        if found is not None:
            self._tiles.move_to_end(tile)
        return found

    def holes(self, tile: Tile) -> tuple[Window, ...]:
        """The windows of a tile's samples that could not be read."""
        return self._holes.get(tile, ())

    def part(self, tiles: Iterable[Tile]) -> TileCache:
        """Those of some tiles that are loaded, as a cache of its own, which another thread may use."""
        found = TileCache(self._max_bytes)
        for tile in tiles:
            values = self.get(tile)
            if values is not None:
                found.put(tile, values, self.holes(tile))
            elif tile in self._holes:
                found.put_unreadable(tile)
        return found

    def drop(self, tile: Tile) -> None:
        """Forget a tile."""
        gone = self._tiles.pop(tile, None)
        self._holes.pop(tile, None)
        self.nbytes -= 0 if gone is None else gone.nbytes

    def clear(self) -> None:
        """Forget all tiles."""
        for tile in [*self._tiles, *self._holes]:
            self.drop(tile)

    def put_unreadable(self, tile: Tile) -> None:
        """Keep in mind that a tile cannot be read: all of it is a hole."""
        self.drop(tile)
        self._holes[tile] = (tile.raster.samples(tile),)

    def put(self, tile: Tile, values: AnyArray, holes: tuple[Window, ...] = ()) -> None:
        """Keep a tile and evict the least recently used ones, but never this one, or it would be read for ever."""
        self.drop(tile)
        self.nbytes += values.nbytes
        self._tiles[tile] = values
        if holes:
            self._holes[tile] = holes
        while self.nbytes > self._max_bytes and len(self._tiles) > 1:
            self.drop(next(iter(self._tiles)))
