"""The cells of a curved grid as quadrilaterals on the sphere.

CF conventions, 5.2 "Two-Dimensional Latitude, Longitude, Coordinate Variables", and 7.1 "Cell Boundaries". The corners of a cell
are those of its bounds, if there are any, or lie halfway between the centres of neighbours.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from zarrbrowser.maps.sphere import unit
from zarrcore.typing import AnyArray

_JUMP = 8.0
"""Neighbours this many times further apart than those around them are not neighbours: the grid is cut there."""
_WRAP = 0.3
"""How far the last column may be from where the grid goes on before the first one, in steps."""
_FARTHEST = 3.0
"""Bounds further from the centre than this many diagonals of the cell are not believed."""
_ORDERS = tuple(
    tuple((first + turn * corner) % 4 for corner in (0, 1, 3, 2))
    for first, turn in product(range(4), (1, -1))
)
"""Where the four vertices of CF's bounds may be: they go around the cell, from any corner, either way."""


def edges(positions: AnyArray, length: int) -> AnyArray:
    """The ends of cells around centres, in elements: one more than there are centres, from −½ to ``length`` − ½."""
    return np.concatenate([[-0.5], (positions[1:] + positions[:-1]) / 2, [length - 0.5]])


def cells_of(centres: AnyArray, row_ends: tuple[float, float], column_ends: tuple[float, float]) -> AnyArray:
    """The corners of cells around centres.

    Args:
        centres: unit vectors, shape (rows, columns, 3), at least two of each; NaN where there is no cell.
        row_ends: how far the first and the last row reach outwards, as fractions of the distance to the next row.
        column_ends: likewise.

    Returns:
        float32, shape (rows, columns, 4, 3): top left, top right, bottom left, bottom right; NaN where there is no cell.
    """
    is_known = np.all(np.isfinite(centres), axis=-1)
    down = _linked(centres, is_known)
    right = _linked(centres.swapaxes(0, 1), is_known.T).T
    wide = _continued(centres, row_ends, is_round=False)
    wide = _continued(wide.swapaxes(0, 1), column_ends, is_round=column_ends == (0.5, 0.5)).swapaxes(0, 1)
    corner = unit(wide[:-1, :-1] + wide[:-1, 1:] + wide[1:, :-1] + wide[1:, 1:]).astype(np.float32)
    down = np.pad(np.pad(down, ((1, 1), (0, 0)), mode="edge"), ((0, 0), (1, 1)), mode="edge")
    right = np.pad(np.pad(right, ((0, 0), (1, 1)), mode="edge"), ((1, 1), (0, 0)), mode="edge")
    is_shared = down[:, :-1] & down[:, 1:] & right[:-1] & right[1:]
    corner[~is_shared] = np.nan
    found = np.stack([corner[:-1, :-1], corner[:-1, 1:], corner[1:, :-1], corner[1:, 1:]], axis=2)
    _complete(found, centres, is_known, down[:, 1:-1], right[1:-1])
    found[~np.isfinite(found).all(axis=(2, 3))] = np.nan
    return found


def with_bounds(cells: AnyArray, vertices: AnyArray) -> AnyArray:
    """The cells with the vertices of bounds in place of their corners, where these are known and near.

    Args:
        vertices: unit vectors, shape (rows, columns, 4, 3), in any order around each cell.
    """
    centre = cells.mean(axis=2, keepdims=True)
    reach = np.linalg.norm(cells - centre, axis=-1).max(axis=-1)
    distances = [float(np.nansum((vertices[:, :, list(order)] - cells) ** 2)) for order in _ORDERS]
    order = list(_ORDERS[int(np.argmin(distances))])
    with np.errstate(invalid="ignore"):
        is_near = np.linalg.norm(vertices - centre, axis=-1).max(axis=-1) <= _FARTHEST * 2 * reach
    return np.where(is_near[..., None, None], vertices[:, :, order], cells).astype(np.float32)


def _linked(centres: AnyArray, is_known: AnyArray) -> AnyArray:
    """Whether each row goes on to the next one, shape (rows − 1, columns)."""
    steps = np.linalg.norm(np.diff(centres, axis=0), axis=-1)
    around = np.pad(steps, ((2, 2), (0, 0)), constant_values=np.nan)
    # Two steps on each side: a single misplaced element makes two long steps.
    before, after = np.fmin(around[:-4], around[1:-3]), np.fmin(around[3:-1], around[4:])
    usual = np.fmax(before, after)
    with np.errstate(invalid="ignore"):
        is_jump = steps > _JUMP * np.where(np.isfinite(usual), usual, np.inf)
    found: AnyArray = is_known[1:] & is_known[:-1] & ~is_jump
    return found


def _continued(centres: AnyArray, ends: tuple[float, float], *, is_round: bool) -> AnyArray:
    """The centres with a row more at each end, as far away as the outer cells reach on both sides of their edge."""
    first = centres[0] + 2 * ends[0] * (centres[0] - centres[1])
    last = centres[-1] + 2 * ends[1] * (centres[-1] - centres[-2])
    if is_round and len(centres) > 2:
        step = np.linalg.norm(centres[0] - centres[1], axis=-1)
        with np.errstate(invalid="ignore"):
            meets = np.linalg.norm(first - centres[-1], axis=-1) < _WRAP * step
            meets &= np.linalg.norm(last - centres[0], axis=-1) < _WRAP * step
        first, last = np.where(meets[:, None], centres[-1], first), np.where(meets[:, None], centres[0], last)
    return np.concatenate([first[None], centres, last[None]])


def _complete(
    cells: AnyArray, centres: AnyArray, is_known: AnyArray, down: AnyArray, right: AnyArray
) -> None:
    """Add the corners of cells beside holes and cuts: as far from the centre as the neighbours on the other side are.

    Args:
        down: whether there is a neighbour above each row, and below the last one, shape (rows + 1, columns).
        right: likewise, to the left of each column.
    """
    at, along = np.nonzero(is_known & ~np.isfinite(cells).all(axis=(2, 3)))
    if not at.size:
        return
    rows, columns = is_known.shape
    here = centres[at, along]

    def half(row_step: int, column_step: int, is_linked: AnyArray) -> AnyArray:
        """Half the way to a neighbour; NaN without one."""
        row, column = at + row_step, along + column_step
        inside = is_linked & (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        there = centres[np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)]
        return np.where(inside[:, None], (there - here) / 2, np.nan)

    above, below = half(-1, 0, down[at, along]), half(1, 0, down[at + 1, along])
    left, after = half(0, -1, right[at, along]), half(0, 1, right[at, along + 1])
    for one, other in ((above, below), (left, after)):
        one_known, other_known = np.isfinite(one), np.isfinite(other)
        one[~one_known], other[~other_known] = -other[~one_known], -one[~other_known]
    own = cells[at, along]
    for corner, (vertical, horizontal) in enumerate(product((above, below), (left, after))):
        told = unit(here + vertical + horizontal)
        own[:, corner] = np.where(np.isfinite(own[:, corner]), own[:, corner], told)
    cells[at, along] = own
