"""Variables with units on named dimensions, and the groups that hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.georeference import Georeference
from zarrcore.conventions.interface import Meaning, plural
from zarrcore.conventions.units import symbol


@dataclass(frozen=True, slots=True)
class Variable(Meaning):
    """An array that holds a quantity, or the coordinates of a dimension."""

    kind: ClassVar[str] = "variable"

    name: str
    """The standard name, if there is one; otherwise that of the array."""
    long_name: str
    units: str
    axes: tuple[Axis, ...]
    """One per dimension; kinds and units are those of its coordinates."""
    shape: tuple[int, ...]
    is_coordinate: bool = False
    """Whether elements are the coordinates of the only dimension."""
    calendar: str = ""
    scale: float = 1.0
    """value = stored × scale + offset."""
    offset: float = 0.0
    missing: tuple[Any, ...] = ()
    """Elements that mean "missing", before they are scaled."""
    valid_range: tuple[float, float] | None = None
    """Numbers outside of it are missing; ±inf without one of the bounds, None without both."""
    flags: Mapping[int, str] = field(default_factory=dict)
    """The meanings of values."""
    coordinates: tuple[str, ...] = ()
    """The names of auxiliary coordinates."""
    bounds: str = ""
    """The name of the array with the bounds of the cells."""
    cell_methods: str = ""
    georeference: Georeference | None = None
    kind_of_integers: str | None = None
    """"u" or "i" if stored integers are reinterpreted as unsigned or signed ones (``_Unsigned``); else None."""

    @property
    def summary(self) -> str:
        kind = "coordinate variable" if self.is_coordinate else self.kind
        sign = symbol(self.units)
        what = " ".join(filter(None, (self.convention, kind, self.name))) + (f" in {sign}" if sign else "")
        if self.is_coordinate:
            return f"{what}, {plural(self.shape[0], 'value')}"
        return f"{what} on {self._dimensions()}" if self.axes else what

    def _dimensions(self) -> str:
        named = zip(self.axes, self.shape, strict=True)
        # A dash before a number would read as a minus sign.
        return " × ".join(f"{axis.name} {length:,}" if axis.name else f"{length:,}" for axis, length in named)

    def facts(self) -> list[tuple[str, str]]:
        found = [
            ("long name", self.long_name),
            ("calendar", self.calendar),
            ("integers", {"u": "read as unsigned", "i": "read as signed", None: ""}[self.kind_of_integers]),
            ("packed", f"stored × {self.scale:.7g} + {self.offset:.7g}" if self._is_packed else ""),
            ("missing", ", ".join(map(str, self.missing))),
            ("valid range", _range_text(self.valid_range)),
            ("flags", ", ".join(f"{value}: {word}" for value, word in self.flags.items())),
            ("cells", self.cell_methods),
            ("bounds", self.bounds),
            ("coordinates", ", ".join(self.coordinates)),
            ("axes", "" if self.is_coordinate else "\n".join(filter(None, map(_axis_text, self.axes)))),
        ]
        found = [(label, text) for label, text in found if text]
        return [*found, *(self.georeference.facts() if self.georeference else [])]

    @property
    def _is_packed(self) -> bool:
        return self.scale != 1.0 or self.offset != 0.0


def _range_text(valid: tuple[float, float] | None) -> str:
    if valid is None:
        return ""
    low, high = valid
    if math.isinf(low):
        return f"at most {high:.7g}"
    return f"at least {low:.7g}" if math.isinf(high) else f"{low:.7g} to {high:.7g}"


def _axis_text(axis: Axis) -> str:
    parts = (axis.kind if axis.kind != axis.name else "", symbol(axis.unit))
    return "  ".join([axis.name or "–", *filter(None, parts)]) if any(parts) else ""


@dataclass(frozen=True, slots=True)
class Dataset(Meaning):
    """A group of variables that share dimensions."""

    kind: ClassVar[str] = "dataset"

    title: str
    variables: tuple[str, ...]
    """The names of the arrays that are not coordinates."""
    coordinates: tuple[str, ...]
    """The names of arrays that are coordinates, of dimensions or auxiliary ones."""
    dimensions: Mapping[str, int]
    """The length of each dimension."""
    broken: tuple[str, ...] = ()
    """The names of arrays that cannot be opened."""

    def details(self) -> list[str]:
        lengths = " × ".join(f"{name} {length:,}" for name, length in self.dimensions.items())
        return [plural(len(self.variables), "variable") + (f" on {lengths}" if lengths else "")]

    def facts(self) -> list[tuple[str, str]]:
        found = [
            ("title", self.title),
            ("variables", ", ".join(self.variables)),
            ("coordinates", ", ".join(self.coordinates)),
            ("broken", ", ".join(self.broken)),
        ]
        return [(label, text) for label, text in found if text]
