"""Where the elements of an image are on Earth.

CF conventions, 4.1 "Latitude Coordinate" and 4.2 "Longitude Coordinate": one-dimensional coordinates, evenly spaced or not. Other
grids have a coordinate reference system (CRS), and an affine transformation to it; pyproj knows their longitudes and latitudes.
CF 5.2 has a longitude and a latitude for each element of a curved grid.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image
from zarrbrowser.maps.curved_coordinates import curved_grid_of
from zarrbrowser.maps.curved_grid import CurvedGrid
from zarrbrowser.maps.sphere import directions
from zarrbrowser.maps.unknown_place import UnknownPlaceError
from zarrcore.installation import how_to_add
from zarrcore.typing import AnyArray

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.conventions import CoordinateReferenceSystem

_log = logging.getLogger(__name__)
_MOST_COORDINATES = 1_000_000
_ANGULAR_CODES = ("EPSG:4326", "EPSG:4258", "EPSG:4269", "OGC:CRS84")
_ANGULAR_WORDS = ("GEOGCS", "GEOGCRS", "GEODCRS", "GEOGRAPHICCRS", "GEODETICCRS")
_WIDEST = 1440.0
"""An array whose longitudes span more than this is not shown as a map."""

Places = tuple[AnyArray, AnyArray]


class Grid(Protocol):
    """From elements to coordinates x and y, and back."""

    def coordinates(self, rows: AnyArray, columns: AnyArray) -> Places:
        """x and y of places on the plane."""

    def places(self, x: AnyArray, y: AnyArray) -> Places:
        """Rows and columns of coordinates; beyond the ends as if the grid went on, or NaN."""


@dataclass(frozen=True, slots=True, eq=False)
class SeparateGrid:
    """A coordinate for each row, and one for each column; both only rise or only fall."""

    y: AnyArray
    """At least two."""
    x: AnyArray

    def coordinates(self, rows: AnyArray, columns: AnyArray) -> Places:
        """x and y of places on the plane."""
        along = (_extended(np.arange(values.size, dtype=np.float64), values) for values in (self.x, self.y))
        return tuple(line(at) for line, at in zip(along, (columns, rows), strict=True))  # type: ignore[return-value]

    def places(self, x: AnyArray, y: AnyArray) -> Places:
        """Rows and columns of coordinates."""
        return _inverse(self.y)(y), _inverse(self.x)(x)


@dataclass(frozen=True, slots=True, eq=False)
class AffineGrid:
    """x = a·column + b·row + c, y = d·column + e·row + f, where (0, 0) is the outer corner of the first element."""

    transform: tuple[float, float, float, float, float, float]

    def coordinates(self, rows: AnyArray, columns: AnyArray) -> Places:
        """x and y of places on the plane."""
        a, b, c, d, e, f = self.transform
        row, column = rows + 0.5, columns + 0.5
        return a * column + b * row + c, d * column + e * row + f

    def places(self, x: AnyArray, y: AnyArray) -> Places:
        """Rows and columns of coordinates."""
        a, b, c, d, e, f = self.transform
        determinant = a * e - b * d
        right, down = x - c, y - f
        return (a * down - d * right) / determinant - 0.5, (e * right - b * down) / determinant - 0.5


@dataclass(frozen=True, slots=True, eq=False)
class PlaneMap:
    """Longitudes and latitudes of a plane, in degrees."""

    height: int
    width: int
    grid: Grid
    is_transposed: bool = False
    """Whether rows and columns of the grid are columns and rows of the picture."""
    transformer: Any = None
    """From the coordinates of the grid to longitudes and latitudes, if they are not these; from pyproj."""
    far: tuple[float, float] = field(default=(0.0, 0.0))
    """The least and the greatest longitude of a grid of longitudes and latitudes."""

    @property
    def size(self) -> tuple[int, int]:
        """Elements down and to the right."""
        return self.height, self.width

    @property
    def is_plain(self) -> bool:
        """Whether each row has one latitude, and each column one longitude."""
        return self.transformer is None and not self.is_curved

    @property
    def proportion(self) -> float | None:
        """The ratio of width to height of an element in degrees; None if elements are of different kinds."""
        if not self.is_plain or not isinstance(self.grid, SeparateGrid):
            return None
        y, x = (abs(one[-1] - one[0]) / (one.size - 1) for one in (self.grid.y, self.grid.x))
        return float(y / x if self.is_transposed else x / y)

    @property
    def is_curved(self) -> bool:
        """Whether each element has its own longitude and latitude."""
        return isinstance(self.grid, CurvedGrid)

    def to_earth(self, rows: AnyArray, columns: AnyArray) -> Places:
        """Longitudes and latitudes of places; not finite where there are none."""
        rows, columns = (columns, rows) if self.is_transposed else (rows, columns)
        x, y = self.grid.coordinates(np.asarray(rows, np.float64), np.asarray(columns, np.float64))
        if self.transformer is None:
            return x, y
        return _transformed(self.transformer, x, y)

    def to_plane(self, longitudes: AnyArray, latitudes: AnyArray) -> Places:
        """Rows and columns of places on Earth; not finite where there are none."""
        x, y = np.asarray(longitudes, np.float64), np.asarray(latitudes, np.float64)
        if self.transformer is not None:
            x, y = _transformed(self.transformer, x, y, direction="INVERSE")
        with np.errstate(invalid="ignore"):
            rows, columns = self.grid.places(x, y)
        return (columns, rows) if self.is_transposed else (rows, columns)

    def degrees_per_element(self, row: float, column: float) -> float:
        """The size of an element, in degrees of a great circle; infinite if it is unknown."""
        rows, columns = np.array([row, row + 1.0, row]), np.array([column, column, column + 1.0])
        here, below, right = directions(*self.to_earth(rows, columns))
        size = math.degrees(max(math.dist(here, below), math.dist(here, right)))
        return size if math.isfinite(size) and size > 0 else math.inf


@dataclass(frozen=True, slots=True, eq=False)
class Geography:
    """Where an image is on Earth."""

    axes: tuple[int, int]
    """The axes of the image that are the rows and the columns of the grid."""
    grid: Grid
    transformer: Any = None
    far: tuple[float, float] = (0.0, 0.0)

    def plane(self, axes: Axes) -> PlaneMap | None:
        """The map of a plane; None if it has other axes."""
        if {axes.rows, axes.columns} != set(self.axes):
            return None
        is_transposed = (axes.rows, axes.columns) != self.axes
        return PlaneMap(axes.height, axes.width, self.grid, is_transposed, self.transformer, self.far)

    def text(self, index: Sequence[int]) -> str:
        """The place of an element of a curved grid, as ``lat 12.5 °N, lon 8 °E``; empty where it has none."""
        if not isinstance(self.grid, CurvedGrid):
            return ""
        at = (np.array([float(index[axis])]) for axis in self.axes)
        east, north = (float(one[0]) for one in self.grid.coordinates(*at))
        return f"lat {north:.7g} °N, lon {east:.7g} °E" if math.isfinite(east) else ""


def geography_of(
    image: Image, find: Callable[[str], Any], cancelled: Callable[[], bool] = lambda: False
) -> Geography:
    """Where an image is on Earth; blocks.

    Args:
        find: the node at an absolute path.

    Raises:
        Cancelled: ``cancelled`` became true.
        UnknownPlaceError: nothing says where it is, or its coordinates cannot be used.
        ZarrError: a coordinate variable cannot be read.
    """
    if image.base.dimension_names:
        known = _of_angles(image, find)
        if known is not None:
            return known
    try:
        return _of_crs(image, find)
    except UnknownPlaceError as error:
        curved = curved_grid_of(image, find, cancelled)
        if curved is None:
            raise
        _log.debug("%s has no other grid than a curved one: %s", image.path, error)
        return Geography(*curved)


def _of_crs(image: Image, find: Callable[[str], Any]) -> Geography:
    """The geography by a coordinate reference system."""
    from zarrcore.conventions import georeference_of  # late: for a fast start

    told = georeference_of(image.base, find)
    names = list(image.base.dimension_names or ())
    if told is None or told.crs is None or told.transform is None or told.dimensions is None:
        raise UnknownPlaceError("")
    if not all(name in names for name in told.dimensions):
        raise UnknownPlaceError("")
    rows, columns = (names.index(name) for name in told.dimensions)
    a, b, _, d, e, _ = told.transform
    if not all(map(math.isfinite, told.transform)) or a * e - b * d == 0:
        raise UnknownPlaceError("No map: the grid of this image has no extent.")
    grid = AffineGrid(told.transform)
    if not _is_angular(told.crs):
        return Geography((rows, columns), grid, _transformer(told.crs))
    height, width = image.base.shape[rows], image.base.shape[columns]
    x, _ = grid.coordinates(
        np.array([0.0, 0.0, height, height]) - 0.5, np.array([0.0, width, 0.0, width]) - 0.5
    )
    return Geography((rows, columns), grid, far=_far(x))


def _of_angles(image: Image, find: Callable[[str], Any]) -> Geography | None:
    """The geography by one-dimensional longitudes and latitudes; None if the image has none."""
    from zarrcore.conventions.cf import find_coordinate, is_latitude, is_longitude  # late: for a fast start

    found: dict[str, tuple[int, Any]] = {}
    for axis, length in enumerate(image.base.shape):
        if not (image.base.dimension_names or ())[axis] or not 1 < length <= _MOST_COORDINATES:
            continue
        node = find_coordinate(image.base, axis, find)
        if node is not None and is_latitude(node):
            found.setdefault("latitude", (axis, node))
        elif node is not None and is_longitude(node):
            found.setdefault("longitude", (axis, node))
    if len(found) < 2:
        return None
    (rows, latitudes), (columns, longitudes) = found["latitude"], found["longitude"]
    y, x = _numbers(latitudes), _numbers(longitudes)
    x = x if _is_monotonic(x) else np.unwrap(x, period=360.0)  # they begin again at 0, or at −180
    for values, name in ((y, "latitudes"), (x, "longitudes")):
        if not _is_monotonic(values):
            raise UnknownPlaceError(f"No map: the {name} of this image neither only rise nor only fall.")
    ends = SeparateGrid(y, x).coordinates(np.array([0.0, 0.0]), np.array([-0.5, x.size - 0.5]))[0]
    return Geography((rows, columns), SeparateGrid(y, x), far=_far(ends))


def _is_monotonic(values: AnyArray) -> bool:
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _numbers(node: Any) -> AnyArray:
    from zarrcore.conventions.cf import coordinate_values  # late: for a fast start

    values, _units = coordinate_values(node)
    numbers: AnyArray = values.astype(np.float64) if values.dtype.kind in "iuf" else np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise UnknownPlaceError(f"No map: some of the coordinates in {node.path} are missing.")
    return numbers


def _far(longitudes: AnyArray) -> tuple[float, float]:
    west, east = float(longitudes.min()), float(longitudes.max())
    if not east - west <= _WIDEST or max(abs(west), abs(east)) > _WIDEST:
        raise UnknownPlaceError("No map: the longitudes of this image go around the Earth several times.")
    return west, east


def _is_angular(crs: CoordinateReferenceSystem) -> bool:
    """Whether the coordinates of a CRS are longitudes and latitudes."""
    word = crs.wkt.lstrip().partition("[")[0].strip().upper()
    return (
        word in _ANGULAR_WORDS
        or (not word and crs.code.upper() in _ANGULAR_CODES)
        or (not word and crs.projjson.get("type") in ("GeographicCRS", "GeodeticCRS"))
        or (not word and crs.parameters.get("grid_mapping_name") == "latitude_longitude")
    )


def _transformer(crs: CoordinateReferenceSystem) -> Any:
    """From the coordinates of a CRS to longitudes and latitudes."""
    try:
        from pyproj import CRS, Transformer
        from pyproj.exceptions import ProjError
    except ImportError:
        text = f"Maps of projected coordinates need the package pyproj: {how_to_add('gis')}"
        raise UnknownPlaceError(text) from None
    try:
        text = crs.input_text()
        known = CRS.from_user_input(text) if text else CRS.from_cf(dict(crs.parameters))
        return Transformer.from_crs(known, "OGC:CRS84", always_xy=True)
    except (AttributeError, KeyError, ProjError, TypeError, ValueError):  # attributes may be anything
        raise UnknownPlaceError(
            "No map: PROJ does not know the coordinate reference system of this image."
        ) from None


def _transformed(transformer: Any, x: AnyArray, y: AnyArray, **options: Any) -> Places:
    # pyproj before 3.8 takes an array of one element for a number, of which NumPy warns, and returns a number.
    given = (x.item(), y.item()) if x.size == 1 else (x, y)
    first, second = transformer.transform(*given, **options)
    return np.reshape(first, x.shape), np.reshape(second, y.shape)


def _extended(at: AnyArray, values: AnyArray) -> Callable[[AnyArray], AnyArray]:
    """Linear interpolation, continued beyond the ends.

    Args:
        at: rising.
    """
    first = (values[1] - values[0]) / (at[1] - at[0])
    last = (values[-1] - values[-2]) / (at[-1] - at[-2])

    def line(where: AnyArray) -> AnyArray:
        inside = np.interp(where, at, values)
        below, above = np.minimum(where - at[0], 0), np.maximum(where - at[-1], 0)
        found: AnyArray = inside + below * first + above * last
        return found

    return line


def _inverse(values: AnyArray) -> Callable[[AnyArray], AnyArray]:
    """From coordinates to positions."""
    positions = np.arange(values.size, dtype=np.float64)
    return (
        _extended(values, positions) if values[-1] > values[0] else _extended(values[::-1], positions[::-1])
    )
