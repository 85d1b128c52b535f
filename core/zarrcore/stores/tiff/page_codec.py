"""How the segments of a page are encoded, as codecs."""

from __future__ import annotations

import base64
from typing import Any, Final

_CODED_TAGS: Final = (258, 259, 262, 266, 277, 284, 292, 317, 322, 323, 338, 339, 530, 32997, 32998, 50674)
"""The tags that decide how a segment is decoded."""
_OLD_JPEG: Final = 6
_TILE_TAGS: Final = (322, 323, 32998)


def is_plain(page: Any) -> bool:
    """Whether the samples of a page are stored as those of an array."""
    return bool(
        page.compression == 1
        and page.predictor == 1
        and page.fillorder == 1
        and page.sampleformat != 5  # complex integers
        and not page.is_subsampled
        and page.bitspersample == 8 * page.dtype.itemsize
    )


def segment_configuration(page: Any) -> dict[str, Any]:
    """The configuration of the codec ``tiff.segment``."""
    tags: dict[str, Any] = {}
    for code in _CODED_TAGS:
        value = page.tags.valueof(code)
        if value is None or (code in _TILE_TAGS and not page.is_tiled):
            continue
        numbers = value if isinstance(value, tuple) else (value,)
        tags[str(code)] = [int(number) for number in numbers]
    tags["259"], tags["317"] = [int(page.compression)], [int(page.predictor)]
    if page.compression == _OLD_JPEG:
        # Its pages often lack the number of samples, which tifffile then knows as libtiff does.
        tags["277"] = [int(page.samplesperpixel)]
    configuration: dict[str, Any] = {
        "byteorder": "little" if page.parent.byteorder == "<" else "big",
        "tags": tags,
    }
    if not page.is_tiled:
        tags["256"] = [int(page.imagewidth)]
    else:
        lengths = (page.imagelength, page.tilelength), (page.imagewidth, page.tilewidth)
        rest = [int(length % tile or tile) for length, tile in lengths]
        if rest != [page.tilelength, page.tilewidth]:
            configuration["rest"] = rest
    if page.jpegtables:
        configuration["jpeg_tables"] = base64.standard_b64encode(page.jpegtables).decode()
    if page.jpegheader:
        configuration["jpeg_header"] = base64.standard_b64encode(page.jpegheader).decode()
    if page.is_jfif:
        configuration["jfif"] = True
    if page.nodata:
        configuration["nodata"] = str(page.nodata)
    return configuration
