"""Units: their symbols, and lengths in metres.

OME-NGFF, "axes" metadata, spells units out (``micrometer``); CF and others use UDUNITS, with names and symbols alike.
"""

from __future__ import annotations

from typing import Final

_PREFIXES: Final = {
    "yotta": ("Y", 24), "zetta": ("Z", 21), "exa": ("E", 18), "peta": ("P", 15), "tera": ("T", 12), "giga": ("G", 9),
    "mega": ("M", 6), "kilo": ("k", 3), "hecto": ("h", 2), "deca": ("da", 1), "": ("", 0), "deci": ("d", -1),
    "centi": ("c", -2), "milli": ("m", -3), "micro": ("µ", -6), "nano": ("n", -9), "pico": ("p", -12), "femto": ("f", -15),
    "atto": ("a", -18), "zepto": ("z", -21), "yocto": ("y", -24),
}  # fmt: skip
"""The prefixes of SI, their symbols and powers of ten."""
LENGTHS: Final = {
    **{f"{prefix}{metre}": f"{sign}m" for prefix, (sign, _) in _PREFIXES.items() for metre in ("meter", "metre")},
    "angstrom": "Å", "inch": "in", "foot": "ft", "yard": "yd", "mile": "mi", "parsec": "pc", "micron": "µm", "um": "µm",
}  # fmt: skip
"""The symbols of lengths, by their names."""
TIMES: Final = {
    **{f"{prefix}second": f"{sign}s" for prefix, (sign, _) in _PREFIXES.items()},
    "minute": "min", "hour": "h", "day": "d", "us": "µs",
}  # fmt: skip
"""The symbols of times, by their names."""
LATITUDES: Final = ("degrees_north", "degree_north", "degrees_N", "degree_N", "degreesN", "degreeN")
LONGITUDES: Final = ("degrees_east", "degree_east", "degrees_E", "degree_E", "degreesE", "degreeE")
"""The spellings of CF, 4.1 "Latitude Coordinate" and 4.2 "Longitude Coordinate"."""
_OTHERS: Final = {
    **dict.fromkeys(LATITUDES, "°N"),
    **dict.fromkeys(LONGITUDES, "°E"),
    **dict.fromkeys(("degrees", "degree"), "°"),
    **dict.fromkeys(("degC", "celsius", "degree_Celsius", "degrees_Celsius"), "°C"),
    **dict.fromkeys(("kelvin", "Kelvin", "degK"), "K"),
    "1": "",
}
_SYMBOLS: Final = {**LENGTHS, **TIMES, **_OTHERS}
_METRES: Final = {f"{sign}m": power for sign, power in _PREFIXES.values()} | {"Å": -10}
"""Powers of ten in metres, by symbol."""


def symbol(unit: str) -> str:
    """The symbol of a unit; a unit without one is returned as it is.

    >>> symbol("micrometer"), symbol("K"), symbol("degrees_north")
    ('µm', 'K', '°N')
    """
    return _SYMBOLS.get(unit, unit)


def is_length(unit: str) -> bool:
    """Whether a unit is a length in metres, so that a scale bar can use it."""
    return symbol(unit) in _METRES


def in_centimetres(length: float, unit: str) -> float:
    """A length in centimetres; `is_length` must be true for its unit.

    >>> round(in_centimetres(0.5, "micrometer") * 1e4, 9)
    0.5
    """
    return float(length * 10.0 ** (power_of_ten(unit) + 2))


def power_of_ten(unit: str) -> int:
    """The power of ten of a length, in metres; `is_length` must be true for it.

    >>> power_of_ten("micrometer"), power_of_ten("Å")
    (-6, -10)
    """
    return _METRES[symbol(unit)]


def format_quantity(value: float, unit: str) -> str:
    """A number with the symbol of its unit.

    >>> format_quantity(0.325, "micrometer"), format_quantity(2.0, "")
    ('0.325 µm', '2')
    """
    sign = symbol(unit)
    return f"{value:.6g} {sign}".rstrip() if not sign.startswith("°") else f"{value:.6g}{sign}"
