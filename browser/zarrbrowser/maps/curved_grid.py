"""Grids with a longitude and a latitude for each element, such as those of ocean models."""

from __future__ import annotations

import threading

import numpy as np

from zarrbrowser.maps.cell_index import CellIndex
from zarrbrowser.maps.cells import cells_of, edges, with_bounds
from zarrbrowser.maps.sphere import angles, directions
from zarrcore.typing import AnyArray

Places = tuple[AnyArray, AnyArray]


class CurvedGrid:
    """Cells with four corners on the sphere. It can be used by several threads at once.

    Args:
        longitudes: of the centres of cells, in degrees, shape (rows, columns), at least two of each; NaN where there is no cell.
        latitudes: likewise.
        shape: the elements of the plane down and to the right, if they are more than the centres.
        positions: the rows and the columns of the centres, in elements; by default each element has one.
        bounds: the longitudes and latitudes of the four vertices of each cell, shape (rows, columns, 4).
    """

    def __init__(
        self,
        longitudes: AnyArray,
        latitudes: AnyArray,
        shape: tuple[int, int] | None = None,
        positions: tuple[AnyArray, AnyArray] | None = None,
        bounds: Places | None = None,
    ) -> None:
        own = np.shape(longitudes)
        self.shape: tuple[int, int] = shape or (own[0], own[1])
        at = positions or (np.arange(own[0]), np.arange(own[1]))
        self._edges = [edges(np.asarray(one, float), size) for one, size in zip(at, self.shape, strict=True)]
        row_ends, column_ends = (
            ((where[0] + 0.5) / (where[1] - where[0]), (size - 0.5 - where[-1]) / (where[-1] - where[-2]))
            for where, size in zip(at, self.shape, strict=True)
        )
        self.cells = cells_of(directions(longitudes, latitudes), row_ends, column_ends)
        """The corners, float32, shape (rows, columns, 4, 3); NaN where there is no cell."""
        if bounds is not None:
            self.cells = with_bounds(self.cells, directions(*bounds))
        self._index: CellIndex | None = None
        self._lock = threading.Lock()

    def coordinates(self, rows: AnyArray, columns: AnyArray) -> Places:
        """Longitudes and latitudes of places on the plane; NaN beyond its edge and where there is no cell."""
        v, u = (
            np.interp(at, one, np.arange(one.size), left=np.nan, right=np.nan)
            for at, one in zip((rows, columns), self._edges, strict=True)
        )
        is_known = np.isfinite(v) & np.isfinite(u)
        v, u = np.where(is_known, v, 0.0), np.where(is_known, u, 0.0)
        row = np.minimum(v.astype(np.int64), self.cells.shape[0] - 1)
        column = np.minimum(u.astype(np.int64), self.cells.shape[1] - 1)
        corners = self.cells[row, column].astype(np.float64)
        v, u = (v - row)[..., None], (u - column)[..., None]
        upper = (1 - u) * corners[..., 0, :] + u * corners[..., 1, :]
        lower = (1 - u) * corners[..., 2, :] + u * corners[..., 3, :]
        east, north = angles((1 - v) * upper + v * lower)
        return np.where(is_known, east, np.nan), np.where(is_known, north, np.nan)

    def places(self, x: AnyArray, y: AnyArray) -> Places:
        """Rows and columns of longitudes and latitudes; NaN where there is no cell.

        The first call takes up to a second for large grids.
        """
        shape = np.broadcast_shapes(np.shape(x), np.shape(y))
        found = self._tree().find(directions(*np.broadcast_arrays(x, y)).reshape(-1, 3))
        rows, columns = (
            np.interp(at, np.arange(one.size), one).reshape(shape)
            for at, one in zip(found, self._edges, strict=True)
        )
        return rows, columns

    def _tree(self) -> CellIndex:
        with self._lock:
            if self._index is None:
                self._index = CellIndex(self.cells)
            return self._index
