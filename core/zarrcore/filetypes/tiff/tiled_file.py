"""BigTIFF files of uncompressed tiles, whose offsets are computed from metadata.

All tables come before all tiles. Each number in a table grows by a constant from page to page and from tile to tile, so no
table is ever made as a whole.
"""

from __future__ import annotations

import hashlib
import math
import struct
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import MAX_NBYTES, VirtualFile
from zarrcore.filetypes.joined import JoinedFile
from zarrcore.filetypes.records import Linear, Records
from zarrcore.filetypes.tiff.directories import LONG, LONG8, Entry, shorts
from zarrcore.filetypes.tiff.tiles import TiledBody, TilesFile

_TABLES_ALIGN: Final = 8
_TILES_ALIGN: Final = 4096
_AHEAD, _BUFFER_NBYTES, _MAX_GAP_NBYTES = 8, 64 << 10, 8 << 20
"""The largest ratio of a system's read-ahead to the bytes that were read. The gap before the first tile has this ratio to the
tables, so that reading the tables never reads a tile. A program reads a buffer more: those of Python 3.14 have 128 KiB, of
which half are counted, since Linux reads ahead four times a first read."""


class TiledTiff(JoinedFile):
    """An image at one or several resolutions.

    Args:
        levels: the tiles of each level, finest first.

    Raises:
        UnsupportedError: it is too large for a file.
    """

    holds_many = True

    def __init__(self, levels: Sequence[TilesFile]) -> None:
        self._levels = levels
        super().__init__(_laid_out(self._parts))
        if self.size > MAX_NBYTES:
            shape = levels[0].body.shape
            raise UnsupportedError("shape", str(shape), "is too large for a file: select a part")

    @property
    def version(self) -> str:
        """Like `HDF5File.version`."""
        digest = hashlib.blake2b(self._metadata(), digest_size=16)
        for level in self._levels:
            digest.update(level.body.array.version.encode())
        return digest.hexdigest()

    @abstractmethod
    def _metadata(self) -> bytes:
        """The metadata in the file that do not follow from those of its arrays."""

    @abstractmethod
    def _parts(self, at: Mapping[str, int]) -> dict[str, VirtualFile]:
        """All parts of the file by name, in order; ``at`` has the offset of each."""

    def _tables(self, at: Mapping[str, int], pages: int = 1) -> dict[str, VirtualFile]:
        """The offsets of the tiles of each level, for all pages, and their lengths, which are those of every page."""
        parts: dict[str, VirtualFile] = {}
        for number, level in enumerate(self._levels):
            body = level.body
            tiles = math.prod(body.planes.values()) // pages * math.prod(body.grid)
            offset = Linear(at[f"tiles{number}"], body.tile_nbytes)
            parts[f"offsets{number}"] = Records(bytes(8), pages * tiles, {0: offset})
            parts[f"counts{number}"] = Records(struct.pack("<I", body.tile_nbytes), tiles)
        return parts

    def _tiles(self, *, coarsest_first: bool = False) -> dict[str, VirtualFile]:
        """The tiles of each level."""
        parts = [(f"tiles{number}", level) for number, level in enumerate(self._levels)]
        return dict(reversed(parts) if coarsest_first else parts)


def tile_entries(number: int, body: TiledBody, at: Mapping[str, int], planes: int = 1) -> list[Entry]:
    """The entries of a page with tiles.

    Args:
        number: the number of the level.
        body: its tiles.
        at: the offset of each part of the file.
        planes: the number of planes in a page.
    """
    tiles = planes * math.prod(body.grid)
    offsets = Linear(at[f"offsets{number}"], 8 * tiles)
    if tiles == 1:
        offsets = Linear(at[f"tiles{number}"], body.tile_nbytes)
    counts = (
        Linear(at[f"counts{number}"]) if tiles > 2 else struct.pack(f"<{tiles}I", *[body.tile_nbytes] * tiles)
    )
    return [
        shorts(322, body.tile[1]),
        shorts(323, body.tile[0]),
        (324, LONG8, tiles, offsets),
        (325, LONG, tiles, counts),
    ]


def _laid_out(make: Callable[[Mapping[str, int]], Mapping[str, VirtualFile]]) -> list[VirtualFile]:
    """Consecutive parts, with gaps for alignment. They are made twice, first only for their sizes."""
    places: dict[str, int] = defaultdict(int)
    for _ in range(2):
        files: list[VirtualFile] = []
        end = 0
        parts = make(places)
        gap = _gap(parts.values())
        for name, part in parts.items():
            start = end
            if isinstance(part, TilesFile) and not isinstance(files[-1], TilesFile):
                start += min(gap, _AHEAD * (end + _BUFFER_NBYTES))
            start += -start % (_TILES_ALIGN if isinstance(part, TilesFile) else _TABLES_ALIGN)
            files += [Records(b"\0", start - end), part]
            places[name] = start
            end = start + part.size
    return files


def _gap(parts: Iterable[VirtualFile]) -> int:
    """The longest gap before the first tile, which is no longer than all tiles."""
    return min(_MAX_GAP_NBYTES, sum(part.size for part in parts if isinstance(part, TilesFile)))
