"""Tiles that were read, the last used first, up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict

from zarrbrowser.image.tiles.raster import Tile, Window
from zarrbrowser.nodes.protocols import AnyArray

TILE_CACHE_BYTES = 384 * 2**20
"""Room for what may be read unasked, and half as much of what was seen before."""


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
        """What the tiles take."""

    def __contains__(self, tile: Tile) -> bool:
        return tile in self._tiles

    def __len__(self) -> int:
        return len(self._tiles)

    def get(self, tile: Tile) -> AnyArray | None:
        """A tile, which is then the last to go."""
        found = self._tiles.get(tile)
        if found is not None:
            self._tiles.move_to_end(tile)
        return found

    def holes(self, tile: Tile) -> tuple[Window, ...]:
        """What of a tile's samples could not be read."""
        return self._holes.get(tile, ())

    def drop(self, tile: Tile) -> None:
        """Forget a tile."""
        gone = self._tiles.pop(tile, None)
        self._holes.pop(tile, None)
        self.nbytes -= 0 if gone is None else gone.nbytes

    def clear(self) -> None:
        """Forget all tiles."""
        for tile in list(self._tiles):
            self.drop(tile)

    def put(self, tile: Tile, values: AnyArray, holes: tuple[Window, ...] = ()) -> None:
        """Keep a tile; those used longest ago make room, but never the last one put, or it would be read for ever."""
        self.drop(tile)
        self.nbytes += values.nbytes
        self._tiles[tile] = values
        if holes:
            self._holes[tile] = holes
        while self.nbytes > self._max_bytes and len(self._tiles) > 1:
            self.drop(next(iter(self._tiles)))
