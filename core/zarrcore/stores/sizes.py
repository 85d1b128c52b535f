"""Sizes as people write them."""

from __future__ import annotations

import argparse
import re
from typing import Final

_UNITS: Final = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 1 << 10,
    "mi": 1 << 20,
    "gi": 1 << 30,
    "ti": 1 << 40,
}
_SIZE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]i?)?b?", re.IGNORECASE)


def size(text: str) -> int:
    """A number of bytes, for `argparse`.

    >>> size("512MiB"), size("2g"), size("100")
    (536870912, 2000000000, 100)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a size such as 512MiB, found {text!r}")
    return int(float(match[1]) * _UNITS[(match[2] or "").lower()])
