"""Attributes that show a convention whose metadata do not name it."""

from __future__ import annotations

from typing import Final

OF_CF: Final = (
    "standard_name",
    "units",
    "long_name",
    "axis",
    "scale_factor",
    "add_offset",
    "cell_methods",
    "grid_mapping",
    "flag_meanings",
    "bounds",
    "calendar",
    "valid_range",
)
OF_N5_PYRAMIDS: Final = ("downsamplingFactors", "scales", "multiScale")
