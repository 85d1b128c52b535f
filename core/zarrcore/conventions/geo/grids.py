"""Grids that follow from coordinate variables: evenly spaced x and y, or latitude and longitude."""

from __future__ import annotations

from typing import Any, Final

from zarrcore.conventions.cf.coordinates import coordinate_values, even_spacing, find_coordinate
from zarrcore.conventions.cf.grid_mapping import plane_dimensions
from zarrcore.conventions.geo.linear_units import factor_to
from zarrcore.conventions.georeference import CoordinateReferenceSystem, Georeference, bounds_of
from zarrcore.conventions.interface import Find
from zarrcore.conventions.units import LATITUDES
from zarrcore.errors import ReadCancelledError

_MOST_COORDINATES: Final = 1_000_000
GEOGRAPHIC: Final = CoordinateReferenceSystem("EPSG:4326")
"""What latitudes and longitudes without a datum are taken for, as GDAL does."""


def grid_of_coordinates(
    array: Any, find: Find, crs: CoordinateReferenceSystem | None = None
) -> Georeference | None:
    """The grid of the coordinate variables of an array's rows and columns; None if they are not evenly spaced.

    Latitudes and longitudes have the CRS EPSG:4326; other coordinates do not state one.

    Args:
        array: the array.
        find: returns the node at an absolute path.
        crs: the CRS of the array, if it is known from elsewhere; the grid is in its unit.

    Raises:
        ZarrError: a coordinate variable cannot be read.
    """
    dimensions = plane_dimensions(array)
    if dimensions is None:
        return None
    names = list(array.dimension_names)
    lines = []
    is_geographic = False
    for name in dimensions:
        axis = names.index(name)
        coordinate = find_coordinate(array, axis, find)
        if coordinate is None or not 1 < array.shape[axis] <= _MOST_COORDINATES:
            return None
        try:
            values, units = coordinate_values(coordinate)
        except ReadCancelledError:  # the caller wants metadata only
            return None
        is_geographic |= units in LATITUDES
        line, factor = even_spacing(values), 1.0 if crs is None else factor_to(crs, units)
        if line is None or factor is None:
            return None
        lines.append((line[0] * factor, line[1] * factor))
    (y, down), (x, right) = lines
    transform = (right, 0.0, x - right / 2, 0.0, down, y - down / 2)
    rows, columns = (array.shape[names.index(name)] for name in dimensions)
    return Georeference(
        GEOGRAPHIC if is_geographic else None, transform, bounds_of(transform, rows, columns), dimensions
    )
