"""Tiles that were read, the last used first, up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict

from zarrbrowser.session.nodes import AnyArray
from zarrbrowser.session.raster import Tile

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

    def put(self, tile: Tile, values: AnyArray) -> None:
        """Keep a tile; those used longest ago make room, but never the last one put, or it would be read for ever."""
        before = self._tiles.pop(tile, None)
        self.nbytes += values.nbytes - (0 if before is None else before.nbytes)
        self._tiles[tile] = values
        while self.nbytes > self._max_bytes and len(self._tiles) > 1:
            _, gone = self._tiles.popitem(last=False)
            self.nbytes -= gone.nbytes
