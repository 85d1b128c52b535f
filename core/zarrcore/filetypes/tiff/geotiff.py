"""``tif``: planes as bands of one image, for GDAL, QGIS and other programs for maps.

A BigTIFF of uncompressed tiles. The first directory is the image, the others are the same image at lower resolutions
(overviews). The order of its parts is that of a Cloud Optimized GeoTIFF: all directories and tables, then the tiles of the
coarsest level, those of the first level last. Each band is a plane of its own; only the samples of RGB and RGBA are next to
each other.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from zarrcore.conventions.georeference import Affine
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import VirtualFile
from zarrcore.filetypes.records import Linear, Records
from zarrcore.filetypes.tiff.directories import (
    HEADER_NBYTES,
    LONG,
    Entry,
    directories,
    file_header,
    pixel_entries,
    with_long_values,
)
from zarrcore.filetypes.tiff.tiled_file import TiledTiff, tile_entries
from zarrcore.filetypes.tiff.tiles import TilesFile

MAX_BANDS: Final = 1024
_MAX_LENGTH: Final = (1 << 31) - 1


class GeoTiffFile(TiledTiff):
    """An image on Earth.

    Args:
        levels: each is smaller than the one before it along Y or X, and otherwise alike.
        tags: the entries of the first directory that say where the image is, and what it shows.
        transform: the grid that the tags state.
        sample_type: the type as which samples are read, of the same size as the elements; None for that of the elements.

    Raises:
        UnsupportedError: it has too many bands, or is too large for a file.

    Attributes:
        body: the tiles of the first level.
        bands: the number of planes; RGB or RGBA are one.
    """

    suffix = "tif"

    def __init__(
        self,
        levels: Sequence[TilesFile],
        tags: Sequence[Entry] = (),
        transform: Affine | None = None,
        sample_type: np.dtype[Any] | None = None,
    ) -> None:
        self.body = body = levels[0].body
        self._sample_type = sample_type or body.array.dtype
        self.bands = math.prod(body.planes.values())
        self.transform = transform
        self._tags = tags
        if max(body.height, body.width) > _MAX_LENGTH:
            raise UnsupportedError("shape", str(body.shape), "is too long for GDAL: select a part")
        if self.bands > (MAX_BANDS if body.samples == 1 else 1):
            least = "one plane of RGB" if body.samples > 1 else f"{MAX_BANDS:,} planes"
            raise UnsupportedError(
                "shape",
                str(body.shape),
                f"has {self.bands:,} planes, and a GeoTIFF has at most {least}: select fewer",
            )
        super().__init__(levels)

    def _metadata(self) -> bytes:
        return repr((self._tags, self._sample_type)).encode()

    def _parts(self, at: Mapping[str, int]) -> dict[str, VirtualFile]:
        parts: dict[str, VirtualFile] = {"header": Records(file_header(HEADER_NBYTES))}
        values: dict[str, VirtualFile] = {}
        for number, level in enumerate(self._levels):
            body, name = level.body, f"values{number}"
            entries, outside = with_long_values(
                [
                    *pixel_entries(body.height, body.width, self._sample_type, body.samples, self.bands),
                    *tile_entries(number, body, at, self.bands),
                    *([(254, LONG, 1, struct.pack("<I", 1))] if number else self._tags),
                ],
                at[name],
            )
            following = at[f"directory{number + 1}"] if number + 1 < len(self._levels) else 0
            parts[f"directory{number}"] = directories(entries, Linear(following))
            values[name] = Records(outside) if outside else Records(b"\0", 0)
        return parts | values | self._tables(at) | self._tiles(coarsest_first=True)
