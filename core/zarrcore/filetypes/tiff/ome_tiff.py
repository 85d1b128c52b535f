"""``ome.tiff``: a multiscale image, as a BigTIFF of uncompressed tiles whose offsets are computed from metadata.

Specification: Open Microscopy Environment, "OME-TIFF specification", "Sub-resolutions". Each plane of the first level is a page;
those of the other levels are in the page's SubIFDs.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence

from zarrcore.filetypes.interface import VirtualFile
from zarrcore.filetypes.records import Linear, Records
from zarrcore.filetypes.tiff.directories import (
    HEADER_NBYTES,
    IFD8,
    LONG,
    Entry,
    chained,
    description_entry,
    directories,
    file_header,
    page_entries,
    strip_entries,
)
from zarrcore.filetypes.tiff.ome_xml import ImageMetadata, ome_type, ome_xml
from zarrcore.filetypes.tiff.tiled_file import TiledTiff, tile_entries
from zarrcore.filetypes.tiff.tiles import TiledBody, TilesFile


class OmeTiffFile(TiledTiff):
    """A multiscale image.

    Args:
        levels: each is smaller than the one before it along X or Y, and otherwise alike.
        facts: the metadata of the image.
        omitted: returns what the file does not hold.

    Raises:
        UnsupportedError: it is too large for a file.
    """

    suffix = "ome.tiff"

    def __init__(
        self,
        levels: Sequence[TilesFile],
        facts: ImageMetadata,
        omitted: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._omitted = omitted
        base = levels[0].body
        shape = dict(zip(base.letters, base.shape, strict=True))
        self._text = ome_xml(facts, shape, ome_type(base.array.dtype)) + b"\0"
        self._pages = math.prod(base.planes.values())
        super().__init__(levels)

    def left_out(self) -> tuple[str, ...]:
        return self._omitted()

    def _metadata(self) -> bytes:
        return self._text

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
        return parts | self._tables(at, self._pages) | self._tiles()


def _entries(number: int, body: TiledBody, at: Mapping[str, int]) -> list[Entry]:
    """The entries of the directories of a level."""
    entries = page_entries(body.height, body.width, body.samples, body.array.dtype)
    if body.is_strip:
        return entries + strip_entries(
            body.height, body.tile_nbytes, Linear(at[f"tiles{number}"], body.tile_nbytes)
        )
    return [*entries, *tile_entries(number, body, at)]
