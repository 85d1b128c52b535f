"""Round lengths for a scale bar."""

from __future__ import annotations

import math

from zarrcore.conventions import power_of_ten

_WRITTEN = {-12: "pm", -9: "nm", -6: "µm", -3: "mm", 0: "m", 3: "km"}


def bar(per_pixel: float, unit: str, most_pixels: float) -> tuple[float, str]:
    """The longest round length that fits in a number of pixels: its pixels and its label.

    Args:
        per_pixel: units per pixel.
        unit: a length.
        most_pixels: the number of pixels.

    >>> bar(0.325, "micrometer", 160)
    (153.84615384615384, '50 µm')
    >>> bar(4.0, "nanometer", 400)
    (250.0, '1 µm')
    """
    longest = per_pixel * most_pixels
    power = math.floor(math.log10(longest))
    length = max(step for step in (1, 2, 5) if step * 10.0**power <= longest * (1 + 1e-9)) * 10.0**power
    exponent = power_of_ten(unit)
    metres = math.log10(length) + exponent
    best = max((one for one in _WRITTEN if one <= metres + 1e-9), default=-12)
    return length / per_pixel, f"{length * 10.0 ** (exponent - best):.6g} {_WRITTEN[best]}"
