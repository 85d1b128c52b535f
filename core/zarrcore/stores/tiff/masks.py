"""Transparency masks: pages that say which elements of another image of the file exist.

"TIFF Revision 6.0", NewSubfileType, bit 2; GDAL, "GTiff -- GeoTIFF File Format", "Internal nodata mask". A mask has the lengths
of its image, and may have resolutions, as its image has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

_MASK: Final = 4
NAME: Final = "mask"
"""Of the group of a mask, in that of its image."""


def is_mask(series: Any) -> bool:
    """Whether the pages of a series are transparency masks."""
    return bool(int(series.keyframe.subfiletype) & _MASK)


def with_masks(groups: Sequence[list[Any]]) -> list[tuple[list[Any], list[Any]]]:
    """The resolutions of each image, and those of its mask, if it has one.

    A mask without an image before it that has its lengths is an image.
    """
    found: list[tuple[list[Any], list[Any]]] = []
    unmasked: dict[tuple[tuple[str, int], ...], list[list[Any]]] = {}
    """The places of masks of the images without one, by the lengths of these."""
    for levels in groups:
        # The samples of colours share one mask.
        told = zip(levels[0].axes, levels[0].shape, strict=True)
        lengths = tuple((axis, int(length)) for axis, length in told if axis != "S")
        if not is_mask(levels[0]):
            found.append((levels, []))
            unmasked.setdefault(lengths, []).append(found[-1][1])
        elif unmasked.get(lengths):
            unmasked[lengths].pop().extend(levels)
        else:
            found.append((levels, []))
    return found


def flags(dtype: np.dtype[Any]) -> dict[str, Any]:
    """What the elements of a mask mean, as attributes of CF."""
    if dtype.kind == "b":
        return {"flag_values": [0, 1], "flag_meanings": "missing valid"}
    return {"flag_values": [0], "flag_meanings": "missing"}
