"""Coordinates in other units than those of their CRS: kilometres, and the angles that a geostationary satellite sees.

CF conventions, appendix F, "Geostationary projection": coordinates are angles in radians; PROJ has their product with the height
of the satellite.
"""

from __future__ import annotations

import re
from typing import Final

from zarrcore.conventions.georeference import CoordinateReferenceSystem
from zarrcore.conventions.units import is_length, power_of_ten
from zarrcore.conventions.values import mapping, number, text

_UNITS: Final = re.compile(r'\b(?:LENGTHUNIT|UNIT)\s*\[\s*"[^"]*"\s*,\s*([-+.\deE]+)')
_HEIGHT: Final = re.compile(r'"satellite[ _]height"\s*,\s*([-+.\deE]+)', re.IGNORECASE)
_RADIANS: Final = ("rad", "radian", "radians")
_KILOMETRE: Final = 1000.0


def factor_to(crs: CoordinateReferenceSystem, units: str) -> float | None:
    """The factor from coordinates in some unit to those of a CRS; None if it is unknown.

    >>> factor_to(CoordinateReferenceSystem("EPSG:3035"), "km")
    1000.0
    >>> factor_to(CoordinateReferenceSystem(parameters={"perspective_point_height": 35786023.0}), "rad")
    35786023.0
    """
    if units in _RADIANS:
        height = number(crs.parameters.get("perspective_point_height")) or _first(_HEIGHT.findall(crs.wkt))
        return None if height is None else height / _metres(crs)
    return 10.0 ** power_of_ten(units) / _metres(crs) if is_length(units) else 1.0


def _metres(crs: CoordinateReferenceSystem) -> float:
    """The unit of a projected CRS, in metres."""
    # The last unit in well-known text is that of the coordinates, after those of the datum and the parameters.
    told = _first(_UNITS.findall(crs.wkt)[-1:])
    if told is not None:
        return told
    unit = mapping(crs.projjson.get("coordinate_system")).get("axis")
    for axis in unit if isinstance(unit, list) else ():
        given = mapping(axis).get("unit")
        factor = number(mapping(given).get("conversion_factor"))
        if factor is not None or text(given) == "kilometre":
            return factor or _KILOMETRE
    return 1.0


def _first(numbers: list[str]) -> float | None:
    """The first number that is above 0."""
    try:
        return next((value for value in map(float, numbers) if value > 0), None)
    except ValueError:
        return None
