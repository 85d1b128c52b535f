"""Arrays whose own attributes say where they are: ``proj:`` and ``spatial:`` of GeoZarr, and STAC's projection extension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from zarrcore.conventions.geo.attributes import stated_crs, stated_transform
from zarrcore.conventions.geo.georeference import georeference_of
from zarrcore.conventions.georeference import Georeference
from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.errors import MetadataError

TITLE: Final = "GeoZarr"


@dataclass(frozen=True, slots=True)
class Raster(Meaning):
    """An array of cells on Earth."""

    kind: ClassVar[str] = "raster"

    georeference: Georeference

    def details(self) -> list[str]:
        crs, transform = self.georeference.crs, self.georeference.transform
        found = [crs.code or crs.name or "CRS without a name"] if crs is not None else []
        if transform is not None:
            found.append(f"cells of {abs(transform[0]):.10g} × {abs(transform[4]):.10g}")
        return found

    def facts(self) -> list[tuple[str, str]]:
        return self.georeference.facts()


def _recognise(node: Any) -> str | None:
    if node.kind != "array":
        return None
    is_stated = stated_crs(node.attributes) is not None or stated_transform(node.attributes) is not None
    return Raster.kind if is_stated else None


def _read(array: Any, find: Find) -> Raster:
    found = georeference_of(array, find)
    if found is None:
        raise MetadataError(f"{array.path}: its attributes state no georeference")
    return Raster(TITLE, found)


GEOZARR: Final = Convention("geozarr", TITLE, "https://geozarr.org", (Raster.kind,), _recognise, _read)
