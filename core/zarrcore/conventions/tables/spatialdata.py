"""SpatialData: images, labels, points, shapes and tables of one sample, in one hierarchy.

Specification: spatialdata, "Design document: storage format". Images and labels are OME-NGFF, tables are AnnData. Points and
shapes are Parquet files beside their group, which are not part of the Zarr hierarchy.
"""

from __future__ import annotations

from typing import Any, Final

from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.tables.anndata import encoding
from zarrcore.conventions.tables.vocabulary import SpatialData, SpatialElement
from zarrcore.conventions.values import mapping, objects, text
from zarrcore.errors import NodeNotFoundError

TITLE: Final = "SpatialData"
_ELEMENTS: Final = ("images", "labels", "points", "shapes", "tables")
_ENCODINGS: Final = {"ngff:shapes": "shapes", "ngff:points": "points"}


def _recognise(node: Any) -> str | None:
    if node.kind != "group":
        return None
    if encoding(node) in _ENCODINGS:
        return SpatialElement.kind
    told = mapping(node.attributes.get("spatialdata_attrs"))
    # Elements have an object of this name, too; only that of the root names the program that wrote it.
    is_root = "spatialdata_software_version" in told or ("version" in told and node.path in ("/", _at(node)))
    return SpatialData.kind if is_root else None


def _at(node: Any) -> str | None:
    """The path of the root of a node's hierarchy."""
    return getattr(getattr(node, "hierarchy", None), "at", None)


def _read(group: Any, find: Find) -> Meaning:
    told = mapping(group.attributes.get("spatialdata_attrs"))
    title = f"{TITLE} {text(told.get('version'))}".strip()
    if encoding(group) in _ENCODINGS:
        steps = objects(group.attributes.get("coordinateTransformations"))
        systems = (text(mapping(step.get("output")).get("name")) for step in steps)
        return SpatialElement(title, _ENCODINGS[encoding(group)], tuple(dict.fromkeys(filter(None, systems))))
    elements = []
    for kind in _ELEMENTS:
        try:
            child = find(f"{group.path.rstrip('/')}/{kind}")
        except NodeNotFoundError:
            continue
        if child.kind == "group":
            elements.append((kind, tuple(child.child_names())))
    return SpatialData(title, tuple(elements))


SPATIALDATA: Final = Convention(
    "spatialdata",
    TITLE,
    "https://spatialdata.scverse.org/en/stable/design_doc.html",
    (SpatialData.kind, SpatialElement.kind),
    _recognise,
    _read,
)
