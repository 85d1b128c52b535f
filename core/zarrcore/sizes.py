"""Sizes as text: bytes and shapes as people write and read them, in one way for all options, fields and messages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SIZE_UNITS: Final = "K, M, G, T are powers of 1024, as KiB to TiB are; kB, MB, GB, TB are powers of 1000"
"""The units of a size, for the help of options."""

_UNITS: Final = "kmgt"
_SIZE: Final = re.compile(rf"([0-9]+(?:\.[0-9]+)?)\s*(?:([{_UNITS}])(ib|b)?|b)?", re.IGNORECASE)

_WORDS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def parse_size(text: str) -> int:
    """The number of bytes that a text names, as dd(1), head(1) and rclone take it; upper and lower case mean the same.

    Raises:
        ValueError: it names none.

    >>> parse_size("100"), parse_size("512M"), parse_size("512MiB"), parse_size("512MB"), parse_size("1.5k")
    (100, 536870912, 536870912, 512000000, 1536)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"expected a size such as 512M; {SIZE_UNITS}; found {text!r}")
    number, unit, rest = match.groups()
    power = 0 if unit is None else 1 + _UNITS.index(unit.lower())
    factor = (1000 if rest and len(rest) == 1 else 1024) ** power
    return int(number) * factor if number.isdigit() else int(float(number) * factor)


def parse_number(text: str, kind: type[int] | type[float] = float) -> float:
    """A number that a person writes. Python's own underscores (``1_000``) are refused, as selections and sizes refuse them.

    Raises:
        ValueError: it is none.

    >>> parse_number("2.5"), parse_number("-3", int)
    (2.5, -3)
    """
    if "_" in text:
        raise ValueError(f"expected a number without underscores, found {text!r}")
    return kind(text)


def format_bytes(nbytes: int) -> str:
    """Bytes in binary units, three significant digits.

    >>> format_bytes(1), format_bytes(1000), format_bytes(1536), format_bytes(268435456)
    ('1 byte', '1,000 bytes', '1.50 KiB', '256 MiB')
    """
    if nbytes < 1024:
        return "1 byte" if nbytes == 1 else f"{nbytes:,} bytes"
    if nbytes >= 1 << 70:  # no file, but a document may say so
        return "2⁷⁰ bytes and more"
    value, unit = float(nbytes), 0
    while value >= 999.5 and unit < len(_WORDS) - 1:
        value, unit = value / 1024, unit + 1
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{digits}f} {_WORDS[unit]}"


def format_shape(shape: Iterable[int]) -> str:
    """The lengths of an array's dimensions.

    >>> format_shape((100000, 512, 3)), format_shape(())
    ('100,000 × 512 × 3', 'scalar')
    """
    return " × ".join([f"{length:,}" for length in shape]) or "scalar"
