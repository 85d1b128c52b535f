"""Map projections: which there are, and a picture of a plane in one of them. They need the package pyproj."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.geography import AffineGrid, PlaneMap
from zarrbrowser.maps.projection import Projection
from zarrbrowser.nodes.read_cost import Cancelled
from zarrcore.typing import AnyArray

_RADIUS = "+R=6371000"
_CELLS = 2000
"""Elements along the longer side of a projected map."""
_SAMPLES = 121
_WHOLE = 359.9
"""A grid of longitudes that spans this much goes around the Earth."""
_GAP = 10.0
"""Samples of a curved grid whose longitudes have no wider gap go around the Earth, in degrees."""
_LOOKS = 11
"""Places per side of a view where its middle is looked for: odd."""
_BAND = 2**16
"""Pixels whose elements are found at once."""
_CLOSE_M = 1000.0
"""How far a place may be from where it was, after a projection and back."""
_HIGHEST = 85.0
"""Latitudes up to which Mercator's projection is drawn."""
_LOWEST = 30.0
"""Latitudes down to which polar maps are drawn."""
_BEYOND = 10.0
"""Latitudes beyond the equator up to which conic maps are drawn."""
_APART = 15.0
"""Degrees from the centre of a conic map to its two standard parallels."""
_CONES = (30.0, 60.0)
"""The least and the greatest latitude between the standard parallels."""


def is_available() -> bool:
    """Whether pyproj is installed."""
    try:
        return importlib.util.find_spec("pyproj") is not None
    except (ImportError, ValueError):
        return False


def _definition(projection: Projection, longitude: float, latitude: float) -> str:
    """The projection in PROJ's words, centred on a place."""
    side = -1.0 if latitude < 0 else 1.0  # a cone belongs to one hemisphere
    middle = min(max(side * latitude, _CONES[0]), _CONES[1])  # flatter or steeper cones show little else
    parallels = [side * (middle + step) for step in (-_APART, _APART)]
    cone = f"+lat_1={parallels[0]:.6f} +lat_2={parallels[1]:.6f} +lat_0={latitude:.6f}"
    centre = f"+lon_0={longitude:.6f} {_RADIUS}"
    return {
        Projection.PLATE_CARREE: f"+proj=eqc {centre}",
        Projection.ROBINSON: f"+proj=robin {centre}",
        Projection.MOLLWEIDE: f"+proj=moll {centre}",
        Projection.ORTHOGRAPHIC: f"+proj=ortho +lat_0={latitude:.6f} {centre}",
        Projection.NORTH: f"+proj=stere +lat_0=90 {centre}",
        Projection.SOUTH: f"+proj=stere +lat_0=-90 {centre}",
        Projection.MERCATOR: f"+proj=merc {centre}",
        Projection.LAMBERT: f"+proj=lcc {cone} {centre}",
        Projection.ALBERS: f"+proj=aea {cone} {centre}",
    }[projection]


def projected(projection: Projection, plane: PlaneMap, longitude: float, latitude: float) -> PlaneMap:
    """A map in a projection that shows the parts of a plane that it can; its elements are squares.

    Args:
        longitude: the centre of the map.
        latitude: likewise, for orthographic and conic maps.

    Raises:
        ValueError: the projection shows nothing of the plane.
    """
    from pyproj import CRS, Transformer  # late: it is optional

    crs = CRS.from_proj4(_definition(projection, longitude, latitude))
    transformer = Transformer.from_crs(crs, CRS.from_proj4(f"+proj=longlat {_RADIUS}"), always_xy=True)
    rows, columns = np.meshgrid(
        np.linspace(-0.5, plane.height - 0.5, _SAMPLES), np.linspace(-0.5, plane.width - 0.5, _SAMPLES)
    )
    east, north = plane.to_earth(rows.ravel(), columns.ravel())
    if plane.is_curved:
        east, north = _with_poles(plane, east, north)
    if _goes_round(plane, east):
        # Both edges of the map, which are the same meridian.
        sides = np.repeat([longitude - 180.0 + 1e-6, longitude + 180.0 - 1e-6], _SAMPLES)
        east = np.append(east, sides)
        ends = float(np.nanmin(north)), float(np.nanmax(north))
        north = np.append(north, np.tile(np.linspace(*ends, _SAMPLES), 2))
    hemisphere = (-90.0, _BEYOND) if latitude < 0 else (-_BEYOND, 90.0)
    low, high = {
        Projection.NORTH: (_LOWEST, 90.0),
        Projection.SOUTH: (-90.0, -_LOWEST),
        Projection.MERCATOR: (-_HIGHEST, _HIGHEST),
        Projection.LAMBERT: hemisphere,
        Projection.ALBERS: hemisphere,
    }.get(projection, (-90.0, 90.0))
    with np.errstate(invalid="ignore"):
        north = np.clip(north, -90.0, 90.0)  # the outer edge of an element at a pole is beyond it
        known = np.isfinite(east) & (north >= low - 1e-9) & (north <= high + 1e-9)
        if low > -90 or high < 90:
            known |= np.isfinite(east) & (north < low) & (north >= low - 180.0 / _SAMPLES) & (low > -90)
            known |= np.isfinite(east) & (north > high) & (north <= high + 180.0 / _SAMPLES) & (high < 90)
            north = np.clip(north, low, high)
    x, y = map(np.asarray, transformer.transform(east[known], north[known], direction="INVERSE"))
    x, y = x[np.isfinite(x) & np.isfinite(y)], y[np.isfinite(x) & np.isfinite(y)]
    if x.size < 2 or not (np.ptp(x) > 0 and np.ptp(y) > 0):
        raise ValueError(f"{projection.value} maps do not show this part of the Earth.")
    cell = float(max(np.ptp(x), np.ptp(y))) / _CELLS
    grid = AffineGrid((cell, 0.0, float(x.min()), 0.0, -cell, float(y.max())))
    height, width = math.ceil(float(np.ptp(y)) / cell), math.ceil(float(np.ptp(x)) / cell)
    return PlaneMap(max(1, height), max(1, width), grid, transformer=transformer)


def _with_poles(plane: PlaneMap, east: AnyArray, north: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Places of a curved grid, and the poles that are in its cells: samples are only near them."""
    poles = np.array([-90.0, 90.0])
    has = np.isfinite(plane.to_plane(np.zeros(2), poles)[0])
    return np.append(east, np.zeros(2)[has]), np.append(north, poles[has])


def _goes_round(plane: PlaneMap, east: AnyArray) -> bool:
    """Whether a plane goes around the Earth.

    Args:
        east: longitudes of samples of it.
    """
    if not plane.is_curved:
        return plane.is_plain and plane.far[1] - plane.far[0] >= _WHOLE
    ordered = np.sort(east[np.isfinite(east)] % 360.0)
    return ordered.size > 0 and bool(np.diff(np.append(ordered, ordered[0] + 360.0)).max() <= _GAP)


def middle_of(plane: PlaneMap, view: View) -> tuple[float, float]:
    """The longitude and the latitude in the middle of a view of a plane, or of the nearest place to it that has some."""
    ends = (
        (max(seen[0], -0.5), min(seen[1], length - 0.5))
        for seen, length in ((view.rows, plane.height), (view.columns, plane.width))
    )
    rows, columns = (np.linspace(low, high, _LOOKS) for low, high in ends)
    down, along = (one.ravel() for one in np.meshgrid(rows, columns, indexing="ij"))
    east, north = plane.to_earth(down, along)
    away = np.hypot(*(np.linspace(-1, 1, _LOOKS)[one] for one in np.divmod(np.arange(down.size), _LOOKS)))
    away[~(np.isfinite(east) & np.isfinite(north))] = np.inf
    nearest = int(np.argmin(away))
    return (float(east[nearest]), float(north[nearest])) if np.isfinite(away[nearest]) else (0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """Which element of a plane each pixel of a projected map shows."""

    rect: tuple[float, float, float, float]
    """The part of the map: top, left, bottom, right."""
    rows: AnyArray
    """In elements of the plane, shape (pixels down, pixels to the right); NaN where there are none."""
    columns: AnyArray

    def box(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """The rows and the columns of the plane that are shown; None if none are."""
        if not np.isfinite(self.rows).any():
            return None
        return (
            (float(np.nanmin(self.rows)), float(np.nanmax(self.rows))),
            (float(np.nanmin(self.columns)), float(np.nanmax(self.columns))),
        )

    def picture(
        self, colours: NDArray[np.uint8], rect: tuple[float, float, float, float]
    ) -> NDArray[np.uint8]:
        """The nearest colours, shape (pixels down, pixels to the right, 4); transparent where there are none.

        Args:
            colours: of a part of the plane, shape (h, w, 4).
            rect: that part: top, left, bottom, right.
        """
        height, width = colours.shape[:2]
        top, left, bottom, right = rect
        with np.errstate(invalid="ignore"):
            down = np.floor((self.rows - top) / (bottom - top) * height)
            along = np.floor((self.columns - left) / (right - left) * width)
            inside = (down >= 0) & (down < height) & (along >= 0) & (along < width)
        found = np.zeros((*self.rows.shape, 4), np.uint8)
        found[inside] = colours[down[inside].astype(np.int64), along[inside].astype(np.int64)]
        return found


def sampling(
    chart: PlaneMap, plane: PlaneMap, view: View, cancelled: Callable[[], bool] = lambda: False
) -> Sampling | None:
    """Which elements of a plane the pixels of a view of a projected map show; None if the map is out of view.

    Raises:
        Cancelled: ``cancelled`` became true.
    """
    top, bottom = max(view.rows[0], -0.5), min(view.rows[1], chart.height - 0.5)
    left, right = max(view.columns[0], -0.5), min(view.columns[1], chart.width - 0.5)
    if not (bottom > top and right > left):
        return None
    down = max(1, round((bottom - top) / max(view.density(0), 1e-12)))
    along = max(1, round((right - left) / max(view.density(1), 1e-12)))
    at_rows = top + (np.arange(down) + 0.5) * (bottom - top) / down
    at_columns = left + (np.arange(along) + 0.5) * (right - left) / along
    found = np.empty((2, down, along))
    band = max(1, _BAND // along)
    for start in range(0, down, band):
        if cancelled():
            raise Cancelled
        part = at_rows[start : start + band]
        rows, columns = (one.ravel() for one in np.meshgrid(part, at_columns, indexing="ij"))
        found[:, start : start + band] = np.reshape(
            places(chart, plane, rows, columns), (2, part.size, along)
        )
    return Sampling((top, left, bottom, right), found[0], found[1])


def places(chart: PlaneMap, plane: PlaneMap, rows: AnyArray, columns: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Rows and columns of a plane at places of a projected map; NaN where the map or the plane has none."""
    east, north = chart.to_earth(rows, columns)
    known = np.isfinite(east) & np.isfinite(north)
    # Beyond its edge, a map of the world would show some places again.
    back = chart.to_plane(np.where(known, east, 0.0), np.where(known, north, 0.0))
    assert isinstance(chart.grid, AffineGrid)  # noqa: S101 - as `projected` makes it
    close = _CLOSE_M / chart.grid.transform[0]
    with np.errstate(invalid="ignore"):
        known &= np.hypot(back[0] - rows, back[1] - columns) <= close
    if plane.is_plain:
        west = plane.far[0]
        with np.errstate(invalid="ignore"):
            east = west + (east - west) % 360.0
    found = [np.asarray(one, np.float64) for one in plane.to_plane(east, north)]
    with np.errstate(invalid="ignore"):
        for one, length in zip(found, (plane.height, plane.width), strict=True):
            known &= (one >= -0.5) & (one <= length - 0.5)
    return np.where(known, found[0], np.nan), np.where(known, found[1], np.nan)
