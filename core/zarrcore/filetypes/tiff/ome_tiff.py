"""``ome.tiff``: a multiscale image, as a BigTIFF of uncompressed tiles whose offsets are computed from metadata.

Specification: Open Microscopy Environment, "OME-TIFF specification", "Sub-resolutions". Each plane of the first level is a page;
those of the other levels are in the page's SubIFDs. All tables come before all tiles. Each number in a table
grows by a constant from page to page and from tile to tile, so no table is ever made as a whole.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import MAX_NBYTES, VirtualFile
from zarrcore.filetypes.joined import JoinedFile
from zarrcore.filetypes.records import Linear, Records
from zarrcore.filetypes.tiff.directories import (
    HEADER_NBYTES,
    IFD8,
    LONG,
    LONG8,
    Entry,
    chained,
    description_entry,
    directories,
    file_header,
    page_entries,
    shorts,
    strip_entries,
)
from zarrcore.filetypes.tiff.ome_xml import ImageMetadata, ome_type, ome_xml
from zarrcore.filetypes.tiff.tiles import TiledBody, TilesFile

_TABLES_ALIGN: Final = 8
_TILES_ALIGN: Final = 4096
_AHEAD, _BUFFER_NBYTES, _MAX_GAP_NBYTES = 8, 64 << 10, 8 << 20
"""The largest ratio of a system's read-ahead to the bytes that were read. The gap before the first tile has this ratio to the
tables, so that reading the tables never reads a tile. A program reads a buffer more: those of Python 3.14 have 128 KiB, of
which half are counted, since Linux reads ahead four times a first read."""


class OmeTiffFile(JoinedFile):
    """A multiscale image.

    Args:
        levels: each is smaller than the one before it along X or Y, and otherwise alike.
        facts: the metadata of the image.

    Raises:
        UnsupportedError: it is too large for a file.
    """

    suffix = "ome.tiff"
    holds_many = True

    def __init__(self, levels: Sequence[TilesFile], facts: ImageMetadata) -> None:
        base = levels[0].body
        shape = dict(zip(base.letters, base.shape, strict=True))
        self._text = ome_xml(facts, shape, ome_type(base.array.dtype)) + b"\0"
        self._levels = levels
        self._pages = math.prod(base.planes.values())
        super().__init__(_laid_out(self._parts))
        if self.size > MAX_NBYTES:
            raise UnsupportedError("shape", str(base.shape), "is too large for a file: select a part")

    @property
    def version(self) -> str:
        """Like `HDF5File.version`."""
        digest = hashlib.blake2b(self._text, digest_size=16)
        for level in self._levels:
            digest.update(level.body.array.version.encode())
        return digest.hexdigest()

    def _parts(self, at: Mapping[str, int]) -> dict[str, VirtualFile]:
        """All parts of the file by name; ``at`` has the offset of each."""
        bodies = [level.body for level in self._levels]
        base, *entries = [_entries(number, body, at) for number, body in enumerate(bodies)]
        reduced = {
            f"directories{number}": directories(
                [*of_level, (254, LONG, 1, struct.pack("<I", 1))], Linear(0), self._pages
            )
            for number, of_level in enumerate(entries, 1)
        }
        trees = {
            8 * number: Linear(at[name], part.nbytes) for number, (name, part) in enumerate(reduced.items())
        }
        if trees:
            where = Linear(at["trees"], 8 * len(trees)) if len(trees) > 1 else trees[0]
            base.append((330, IFD8, len(trees), where))
        first = [*base, description_entry(len(self._text), at["text"])]
        parts: dict[str, VirtualFile] = {
            "header": Records(file_header(HEADER_NBYTES)),
            "first": directories(first, Linear(at["later"] if self._pages > 1 else 0)),
            "text": Records(self._text),
            "later": chained(base, at["later"], self._pages - 1),
            "trees": Records(bytes(8 * len(trees)), self._pages, trees),
            **reduced,
        }
        for number, body in enumerate(bodies):
            tiles = math.prod(body.grid)
            offset = Linear(at[f"tiles{number}"], body.tile_nbytes)
            parts[f"offsets{number}"] = Records(bytes(8), self._pages * tiles, {0: offset})
            parts[f"counts{number}"] = Records(struct.pack("<I", body.tile_nbytes), tiles)
        return parts | {f"tiles{number}": level for number, level in enumerate(self._levels)}


def _entries(number: int, body: TiledBody, at: Mapping[str, int]) -> list[Entry]:
    """The entries of the directories of a level."""
    entries = page_entries(body.height, body.width, body.samples, body.array.dtype)
    if body.is_strip:
        return entries + strip_entries(
            body.height, body.tile_nbytes, Linear(at[f"tiles{number}"], body.tile_nbytes)
        )
    tiles = math.prod(body.grid)
    counts = Linear(at[f"counts{number}"]) if tiles > 2 else struct.pack("<2I", *[body.tile_nbytes] * 2)
    return [
        *entries,
        shorts(322, body.tile[1]),
        shorts(323, body.tile[0]),
        (324, LONG8, tiles, Linear(at[f"offsets{number}"], 8 * tiles)),
        (325, LONG, tiles, counts),
    ]


def _laid_out(make: Callable[[Mapping[str, int]], Mapping[str, VirtualFile]]) -> list[VirtualFile]:
    """Consecutive parts, with gaps for alignment. They are made twice, first only for their sizes."""
    places: dict[str, int] = defaultdict(int)
    for _ in range(2):
        files: list[VirtualFile] = []
        end = 0
        for name, part in make(places).items():
            start = _start(end, part, isinstance(files[-1], TilesFile) if files else False)
            files += [Records(b"\0", start - end), part]
            places[name] = start
            end = start + part.size
    return files


def _start(end: int, part: VirtualFile, after_tiles: bool) -> int:
    """The offset of a part that follows another one, which ends at ``end``."""
    if not isinstance(part, TilesFile):
        return end + -end % _TABLES_ALIGN
    if not after_tiles:
        end += min(_AHEAD * (end + _BUFFER_NBYTES), _MAX_GAP_NBYTES, part.size)
    return end + -end % _TILES_ALIGN
