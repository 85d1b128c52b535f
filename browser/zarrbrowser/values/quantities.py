"""Quantities as text: numbers with units and thousands separators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zarrcore.printable import element_text
from zarrcore.sizes import format_bytes as format_bytes
from zarrcore.sizes import format_shape as format_shape


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "chunk"), count(100000, "chunk"), count(2, "child", "children")
    ('1 chunk', '100,000 chunks', '2 children')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def format_duration(seconds: float) -> str:
    """A time span.

    >>> format_duration(0.0004), format_duration(0.0142), format_duration(3.21), format_duration(75)
    ('under 1 ms', '14 ms', '3.2 s', '1 min 15 s')
    """
    if seconds < 0.001:
        return "under 1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def format_value(value: Any) -> str:
    """One element of an array as short text.

    >>> format_value(np.float32(0.1)), format_value(np.int16(-12345)), format_value(np.bool_(True))
    ('0.1', '-12,345', 'true')
    >>> format_value(np.array((1, 2.5), dtype="i4,f8")[()])
    '(f0 = 1, f1 = 2.5)'
    >>> format_value(np.bytes_(b"caf\\xc3\\xa9")), format_value(np.bytes_(b"\\xff")), format_value(b"raw\\x00")
    ('café', '\\\\xff', "'raw\\\\x00'")
    """
    if isinstance(value, np.void) and value.dtype.names:
        return "(" + ", ".join(f"{name} = {format_value(value[name])}" for name in value.dtype.names) + ")"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64):
        return f"{int(value):,}"
    if isinstance(value, np.ndarray):
        return (
            "("
            + ", ".join(format_value(item) for item in value[:8])
            + (", …" if len(value) > 8 else "")
            + ")"
        )
    if isinstance(value, np.bytes_):
        return value.decode(errors="backslashreplace")  # text of a fixed length, as NumPy and Zarr v2 have it
    if isinstance(value, bytes):
        return repr(value)[1:]
    if isinstance(value, np.void):
        return "0x" + value.tobytes().hex()
    return element_text(value)


def format_level(value: float, span: float = math.inf) -> str:
    """A bound of the contrast as text: six significant digits, or more if ``span`` needs them, no trailing zeros.

    >>> format_level(0.1234567), format_level(1200.0), format_level(-1e-12)
    ('0.123457', '1200', '-1e-12')
    >>> format_level(1e9, 20.0), format_level(1e9 + 20, 20.0)
    ('1000000000', '1000000020')
    >>> format_level(math.inf), format_level(math.nan, 20.0)
    ('inf', 'nan')
    """
    if not math.isfinite(value):
        return str(value)
    larger = abs(value) / span if span > 0 else 0.0
    return f"{value:.{max(6, min(17, 3 + math.ceil(math.log10(max(larger, 1.0)))))}g}"
