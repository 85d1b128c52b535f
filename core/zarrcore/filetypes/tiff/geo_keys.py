"""Where an image is on Earth, as tags of GeoTIFF.

Specification: OGC 19-008r4, "OGC GeoTIFF Standard", 1.1. The CRS is a code of EPSG where one is known. GeoTIFF cannot express
most others; GDAL, and programs that use it, read them from well-known text behind ``ESRI PE String``.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Final

from zarrcore.conventions import CoordinateReferenceSystem
from zarrcore.conventions.georeference import Affine
from zarrcore.filetypes.tiff.directories import Entry, ascii_text, doubles, shorts
from zarrcore.late_imports import imported

_PIXEL_SCALE, _TIE_POINT, _TRANSFORMATION, _KEYS, _TEXTS = 33550, 33922, 34264, 34735, 34737
_MODEL_TYPE, _RASTER_TYPE, _CITATION, _GEOGRAPHIC, _PROJECTED, _PROJECTED_CITATION = (
    1024,
    1025,
    1026,
    2048,
    3072,
    3073,
)
_IS_PROJECTED, _IS_GEOGRAPHIC, _IS_OTHER = 1, 2, 32767
_IS_AREA: Final = 1
_WELL_KNOWN_TEXT: Final = "ESRI PE String = "
_EPSG: Final = re.compile(r"(?:urn:ogc:def:crs:)?EPSG:(?:[\d.]*:)?(\d+)", re.IGNORECASE)
_CODES: Final = range(1024, 32767)
"""The codes of EPSG that a key can have."""
_GEOGRAPHIC_CODES: Final = frozenset({4167, 4258, 4267, 4269, 4283, 4326, 4490, 4612, 4674, 6318, 7844})
"""Codes in frequent use. GDAL reads the code of any CRS as that of a projected one, but not the reverse."""
_GEOGRAPHIC_WORDS: Final = ("GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS")
_SAME_AS_4326: Final = ("OGC:CRS84", "CRS84", "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:OGC::CRS84")
"""Longitude before latitude, as always in GeoTIFF."""


def geo_entries(crs: CoordinateReferenceSystem | None, transform: Affine | None) -> list[Entry]:
    """The tags for a CRS and a grid.

    Args:
        crs: the CRS, as `resolved`.
        transform: as `Georeference.transform`.
    """
    entries = []
    if transform is not None:
        a, b, c, d, e, f = transform
        if b == d == 0 and a > 0 > e:
            entries += [doubles(_PIXEL_SCALE, a, -e, 0), doubles(_TIE_POINT, 0, 0, 0, c, f, 0)]
        else:
            entries.append(doubles(_TRANSFORMATION, a, b, 0, c, d, e, 0, f, 0, 0, 0, 0, 0, 0, 0, 1))
    if transform is None and crs is None:
        return entries
    keys, text = _crs_keys(crs)
    keys[_RASTER_TYPE] = 0, 1, _IS_AREA
    rows = [number for key in sorted(keys) for number in (key, *keys[key])]
    entries.append(shorts(_KEYS, 1, 1, 0, len(keys), *rows))
    if text:
        entries.append(ascii_text(_TEXTS, text))
    return entries


def _crs_keys(crs: CoordinateReferenceSystem | None) -> tuple[dict[int, tuple[int, int, int]], str]:
    """The keys of a CRS (where the value is, how many values, value), and the text that they refer to."""
    if crs is None:
        return {}, ""
    code = epsg_code(crs)
    if code is not None:
        model, key = (
            (_IS_GEOGRAPHIC, _GEOGRAPHIC) if _is_geographic(crs, code) else (_IS_PROJECTED, _PROJECTED)
        )
        return {_MODEL_TYPE: (0, 1, model), key: (0, 1, code)}, ""
    key, text = (_PROJECTED_CITATION, _WELL_KNOWN_TEXT + crs.wkt) if crs.wkt else (_CITATION, crs.title)
    # A vertical bar ends a text.
    text = text.replace("|", "/") + "|"
    return {_MODEL_TYPE: (0, 1, _IS_OTHER), key: (_TEXTS, len(text), 0)}, text


def epsg_code(crs: CoordinateReferenceSystem) -> int | None:
    """The code of a CRS in the registry of EPSG; None if it is unknown.

    >>> [epsg_code(CoordinateReferenceSystem(code)) for code in ("EPSG:32633", "urn:ogc:def:crs:EPSG::4326", "ESRI:102008")]
    [32633, 4326, None]
    """
    if crs.code in _SAME_AS_4326:
        return 4326
    found = _EPSG.fullmatch(crs.code)
    if found is None:
        return None
    code = int(found[1])
    return code if code in _CODES else None


def crs_text(crs: CoordinateReferenceSystem) -> str:
    """A CRS, as `resolved`, in a text that GDAL reads; empty if there is none."""
    code = epsg_code(crs)
    return f"EPSG:{code}" if code is not None else crs.wkt or crs.input_text()


def _is_geographic(crs: CoordinateReferenceSystem, code: int) -> bool:
    word = re.match(r"\w*", crs.wkt.lstrip())
    if crs.wkt and word is not None:
        return word[0].upper() in _GEOGRAPHIC_WORDS
    return crs.projjson.get("type") in ("GeographicCRS", "GeodeticCRS") or code in _GEOGRAPHIC_CODES


def resolved(crs: CoordinateReferenceSystem) -> CoordinateReferenceSystem:
    """The same CRS with a code of EPSG or with well-known text, if the metadata have it or pyproj can find it.

    The package pyproj is optional: without it, PROJJSON, parameters of CF and codes of other registries stay as they are.
    """
    if epsg_code(crs) is not None:
        return crs
    identifier = crs.projjson.get("id")
    if isinstance(identifier, dict):
        named = replace(crs, code=f"{identifier.get('authority')}:{identifier.get('code')}")
        if epsg_code(named) is not None:
            return named
    if crs.wkt:
        return crs
    try:
        imported("pyproj")
        from pyproj import CRS
        from pyproj.exceptions import CRSError
    except ImportError:
        return crs
    try:
        text = crs.code or (json.dumps(dict(crs.projjson)) if crs.projjson else "")
        found = CRS.from_user_input(text) if text else CRS.from_cf(dict(crs.parameters))
        return replace(crs, wkt=found.to_wkt())
    except (AttributeError, CRSError, KeyError, TypeError, ValueError):  # attributes may be anything
        return crs


def is_usable(transform: Affine) -> bool:
    """Whether a grid has an extent in both directions."""
    a, b, _, d, e, _ = transform
    return all(map(math.isfinite, transform)) and a * e - b * d != 0
