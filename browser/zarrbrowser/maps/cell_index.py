"""Finds the cell of a curved grid at any place on the sphere: a tree of boxes around blocks of cells.

Blocks of 2 × 2, 4 × 4, … cells have boxes in space around them, so neither a seam, nor a pole, nor a fold of the grid is special.
Most places are found from a neighbour's, by Newton's method across cells; the tree finds the others.
"""

from __future__ import annotations

import numpy as np

from zarrcore.typing import AnyArray

_BATCH = 2**16
"""Places at once: a bound on memory."""
_SEED = 8
"""The tree finds one place of this many; they are the neighbours' first guess."""
_STEPS = 6
"""Steps from a guess."""
_SOLVING = 6
"""Iterations inside a cell."""
_EDGE = 1e-6
"""How far beyond the edge of a cell a place still belongs to it, as a fraction: rounding must leave no gaps."""
_ROUNDING = 1e-6
_FARTHEST = 32.0
"""Cells that one step may cross."""


class CellIndex:
    """The cells, and their tree. It can be used by several threads at once.

    Args:
        cells: the corners, float32, shape (rows, columns, 4, 3); NaN where there is no cell.
    """

    def __init__(self, cells: AnyArray) -> None:
        self._rows, self._columns = cells.shape[:2]
        self._cells = cells.reshape(-1, 12)
        self._levels: list[tuple[int, int, AnyArray]] = []  # the coarsest first
        low, high = _boxes(cells)
        while not self._levels or max(low.shape[:2]) > 1:
            low, high = _halved(low, np.inf, np.minimum), _halved(high, -np.inf, np.maximum)
            boxes = np.concatenate([low, high], axis=-1).reshape(-1, 6)
            self._levels.insert(0, (*low.shape[:2], boxes))

    def find(self, places: AnyArray) -> tuple[AnyArray, AnyArray]:
        """The rows and columns of places, where cell ``i`` covers ``[i, i + 1]``; NaN where there is no cell.

        Where cells overlap, a place belongs to one of them. It is faster for places that are neighbours of those before them.

        Args:
            places: unit vectors, shape (n, 3).
        """
        places = np.ascontiguousarray(places, np.float64)
        rows, columns = np.full(len(places), np.nan), np.full(len(places), np.nan)
        for start in range(0, len(places), _BATCH):
            part = slice(start, start + _BATCH)
            rows[part], columns[part] = self._find(places[part])
        return rows, columns

    def _find(self, places: AnyArray) -> tuple[AnyArray, AnyArray]:
        rows, columns = np.full(len(places), np.nan), np.full(len(places), np.nan)
        seeds = np.arange(0, len(places), _SEED)
        rows[seeds], columns[seeds] = self._descend(places[seeds])
        rest = np.flatnonzero(np.arange(len(places)) % _SEED)
        guess = rest - rest % _SEED
        found = self._walk(places[rest], rows[guess], columns[guess])
        rows[rest], columns[rest] = found
        rest = rest[~np.isfinite(found[0])]
        rows[rest], columns[rest] = self._descend(places[rest])
        return rows, columns

    def _descend(self, places: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Search the tree."""
        found = np.full(len(places), np.nan), np.full(len(places), np.nan)
        at = np.flatnonzero(np.isfinite(places).all(axis=1))
        row, column = np.zeros_like(at), np.zeros_like(at)
        x, y, z = places.astype(np.float32).T
        for height, width, boxes in self._levels:
            inside = (row < height) & (column < width)
            at, row, column = at[inside], row[inside], column[inside]
            box = np.take(boxes, row * width + column, axis=0).T
            inside = (box[0] <= x[at]) & (box[3] >= x[at])
            for axis, there in ((1, y[at]), (2, z[at])):
                inside &= (box[axis] <= there) & (box[axis + 3] >= there)
            at, row, column = at[inside].repeat(4), row[inside], column[inside]
            row = (2 * row[:, None] + (0, 0, 1, 1)).ravel()
            column = (2 * column[:, None] + (0, 1, 0, 1)).ravel()
        inside = (row < self._rows) & (column < self._columns)
        at, row, column = at[inside], row[inside], column[inside]
        across, along = self._inside(places[at], row * self._columns + column, _SOLVING)
        far = np.maximum(np.abs(across - 0.5), np.abs(along - 0.5))
        hit = np.flatnonzero(far <= 0.5 + _EDGE)
        # The last one written counts: that whose middle is nearest.
        hit = hit[np.argsort(-far[hit], kind="stable")]
        found[0][at[hit]] = row[hit] + np.clip(across[hit], 0.0, 1.0)
        found[1][at[hit]] = column[hit] + np.clip(along[hit], 0.0, 1.0)
        return found

    def _walk(self, places: AnyArray, rows: AnyArray, columns: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Go from guesses to places, cell by cell; NaN where that does not lead to a cell with the place in it."""
        found = np.full(len(places), np.nan), np.full(len(places), np.nan)
        at = np.flatnonzero(np.isfinite(rows))
        rows, columns = rows[at], columns[at]
        for _ in range(_STEPS):
            row = np.clip(rows, 0, self._rows - 1).astype(np.int64)
            column = np.clip(columns, 0, self._columns - 1).astype(np.int64)
            across, along = self._inside(places[at], row * self._columns + column, _SOLVING // 2)
            with np.errstate(invalid="ignore"):
                far = np.maximum(np.abs(across - 0.5), np.abs(along - 0.5))
                hit, goes_on = far <= 0.5 + _EDGE, (far > 0.5 + _EDGE) & (far <= 4 * _FARTHEST)
            found[0][at[hit]] = row[hit] + np.clip(across[hit], 0.0, 1.0)
            found[1][at[hit]] = column[hit] + np.clip(along[hit], 0.0, 1.0)
            rows = row[goes_on] + np.clip(across[goes_on], -_FARTHEST, _FARTHEST)
            columns = column[goes_on] + np.clip(along[goes_on], -_FARTHEST, _FARTHEST)
            at = at[goes_on]
            if not at.size:
                break
        return found

    def _inside(self, places: AnyArray, cells: AnyArray, iterations: int) -> tuple[AnyArray, AnyArray]:
        """Where places are in cells, down and to the right: from 0 to 1 inside; NaN for cells on the other side of the Earth."""
        corners = np.take(self._cells, cells, axis=0).T.astype(np.float64).reshape(4, 3, -1)
        # Seen from the place itself: it is the origin of a plane that touches the sphere there.
        x, y, z = places.T
        flat = np.hypot(x, y)
        is_pole = flat < 1e-9
        flat[is_pole] = 1.0
        east_x, east_y = np.where(is_pole, 0.0, -y / flat), np.where(is_pole, 1.0, x / flat)
        north_x, north_y, north_z = -z * east_y, z * east_x, x * east_y - y * east_x
        to_east = [one[0] * east_x + one[1] * east_y for one in corners]
        to_north = [one[0] * north_x + one[1] * north_y + one[2] * north_z for one in corners]
        height = corners[0, 0] * x + corners[0, 1] * y + corners[0, 2] * z
        (a, b, c, d), (e, f, g, h) = (
            (one[0], one[1] - one[0], one[2] - one[0], one[3] - one[2] - one[1] + one[0])
            for one in (to_east, to_north)
        )
        u, v = np.full(len(places), 0.5), np.full(len(places), 0.5)
        with np.errstate(all="ignore"):
            for _ in range(iterations):
                by_u, by_v = b + v * d, c + u * d
                north_by_u, north_by_v = f + v * h, g + u * h
                east, north = a + u * by_u + v * c, e + u * north_by_u + v * g
                determinant = by_u * north_by_v - by_v * north_by_u
                u = u - (east * north_by_v - north * by_v) / determinant
                v = v - (by_u * north - north_by_u * east) / determinant
            is_near = (height > 0) & np.isfinite(u) & np.isfinite(v)
        return np.where(is_near, v, np.nan), np.where(is_near, u, np.nan)


def _halved(values: AnyArray, blank: float, least: np.ufunc) -> AnyArray:
    """The least or greatest of each block of 2 × 2."""
    rows, columns = values.shape[0] % 2, values.shape[1] % 2
    if rows or columns:
        values = np.pad(values, ((0, rows), (0, columns), (0, 0)), constant_values=blank)
    values = least(values[::2], values[1::2])
    found: AnyArray = least(values[:, ::2], values[:, 1::2])
    return found


def _boxes(cells: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The least and the greatest coordinates of cells, float32, shape (rows, columns, 3).

    The surface of the sphere between four corners bulges out of the box of the corners.
    """
    corners = [cells[:, :, corner] for corner in range(4)]
    low = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
    high = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
    bulge = 1.0 - np.sqrt(np.maximum(0.0, 1.0 - ((high - low) ** 2).sum(axis=-1, keepdims=True) / 2))
    bulge += _ROUNDING
    is_hole = np.isnan(low[..., :1])
    return np.where(is_hole, np.float32(np.inf), low - bulge), np.where(
        is_hole, np.float32(-np.inf), high + bulge
    )
