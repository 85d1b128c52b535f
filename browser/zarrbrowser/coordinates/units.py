"""Symbols of units, and round lengths for a scale bar."""

from __future__ import annotations

import math

_SYMBOLS = {
    "micrometer": "µm",
    "micrometre": "µm",
    "micron": "µm",
    "um": "µm",
    "nanometer": "nm",
    "nanometre": "nm",
    "angstrom": "Å",
    "millimeter": "mm",
    "millimetre": "mm",
    "centimeter": "cm",
    "meter": "m",
    "metre": "m",
    "kilometer": "km",
    "second": "s",
    "millisecond": "ms",
    "microsecond": "µs",
    "minute": "min",
    "hour": "h",
    "day": "d",
    "degrees_north": "°N",
    "degree_north": "°N",
    "degrees_east": "°E",
    "degree_east": "°E",
    "degrees": "°",
    "degree": "°",
    "degC": "°C",
    "celsius": "°C",
    "kelvin": "K",
    "1": "",
}
_LENGTHS = {"pm": -12, "Å": -10, "nm": -9, "µm": -6, "mm": -3, "cm": -2, "m": 0, "km": 3}
"""Powers of ten in metres."""
_WRITTEN = {-12: "pm", -9: "nm", -6: "µm", -3: "mm", 0: "m", 3: "km"}


def symbol(unit: str) -> str:
    """The symbol of a unit.

    >>> symbol("micrometer"), symbol("K"), symbol("degrees_north")
    ('µm', 'K', '°N')
    """
    return _SYMBOLS.get(unit, unit)


def is_length(unit: str) -> bool:
    """Whether a unit is a length, so that a scale bar can use it."""
    return symbol(unit) in _LENGTHS


def in_centimetres(length: float, unit: str) -> float:
    """A length in centimetres; `is_length` must be true for its unit.

    >>> round(in_centimetres(0.5, "micrometer") * 1e4, 9)
    0.5
    """
    return float(length * 10.0 ** (_LENGTHS[symbol(unit)] + 2))


def bar(per_pixel: float, unit: str, most_pixels: float) -> tuple[float, str]:
    """The longest round length that fits in a number of pixels: its pixels and its label.

    Args:
        per_pixel: units per pixel.

    >>> bar(0.325, "micrometer", 160)
    (153.84615384615384, '50 µm')
    >>> bar(4.0, "nanometer", 400)
    (250.0, '1 µm')
    """
    longest = per_pixel * most_pixels
    power = math.floor(math.log10(longest))
    length = max(step for step in (1, 2, 5) if step * 10.0**power <= longest * (1 + 1e-9)) * 10.0**power
    exponent = _LENGTHS[symbol(unit)]
    metres = math.log10(length) + exponent
    best = max((one for one in _WRITTEN if one <= metres + 1e-9), default=-12)
    return length / per_pixel, f"{length * 10.0 ** (exponent - best):.6g} {_WRITTEN[best]}"
