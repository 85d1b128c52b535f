"""Tags and other metadata of a file as attributes: JSON values of limited size."""

from __future__ import annotations

import base64
import contextlib
import enum
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from types import UnionType
from typing import Any, Final

import numpy as np

from zarrcore.stores.virtual.missing_float import missing_float

_MAX_TEXT: Final = 1 << 16
_MAX_NUMBERS: Final = 4096
_MAX_DEPTH: Final = 12
_GDAL_METADATA: Final = 42112
_SYSTEMS: Final = ("ProjectedCSTypeGeoKey", "GeographicTypeGeoKey")
_NAMED: Final = {
    270: "description",
    271: "make",
    272: "model",
    285: "page_name",
    305: "software",
    306: "datetime",
    315: "artist",
    316: "host_computer",
    33432: "copyright",
}


def shown(value: Any, depth: int = 0) -> Any:
    """A value of tifffile as JSON; None for one that is too large, or that has no counterpart.

    >>> shown((1, 2.5, "a", b"\\0")), shown(float("nan"))
    ([1, 2.5, 'a', 'AA=='], None)
    """
    if depth > _MAX_DEPTH:
        return None
    show = next((show for kind, show in _SHOWN.items() if isinstance(value, kind)), None)
    return None if show is None else show(value, depth)


def _object(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    return {str(name): shown(member, depth + 1) for name, member in [*value.items()][:_MAX_NUMBERS]}


def _list(value: Sequence[Any], depth: int) -> list[Any] | None:
    return [shown(member, depth + 1) for member in value] if len(value) <= _MAX_NUMBERS else None


_SHOWN: Final[Mapping[type | UnionType, Callable[[Any, int], Any]]] = {
    enum.Enum: lambda value, _: value.name,
    np.generic: lambda value, depth: shown(value.item(), depth),
    bool: lambda value, _: value,
    int: lambda value, _: int(value) if abs(value) < 2**63 else str(value),
    float | Fraction: lambda value, _: float(value) if math.isfinite(value) else None,
    str: lambda value, _: value if len(value) <= _MAX_TEXT else None,
    bytes: lambda value, _: base64.standard_b64encode(value).decode() if len(value) <= _MAX_TEXT else None,
    date: lambda value, _: value.isoformat(),
    np.ndarray: lambda value, depth: shown(value.tolist(), depth) if value.size <= _MAX_NUMBERS else None,
    Mapping: _object,
    list | tuple: _list,
}
"""By type, the first that fits: how a value is shown at a depth."""


def file_attributes(file: Any) -> dict[str, Any]:
    """The attributes that concern the whole file: ``imagej`` and ``geotiff``."""
    found = {}
    for flag, member, name in (
        ("is_imagej", "imagej_metadata", "imagej"),
        ("is_geotiff", "geotiff_metadata", "geotiff"),
    ):
        with contextlib.suppress(Exception):  # tifffile raises anything for broken metadata
            told = getattr(file, member) if getattr(file, flag) else None
            if told:
                found[name] = shown(told)
            if told and name == "geotiff":
                codes = [int(told[key]) for key in _SYSTEMS if key in told]
                found[name] |= {"epsg": codes[0]} if codes else {}
    return found


def page_attributes(series: Any) -> dict[str, Any]:
    """The attributes ``tiff`` and ``gdal`` of an image: tags of its first page."""
    page = series.keyframe
    tiff: dict[str, Any] = {
        "photometric": _name(page.photometric),
        "compression": _name(page.compression),
        "bits_per_sample": shown(page.bitspersample),
    }
    if int(page.predictor) != 1:
        tiff["predictor"] = _name(page.predictor)
    for code, name in _NAMED.items():
        told = shown(page.tags.valueof(code))
        is_other = name == "description" and (page.is_ome or page.is_imagej or page.is_shaped)
        if isinstance(told, str) and told and not is_other:
            tiff[name] = told
    if series.kind:
        tiff["kind"] = str(series.kind)
    if int(page.photometric) == 3 and page.colormap is not None:
        tiff["colormap"] = shown(page.colormap)
    found: dict[str, Any] = {"tiff": tiff}
    gdal = shown(page.tags.valueof(_GDAL_METADATA))
    if isinstance(gdal, str):
        found["gdal"] = gdal
    return found


def _name(value: Any) -> Any:
    return value.name.lower() if isinstance(value, enum.Enum) else shown(value)


def array_attributes(dtype: np.dtype[Any], nodata: float) -> dict[str, Any]:
    """The attribute ``_FillValue``, as xarray writes it: the value that means missing."""
    if dtype.kind == "f":
        return {"_FillValue": missing_float(nodata)}
    return {"_FillValue": nodata} if dtype.kind in "iu" else {}
