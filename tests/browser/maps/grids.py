"""Curved grids: a turned one, a tripolar one as of ocean models, and the cells of a place by brute force."""

from __future__ import annotations

import numpy as np

from zarrbrowser.maps.sphere import angles, directions


def turned(rows: int, columns: int, tilt: float = 30.0) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes of a grid of the whole Earth whose poles lie elsewhere."""
    north = (np.arange(rows) + 0.5) / rows * 180 - 90
    east = np.arange(columns) / columns * 360
    there = directions(*np.meshgrid(east, north))
    angle = np.radians(tilt)
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    return angles(there @ turn.T)


def tripolar(
    columns: int = 120, south: int = 70, cap: int = 25, halo: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes of a grid with parallels up to 60°N, and two poles there: rows meet in a fold between them.

    In the stereographic plane, a logarithm maps the disc within 60°N to a strip, whose middle is the fold.
    """
    theta = (np.arange(columns) + 0.5) / columns * 2 * np.pi - np.pi
    lower = -80 + (np.arange(south) + 0.5) / south * 140
    rows = [(np.degrees(theta), np.full(columns, north)) for north in lower]
    for t in (np.arange(cap) + 0.5) / cap:
        strip = np.log(1 / np.tan(np.abs(theta) / 2)) + 1j * np.sign(theta) * np.pi / 2 * (1 - t)
        disc = np.tanh(strip / 2) * np.tan(np.radians(15.0))
        rows.append((np.degrees(np.angle(disc)), 90 - 2 * np.degrees(np.arctan(np.abs(disc)))))
    east, north = (np.stack([row[at] for row in rows]) for at in (0, 1))
    if halo:  # the first columns again, as NEMO has them
        east, north = (np.concatenate([one, one[:, :halo]], axis=1) for one in (east, north))
    return (east + 33) % 360, north  # the seam is at 0, amid the columns


def cells_with(cells: np.ndarray, place: np.ndarray, within: float = 0.0) -> set[tuple[int, int]]:
    """The cells with a place in them: it is on the same side of their four edges.

    Args:
        cells: shape (rows, columns, 4, 3).
        place: a unit vector.
        within: how far outside it may be.
    """
    around = cells[:, :, [0, 1, 3, 2]].astype(np.float64)
    normals = np.cross(around, np.roll(around, -1, axis=2))
    with np.errstate(invalid="ignore", divide="ignore"):
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        sides = normals @ place
        found = (sides >= -within).all(axis=2) | (sides <= within).all(axis=2)
        found &= around.mean(axis=2) @ place > 0.1
    return set(zip(*(one.tolist() for one in np.nonzero(found)), strict=True))
