"""The CRS and the grid of a variable: grid mappings of CF, as xarray, rioxarray and GDAL write them.

CF conventions, 5.6 "Horizontal Coordinate Reference Systems, Grid Mappings, and Projections". rioxarray and GDAL add
``spatial_ref`` and ``GeoTransform`` to the grid mapping.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from zarrcore.conventions.georeference import Affine, CoordinateReferenceSystem, Georeference, bounds_of
from zarrcore.conventions.interface import Find
from zarrcore.conventions.values import mapping, numbers, text
from zarrcore.errors import NodeNotFoundError

_LAST_ID: Final = re.compile(r'(?:AUTHORITY|ID)\s*\[\s*"([A-Za-z]+)"\s*,\s*"?(\w+)"?\s*\]\s*\]\s*$')
_ROWS: Final = ("y", "lat", "latitude", "northing", "nlat", "rlat")
_COLUMNS: Final = ("x", "lon", "longitude", "easting", "nlon", "rlon")


def cf_georeference(array: Any, find: Find) -> Georeference | None:
    """The georeference that the grid mapping of an array states; None if it has none.

    Raises:
        StoreError: the store failed.
    """
    parent = array.path.rpartition("/")[0]
    name = text(array.attributes.get("grid_mapping")).partition(":")[0].split(" ")[0]
    try:
        attributes: Mapping[str, Any] = find(f"{parent}/{name}").attributes if name else {}
    except NodeNotFoundError:
        attributes = {}
    crs = grid_mapping_crs(attributes)
    transform = geo_transform(attributes.get("GeoTransform"))
    if crs is None and transform is None:
        return None
    dimensions = plane_dimensions(array)
    if transform is None or dimensions is None:
        return Georeference(crs, transform, None, dimensions)
    rows, columns = (array.shape[array.dimension_names.index(one)] for one in dimensions)
    return Georeference(crs, transform, bounds_of(transform, rows, columns), dimensions)


def grid_mapping_crs(attributes: Mapping[str, Any]) -> CoordinateReferenceSystem | None:
    """The CRS of a grid mapping with these attributes."""
    wkt = text(attributes.get("crs_wkt")) or text(attributes.get("spatial_ref"))
    code = text(attributes.get("epsg_code")) or text(attributes.get("proj:code"))
    code = f"EPSG:{code}" if code.isdecimal() else code or code_in_wkt(wkt)
    projjson = mapping(attributes.get("projjson"))
    named = bool(text(attributes.get("grid_mapping_name")))
    if not (wkt or code or projjson or named):
        return None
    return CoordinateReferenceSystem(code, wkt, projjson, {} if wkt else dict(attributes))


def code_in_wkt(wkt: str) -> str:
    """The code of the CRS as a whole, which is the last item of well-known text; empty if it has none.

    >>> code_in_wkt('GEOGCS["WGS 84",DATUM["d",AUTHORITY["EPSG","6326"]],AUTHORITY["EPSG","4326"]]')
    'EPSG:4326'
    """
    match = _LAST_ID.search(wkt)
    return f"{match[1]}:{match[2]}" if match else ""


def geo_transform(told: Any) -> Affine | None:
    """GDAL's order, ``c a b f d e``, as a text or a list.

    >>> geo_transform("500000 10 0 4600000 0 -10")
    (10.0, 0.0, 500000.0, 0.0, -10.0, 4600000.0)
    """
    if isinstance(told, str):
        try:
            told = [float(part) for part in told.split()]
        except ValueError:
            return None
    found = numbers(told, 6)
    if found is None:
        return None
    c, a, b, f, d, e = found
    return a, b, c, d, e, f


def plane_dimensions(array: Any) -> tuple[str, str] | None:
    """The names of the dimensions of rows and columns, if they are named as such."""
    names = [name or "" for name in array.dimension_names or ()]
    if len(names) < 2:
        return None
    rows = next((name for name in names if name.lower() in _ROWS), None)
    columns = next((name for name in names if name.lower() in _COLUMNS), None)
    return (rows, columns) if rows and columns else None
