"""Coordinates that an array seems to have, but that cannot be shown as such: what is wrong with them.

CF conventions, 2.4 "Dimensions" and 4.4.1 "Calendar".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from zarrbrowser.coordinates.coordinates import MOST_COORDINATES, Coordinate
from zarrbrowser.image.levels import Image


def unusable_coordinates(
    image: Image, found: Mapping[int, Coordinate], find: Callable[[str], Any]
) -> tuple[str, ...]:
    """What is wrong with the coordinates of an image, a sentence for each axis; blocks.

    Args:
        found: the coordinates that are shown, by axis.
        find: the node at an absolute path; raises if it does not exist.
    """
    from zarrcore.errors import ZarrError  # late: for a fast start

    names = image.base.dimension_names
    if image.has_scale or names is None:
        return ()
    group, sentences = image.base.path.rpartition("/")[0], []
    for axis, (name, length) in enumerate(zip(names, image.base.shape, strict=True)):
        if not name or not 1 < length <= MOST_COORDINATES or _is_decoded(found.get(axis)):
            continue
        try:
            node = find(f"{group}/{name}")
        except ZarrError:
            continue  # an axis without coordinates
        if node.kind == "array" and node.path != image.base.path and node.ndim == 1:
            sentences.append(_wrong_length(node, length) if axis not in found else _undated(node))
    return tuple(filter(None, sentences))


def _is_decoded(coordinate: Coordinate | None) -> bool:
    from zarrcore.conventions.cf import is_time

    return coordinate is not None and not (
        coordinate.values.dtype.kind in "iuf" and is_time(coordinate.units)
    )


def _wrong_length(node: Any, length: int) -> str:
    if node.shape[0] == length:
        return ""
    return (
        f"{node.path} has {node.shape[0]:,} coordinates for an axis of {length:,}: "
        "the axis shows indices instead."
    )


def _undated(node: Any) -> str:
    """Why times are numbers: the calendar, or the unit."""
    from zarrcore.conventions.cf import decode_times

    units, calendar = str(node.attributes.get("units")), node.attributes.get("calendar")
    is_calendar = decode_times(np.zeros(1), units) is not None
    fault = f"calendar {calendar!r}" if is_calendar else f"unit {units!r}"
    return f"The {fault} of {node.path} is not supported: its times are shown as numbers."
