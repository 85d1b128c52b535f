"""Lines and pixels cut at the edges of a box: Qt writes no clipping into SVG files."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPolygonF

from zarrcore.typing import AnyArray

_FARTHEST = 1e9
"""Points are moved to this distance: longer steps would overflow, or lose their digits."""


def polylines_within(x: AnyArray, y: AnyArray, connected: AnyArray, box: QRectF) -> list[QPolygonF]:
    """The parts of lines in a box, by the method of Liang and Barsky.

    Args:
        x: of points, shape (n,).
        y: likewise.
        connected: whether a line goes from each point to the next one; these are finite.
    """
    at = np.flatnonzero(connected[:-1])
    x, y = (np.clip(one, -_FARTHEST, _FARTHEST) for one in (x, y))
    first, step = np.stack([x[at], y[at]]), np.stack([x[at + 1] - x[at], y[at + 1] - y[at]])
    enters, leaves = np.zeros(at.size), np.ones(at.size)
    lows, highs = (box.left(), box.top()), (box.right(), box.bottom())
    for start, along, low, high in zip(first, step, lows, highs, strict=True):
        for room, towards in ((start - low, -along), (high - start, along)):
            with np.errstate(divide="ignore", invalid="ignore"):
                where = room / towards
            enters = np.where(towards < 0, np.maximum(enters, where), enters)
            leaves = np.where(towards > 0, np.minimum(leaves, where), leaves)
            leaves[(towards == 0) & (room < 0)] = -1.0
    kept = np.flatnonzero(enters <= leaves)
    begins, ends = ((first[:, kept] + share[kept] * step[:, kept]).T.tolist() for share in (enters, leaves))
    goes_on = np.zeros(kept.size, bool)
    goes_on[1:] = (np.diff(at[kept]) == 1) & (leaves[kept][:-1] == 1) & (enters[kept][1:] == 0)
    found: list[list[QPointF]] = []
    for begin, end, is_same in zip(begins, ends, goes_on.tolist(), strict=True):
        if not is_same:
            found.append([QPointF(*begin)])
        found[-1].append(QPointF(*end))
    return [QPolygonF(points) for points in found]


def pixels_within(pixels: NDArray[np.uint8], target: QRectF, box: QRectF) -> tuple[NDArray[np.uint8], QRectF]:
    """The pixels that overlap a box, shape (h, w, 4), and their place.

    Args:
        target: the place of all pixels.
    """
    height, width = pixels.shape[:2]
    tall, wide = target.height() / height, target.width() / width
    rows = _between(box.top() - target.top(), box.bottom() - target.top(), tall, height)
    columns = _between(box.left() - target.left(), box.right() - target.left(), wide, width)
    place = QRectF(
        target.left() + columns.start * wide,
        target.top() + rows.start * tall,
        (columns.stop - columns.start) * wide,
        (rows.stop - rows.start) * tall,
    )
    return pixels[rows, columns], place


def _between(low: float, high: float, size: float, count: int) -> slice:
    """The pixels of a size that overlap an interval."""
    first = min(max(math.floor(low / size + 1e-6), 0), count)
    return slice(first, min(max(math.ceil(high / size - 1e-6), first), count))
