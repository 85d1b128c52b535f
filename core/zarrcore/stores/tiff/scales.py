"""Steps, units and channels of an image: of OME-XML, of ImageJ, of GeoTIFF, or of the tags of resolution.

OME Data Model, "Pixels" and "Channel"; GeoTIFF 1.1, "ModelPixelScaleTag".
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from zarrcore.stores.tiff.file import tifffile_module

_UNITS: Final = {
    "m": "meter",
    "dm": "decimeter",
    "cm": "centimeter",
    "mm": "millimeter",
    "µm": "micrometer",
    "μm": "micrometer",
    "um": "micrometer",
    "\\u00B5m": "micrometer",
    "micron": "micrometer",
    "microns": "micrometer",
    "nm": "nanometer",
    "pm": "picometer",
    "å": "angstrom",
    "km": "kilometer",
    "in": "inch",
    "inch": "inch",
    "s": "second",
    "sec": "second",
    "ms": "millisecond",
    "µs": "microsecond",
    "min": "minute",
    "h": "hour",
}
_RESOLUTION_UNITS: Final = {2: "inch", 3: "centimeter", 4: "millimeter", 5: "micrometer"}
_X_RESOLUTION: Final = 282
_Y_RESOLUTION: Final = 283
_RESOLUTION_UNIT: Final = 296
_METRE: Final = 9001
_MAX_CHANNELS: Final = 4096


@dataclass(slots=True)
class Scales:
    """What an image states about its axes, by the names of dimensions."""

    steps: dict[str, float] = field(default_factory=dict)
    """From an element to the next, in the units."""
    units: dict[str, str] = field(default_factory=dict)
    channels: list[dict[str, Any]] = field(default_factory=list)
    """As in ``omero`` of OME-Zarr."""

    def put(self, name: str, step: Any, unit: Any = None) -> None:
        """The step of a dimension, if it is a positive number."""
        try:
            number = float(step)
        except (TypeError, ValueError, OverflowError):
            return
        if not (math.isfinite(number) and number > 0):
            return
        self.steps[name] = number
        told = str(unit).strip() if unit is not None else ""
        known = (
            _UNITS.get(told)
            or _UNITS.get(told.lower())
            or (told.lower() if told.lower() in _UNITS.values() else None)
        )
        if known is not None:
            self.units[name] = known


def scales_of(file: Any, series: Any, number: int, xml: str | None = None) -> Scales:
    """The scales of an image; what is broken is left out.

    Args:
        file: the ``tifffile.TiffFile``.
        series: the series of the image.
        number: the number of the image in the file.
        xml: OME-XML of the image, if it is not that of the file.
    """
    scales = Scales()
    with contextlib.suppress(Exception):  # tifffile raises anything for broken metadata
        if series.kind == "ome":
            _put_ome(scales, xml or file.ome_metadata, number)
        elif series.kind == "imagej":
            _put_imagej(scales, file.imagej_metadata, series.keyframe)
        elif file.is_geotiff:
            _put_geotiff(scales, series.keyframe.geotiff_tags)
        else:
            _put_resolution(scales, series.keyframe)
    return scales


def _put_ome(scales: Scales, text: str, number: int) -> None:
    told = tifffile_module().xml2dict(text)["OME"]["Image"]
    images = told if isinstance(told, list) else [told]
    pixels = images[number]["Pixels"]
    for name in "zyx":
        unit = pixels.get(f"PhysicalSize{name.upper()}Unit", "µm")
        scales.put(name, pixels.get(f"PhysicalSize{name.upper()}"), unit)
    scales.put("t", pixels.get("TimeIncrement"), pixels.get("TimeIncrementUnit", "s"))
    channels = pixels.get("Channel", [])
    channels = channels if isinstance(channels, list) else [channels]
    if len(channels) > _MAX_CHANNELS or not any("Name" in each or "Color" in each for each in channels):
        return
    for place, channel in enumerate(channels):
        samples = int(channel.get("SamplesPerPixel", 1))
        if samples != 1:
            scales.channels = []
            return
        shown: dict[str, Any] = {"label": str(channel.get("Name", f"channel {place}"))}
        if "Color" in channel:
            shown["color"] = f"{int(channel['Color']) % 2**32 >> 8:06X}"
        scales.channels.append({**shown, "active": True})


def _put_imagej(scales: Scales, told: Mapping[str, Any], page: Any) -> None:
    unit = told.get("unit")
    scales.put("z", told.get("spacing"), unit)
    for name, code in (("x", _X_RESOLUTION), ("y", _Y_RESOLUTION)):
        scales.put(name, _inverse(page.tags.valueof(code)), told.get(f"{name}unit", unit))
    scales.put("t", told.get("finterval"), told.get("tunit", "s"))
    ranges = told.get("Ranges")
    count = int(told.get("channels", 1))
    if ranges is not None and 1 < count <= _MAX_CHANNELS and len(ranges) == 2 * count:
        for place in range(count):
            start, end = float(ranges[2 * place]), float(ranges[2 * place + 1])
            window = {"min": start, "max": end, "start": start, "end": end}
            scales.channels.append({"label": f"channel {place}", "active": True, "window": window})


def _put_geotiff(scales: Scales, told: Mapping[str, Any]) -> None:
    step = told.get("ModelPixelScale")
    if step is not None:
        unit = told.get("ProjLinearUnitsGeoKey")
        for name, number in zip("xy", step, strict=False):
            scales.put(name, number, "m" if unit is not None and int(unit) == _METRE else None)


def _put_resolution(scales: Scales, page: Any) -> None:
    unit = page.tags.valueof(_RESOLUTION_UNIT)
    if unit is None or int(unit) not in _RESOLUTION_UNITS:
        return
    for name, code in (("x", _X_RESOLUTION), ("y", _Y_RESOLUTION)):
        scales.put(name, _inverse(page.tags.valueof(code)), _RESOLUTION_UNITS[int(unit)])


def _inverse(rational: Any) -> float | None:
    """The step of a resolution, such as 72 elements in 1 inch."""
    if rational is None or not rational[0]:
        return None
    return float(rational[1]) / float(rational[0])
