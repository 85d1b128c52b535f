"""What the labels of axes say."""

from __future__ import annotations

import re

_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def number_of(label: str) -> float:
    """The number that a label says."""
    power = re.fullmatch(r"(?:(\S+) × )?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", label)
    if power is None:
        return float(label.replace(",", ""))
    return float(f"{power[1] or 1}e{power[2].translate(_DIGITS)}")
