"""Georeferences in attributes: the conventions ``proj:`` and ``spatial:``, and STAC's projection extension.

Specifications: https://github.com/zarr-conventions/proj (version 1), https://github.com/zarr-conventions/spatial (version 1),
https://github.com/stac-extensions/projection, which EOPF products and earlier drafts of GeoZarr use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zarrcore.conventions.cf.grid_mapping import plane_dimensions
from zarrcore.conventions.georeference import (
    Affine,
    Bounds,
    CoordinateReferenceSystem,
    Georeference,
    bounds_of,
)
from zarrcore.conventions.values import items, mapping, numbers, text


def stated_crs(attributes: Mapping[str, Any]) -> CoordinateReferenceSystem | None:
    """The CRS that attributes state; None if they state none.

    >>> stated_crs({"proj:code": "EPSG:3857"}).code, stated_crs({"proj:epsg": 32633}).code
    ('EPSG:3857', 'EPSG:32633')
    """
    epsg = attributes.get("proj:epsg")
    code = text(attributes.get("proj:code"))
    if not code and isinstance(epsg, int) and not isinstance(epsg, bool):
        code = f"EPSG:{epsg}"
    wkt = text(attributes.get("proj:wkt2"))
    projjson = mapping(attributes.get("proj:projjson"))
    return CoordinateReferenceSystem(code, wkt, projjson) if code or wkt or projjson else None


def stated_transform(attributes: Mapping[str, Any]) -> Affine | None:
    """The grid that attributes state, from the outer corner of the first cell."""
    if text(attributes.get("spatial:transform_type")) not in ("", "affine"):
        return None
    told = numbers(attributes.get("spatial:transform"), 6)
    if told is None:
        rows = numbers(attributes.get("proj:transform"))
        told = rows[:6] if rows is not None and len(rows) in (6, 9) else None
    if told is None:
        return None
    a, b, c, d, e, f = told
    if attributes.get("spatial:registration") == "node":  # (0, 0) is the centre of the first cell
        c, f = c - (a + b) / 2, f - (d + e) / 2
    return a, b, c, d, e, f


def stated_dimensions(attributes: Mapping[str, Any], names: Sequence[str | None]) -> tuple[str, str] | None:
    """The dimensions of rows and columns that attributes state, if the array has them."""
    told = items(attributes.get("spatial:dimensions"))[-2:]
    if len(told) != 2 or not all(isinstance(name, str) for name in told):
        return None
    # Datasets name their dimensions in lower case where the examples of the convention have capitals.
    known = {name.lower(): name for name in names if name}
    rows, columns = (known.get(name.lower()) for name in told)
    return (rows, columns) if rows is not None and columns is not None else None


def stated_georeference(array: Any, places: Sequence[Mapping[str, Any]]) -> Georeference | None:
    """The georeference of an array; None if nothing is stated.

    Args:
        array: the array.
        places: attributes that apply to it, those that count most first.
    """
    names = array.dimension_names or ()
    crs = next((one for one in map(stated_crs, places) if one is not None), None)
    transform = next((one for one in map(stated_transform, places) if one is not None), None)
    if crs is None and transform is None:
        return None
    told = (stated_dimensions(place, names) for place in places)
    dimensions = next(filter(None, told), None) or plane_dimensions(array)
    return Georeference(crs, transform, _bounds(array, places, transform, dimensions), dimensions)


def _bounds(
    array: Any,
    places: Sequence[Mapping[str, Any]],
    transform: Affine | None,
    dimensions: tuple[str, str] | None,
) -> Bounds | None:
    if transform is not None and dimensions is not None:
        names = list(array.dimension_names)
        rows, columns = (array.shape[names.index(name)] for name in dimensions)
        return bounds_of(transform, rows, columns)
    for place in places:
        for name in ("spatial:bbox", "proj:bbox"):
            told = numbers(place.get(name), 4)
            if told is not None:
                return told[0], told[1], told[2], told[3]
    return None
