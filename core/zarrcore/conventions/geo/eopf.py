"""Products of the Earth Observation Processing Framework (EOPF): Sentinel data with STAC metadata at their root.

Specification: https://cpm.pages.eopf.copernicus.eu/eopf-cpm/main/PSFD/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.values import items, mapping, text

TITLE: Final = "EOPF"


@dataclass(frozen=True, slots=True)
class Product(Meaning):
    """A product of a satellite mission."""

    kind: ClassVar[str] = "product"

    name: str
    platform: str
    time: str
    """When it was observed, as STAC writes it."""
    groups: tuple[str, ...]
    """The groups at its root."""

    def details(self) -> list[str]:
        return [words for words in (self.name, self.platform, self.time) if words]

    def facts(self) -> list[tuple[str, str]]:
        return [("groups", ", ".join(self.groups))] if self.groups else []


def _recognise(node: Any) -> str | None:
    return Product.kind if node.kind == "group" and mapping(node.attributes.get("stac_discovery")) else None


def _read(group: Any, _find: Find) -> Product:
    stac = mapping(group.attributes.get("stac_discovery"))
    properties = mapping(stac.get("properties"))
    instruments = [text(one) for one in items(properties.get("instruments"))]
    return Product(
        TITLE,
        text(stac.get("id")),
        " ".join(word for word in (text(properties.get("platform")), *instruments) if word),
        text(properties.get("datetime")) or text(properties.get("start_datetime")),
        tuple(group.child_names()),
    )


EOPF: Final = Convention("eopf", TITLE, "https://zarr.eopf.copernicus.eu", (Product.kind,), _recognise, _read)
