"""Where the elements of an array are on Earth."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Affine = tuple[float, float, float, float, float, float]
Bounds = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class CoordinateReferenceSystem:
    """A coordinate reference system (CRS), as the metadata name it; at least one member is not empty."""

    code: str = ""
    """The authority and its code, such as ``EPSG:32633``."""
    wkt: str = ""
    """In the well-known text of any version."""
    projjson: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The attributes of a grid mapping of CF without well-known text."""

    @property
    def name(self) -> str:
        """The name for people.

        >>> CoordinateReferenceSystem(wkt='PROJCRS["WGS 84 / UTM zone 33N",BASEGEOGCRS["WGS 84"]]').name
        'WGS 84 / UTM zone 33N'
        """
        quoted = re.search(r'"([^"]*)"', self.wkt)
        names = (
            self.projjson.get("name"),
            quoted.group(1) if quoted else "",
            self.parameters.get("projected_crs_name"),
            self.parameters.get("geographic_crs_name"),
            self.parameters.get("grid_mapping_name"),
        )
        return next((name for name in names if isinstance(name, str) and name), "")

    @property
    def title(self) -> str:
        """The code and the name."""
        return "  ".join(part for part in (self.code, self.name) if part)

    def input_text(self) -> str:
        """What PROJ and GDAL understand: the code, well-known text or PROJJSON; empty if there are only parameters of CF."""
        return self.code or self.wkt or (json.dumps(self.projjson) if self.projjson else "")


@dataclass(frozen=True, slots=True)
class Georeference:
    """The CRS of an array, and the place of its grid in it."""

    crs: CoordinateReferenceSystem | None = None
    transform: Affine | None = None
    """``(a, b, c, d, e, f)``: x = a·column + b·row + c, y = d·column + e·row + f, where (0, 0) is the outer corner of the
    first cell; None if unknown."""
    bounds: Bounds | None = None
    """The outer edges in the CRS: smallest x, smallest y, largest x, largest y."""
    dimensions: tuple[str, str] | None = None
    """The names of the dimensions of rows and columns."""

    def facts(self) -> list[tuple[str, str]]:
        """Labels and texts."""
        found = [("CRS", self.crs.title or "not named")] if self.crs is not None else []
        if self.transform is not None:
            a, b, c, d, e, f = self.transform
            turned = "" if b == d == 0 else ", rotated"
            found.append(("grid", f"cells of {a:.10g} × {e:.10g} from {c:.10g}, {f:.10g}{turned}"))
        if self.bounds is not None:
            left, bottom, right, top = self.bounds
            found.append(("bounds", f"x {left:.10g} to {right:.10g}, y {bottom:.10g} to {top:.10g}"))
        return found


def bounds_of(transform: Affine, rows: int, columns: int) -> Bounds:
    """The outer edges of a grid.

    >>> bounds_of((10, 0, 500000, 0, -10, 4600000), 100, 200)
    (500000, 4599000, 502000, 4600000)
    """
    a, b, c, d, e, f = transform
    corners = [(column, row) for column in (0, columns) for row in (0, rows)]
    x = [a * column + b * row + c for column, row in corners]
    y = [d * column + e * row + f for column, row in corners]
    return min(x), min(y), max(x), max(y)
