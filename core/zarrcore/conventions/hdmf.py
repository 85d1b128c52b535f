"""HDMF and Neurodata Without Borders (NWB), as hdmf-zarr writes them: typed groups and arrays, and links between them.

Specification: hdmf-zarr, "Storage Specification". A group lists its links in the attribute ``zarr_link`` (Zarr v2) or ``_LINKS``
(Zarr v3). An object has its type in ``namespace`` and ``neurodata_type`` (``data_type`` for other namespaces of HDMF).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from zarrcore.conventions.interface import Convention, Find, Meaning, plural
from zarrcore.conventions.values import objects, text

TITLE: Final = "HDMF"
_NWB: Final = "NWB"
_OWN_ADDRESS: Final = "."


@dataclass(frozen=True, slots=True)
class Link:
    """A name in a group that stands for another node."""

    name: str
    path: str
    """The path of the node in its source."""
    source: str
    """The source of the node; ``.`` is the same one."""


@dataclass(frozen=True, slots=True)
class TypedObject(Meaning):
    """An object of a namespace, with its links."""

    kind: ClassVar[str] = "object"

    namespace: str
    type: str
    description: str
    version: str
    links: tuple[Link, ...]

    @property
    def summary(self) -> str:
        name = f"{self.type or self.kind}"
        version = [f"version {self.version}"] if self.version else []
        links = [plural(len(self.links), "link")] if self.links else []
        return ", ".join([f"{self.convention} {name}", *version, *links])

    def facts(self) -> list[tuple[str, str]]:
        found = [
            ("namespace", self.namespace),
            ("description", self.description),
            ("links", "\n".join(map(_link_text, self.links))),
        ]
        return [(label, words) for label, words in found if words]


def _link_text(link: Link) -> str:
    place = link.path if link.source == _OWN_ADDRESS else f"{link.source}#{link.path}"
    return f"{link.name} → {place}"


def links_of(attributes: Mapping[str, Any]) -> tuple[Link, ...]:
    """The links of a group with these attributes."""
    return tuple(
        Link(text(link.get("name")), text(link.get("path")), text(link.get("source")) or _OWN_ADDRESS)
        for link in objects(attributes.get("_LINKS") or attributes.get("zarr_link"))
        if text(link.get("name")) and text(link.get("path"))
    )


def _type(attributes: Mapping[str, Any]) -> str:
    return text(attributes.get("neurodata_type")) or text(attributes.get("data_type"))


def _recognise(node: Any) -> str | None:
    is_typed = text(node.attributes.get("namespace")) and _type(node.attributes)
    return TypedObject.kind if is_typed or links_of(node.attributes) else None


def _read(node: Any, _find: Find) -> TypedObject:
    attributes = node.attributes
    namespace = text(attributes.get("namespace"))
    return TypedObject(
        _NWB if "neurodata_type" in attributes or namespace == "core" else TITLE,
        namespace,
        _type(attributes),
        text(attributes.get("description")),
        text(attributes.get("nwb_version")),
        links_of(attributes),
    )


HDMF: Final = Convention(
    "hdmf",
    TITLE,
    "https://hdmf-zarr.readthedocs.io/en/stable/storage.html",
    (TypedObject.kind,),
    _recognise,
    _read,
)
