"""What the user chose for figures last, as a document for the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from zarrbrowser.export.figures.figure import FigureOptions

UNITS_MM = {"mm": 1.0, "inches": 25.4}
"""The units of the size, in millimetres."""
_KEPT = tuple(one.name for one in fields(FigureOptions) if one.name != "title")


@dataclass(frozen=True, slots=True)
class FigureChoices:
    """The options, the type of the file, and the unit of the size."""

    options: FigureOptions = field(default_factory=FigureOptions)
    suffix: str = "png"
    unit: str = "mm"

    def document(self) -> dict[str, Any]:
        """The choices as JSON, without the title, which belongs to one figure."""
        return {name: asdict(self.options)[name] for name in _KEPT} | {
            "suffix": self.suffix,
            "unit": self.unit,
        }

    @classmethod
    def of(cls, document: Mapping[str, Any], suffixes: Mapping[str, str]) -> FigureChoices:
        """The choices in a document; the default of each that is missing or malformed."""
        default = FigureOptions()
        values = {}
        for name in _KEPT:
            value, kind = document.get(name), type(getattr(default, name))
            is_number = (
                kind in (int, float) and isinstance(value, int | float) and not isinstance(value, bool)
            )
            if is_number or isinstance(value, kind):
                values[name] = kind(value)
        try:
            options = FigureOptions(**values)
        except (ValueError, OverflowError):
            options = default
        suffix, unit = str(document.get("suffix")), str(document.get("unit"))
        return cls(options, suffix if suffix in suffixes else "png", unit if unit in UNITS_MM else "mm")
