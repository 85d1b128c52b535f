"""OME-NGFF groups of images.

"plate" and "well" metadata (high-content screening), "bioformats2raw.layout" with the names in its OME-XML, "labels", "scene"
of version 0.6, and the collections that RFC-8 proposes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.parsers import expat

from zarrcore.conventions.image_collections import (
    Acquisition,
    Field,
    ImageCollection,
    Member,
    Plate,
    PlateWell,
    Well,
)
from zarrcore.conventions.interface import Find
from zarrcore.conventions.ome.attributes import ome, titled
from zarrcore.conventions.values import is_count, items, mapping, objects, text
from zarrcore.errors import MetadataError, NodeNotFoundError, StoreError

LAYOUT: Final = "bioformats2raw.layout"
_OME_XML: Final = "OME/METADATA.ome.xml"
_MOST_XML_NBYTES: Final = 64 << 20
_MOST_SERIES: Final = 10_000
_IMAGE_DEPTH: Final = 2
_LONGEST_NAME: Final = 500
_MOST_DEPTH: Final = 16


def read_plate(group: Any, _find: Find) -> Plate:
    """The plate of a group."""
    told = mapping(ome(group.attributes).get("plate"))
    wells = [
        PlateWell(well["path"], row, column)
        for well in objects(told.get("wells"))
        if isinstance(well.get("path"), str)
        for row, column in [_position(well, told)]
    ]
    count = told.get("field_count")
    return Plate(
        titled(group.attributes, told),
        text(told.get("name")),
        _names(told.get("rows")),
        _names(told.get("columns")),
        tuple(wells),
        tuple(
            Acquisition(one["id"], text(one.get("name")), text(one.get("description")))
            for one in objects(told.get("acquisitions"))
            if is_count(one.get("id"))
        ),
        count if is_count(count) else None,
    )


def _names(told: Any) -> tuple[str, ...]:
    return tuple(str(one.get("name", "")) for one in objects(told))


def _position(well: Mapping[str, Any], plate: Mapping[str, Any]) -> tuple[int, int]:
    """The row and the column of a well: as told since version 0.4, otherwise from its path, ``A/1``."""
    row, column = well.get("rowIndex"), well.get("columnIndex")
    if isinstance(row, int) and isinstance(column, int) and is_count(row) and is_count(column):
        return row, column
    first, _, second = str(well["path"]).partition("/")
    rows, columns = _names(plate.get("rows")), _names(plate.get("columns"))
    return (
        rows.index(first) if first in rows else 0,
        columns.index(second) if second in columns else 0,
    )


def read_well(group: Any, _find: Find) -> Well:
    """The well of a group."""
    told = mapping(ome(group.attributes).get("well"))
    fields = [
        Field(one["path"], number if is_count(number := one.get("acquisition")) else None)
        for one in objects(told.get("images"))
        if isinstance(one.get("path"), str)
    ]
    return Well(titled(group.attributes, told), tuple(fields))


def read_label_list(group: Any, _find: Find) -> ImageCollection:
    """The list of labels of an image: the paths of images, relative to its group ``labels``."""
    paths = _listed_labels(group.attributes)
    return ImageCollection(
        titled(group.attributes), "list of labels", "", tuple(Member(path, path, "labels") for path in paths)
    )


def label_paths(path: str, find: Find) -> tuple[str, ...]:
    """The label images of an image, as paths relative to its group ``labels``; empty without that group.

    Args:
        path: the path of the image's group.
        find: returns the node at an absolute path of the image's hierarchy.

    Raises:
        StoreError: the store failed.
    """
    try:
        group = find(f"{path.rstrip('/')}/labels")
    except NodeNotFoundError:
        return ()
    return _listed_labels(getattr(group, "attributes", {}))


def _listed_labels(attributes: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(path for path in items(ome(attributes).get("labels")) if isinstance(path, str))


def read_series(group: Any, find: Find) -> ImageCollection:
    """The images that bioformats2raw wrote, with the names in its OME-XML.

    Raises:
        StoreError: the store failed.
    """
    paths = _series_paths(group, find)
    names = _series_names(group)
    members = [
        Member(names[number] if number < len(names) and names[number] else path, path, "image")
        for number, path in enumerate(paths)
    ]
    return ImageCollection(
        f"{titled(group.attributes)} bioformats2raw".strip(), "series of images", "", tuple(members)
    )


def _series_paths(group: Any, find: Find) -> list[str]:
    """As the group ``OME`` lists them; otherwise the groups ``0``, ``1``, … that exist."""
    base = group.path.rstrip("/")
    try:
        listed = items(ome(find(f"{base}/OME").attributes).get("series"))
    except NodeNotFoundError:
        listed = ()
    if listed:
        return [path for path in listed if isinstance(path, str)]
    found = []
    for number in range(_MOST_SERIES):
        try:
            find(f"{base}/{number}")
        except NodeNotFoundError:
            break
        found.append(str(number))
    return found


def _series_names(group: Any) -> list[str]:
    """The names of the images in the OME-XML; none if there is no document or it cannot be parsed."""
    hierarchy = group.hierarchy
    within = hierarchy.within(group.path).strip("/")
    key = f"{within}/{_OME_XML}".lstrip("/")
    try:
        document = hierarchy.store.get(key, max_nbytes=_MOST_XML_NBYTES)
    except StoreError:
        return []
    return image_names(bytes(document)) if document is not None else []


def image_names(document: bytes) -> list[str]:
    """The names of the images in an OME-XML document, in order; none if it cannot be parsed, or has a document type.

    Only a document type can define entities, which may grow without bound. Nothing but the names is kept in memory.

    >>> image_names(b'<OME><Image ID="Image:0" Name="left eye"/><Image ID="Image:1"/></OME>')
    ['left eye', '']
    """
    names: list[str] = []
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == _IMAGE_DEPTH and tag.rpartition(":")[2] == "Image" and len(names) < _MOST_SERIES:
            names.append(attributes.get("Name", "")[:_LONGEST_NAME])

    def end(_tag: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise ValueError("a document type")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(document, True)
    except (expat.ExpatError, ValueError, LookupError):
        return []
    return names


def read_scene(group: Any, _find: Find) -> ImageCollection:
    """A scene of version 0.6: images, and transformations between their coordinate systems."""
    told = mapping(ome(group.attributes).get("scene"))
    steps = list(objects(told.get("coordinateTransformations")))
    ends = [mapping(step.get(end)) for step in steps for end in ("input", "output")]
    paths = dict.fromkeys(path for end in ends if (path := text(end.get("path"))))
    relations = [
        f"{_end(step.get('input'))} → {_end(step.get('output'))}: {text(step.get('type'))}" for step in steps
    ]
    return ImageCollection(
        titled(group.attributes),
        "scene",
        text(told.get("name")),
        tuple(Member(path, path, "image") for path in paths),
        tuple(relations),
    )


def _end(told: Any) -> str:
    end = mapping(told)
    return "#".join(part for part in (text(end.get("path")), text(end.get("name"))) if part) or "?"


def read_collection(group: Any, _find: Find) -> ImageCollection:
    """A collection as RFC-8 proposes it."""
    told = ome(group.attributes)
    return ImageCollection(
        titled(group.attributes), "collection", text(told.get("name")), tuple(_members(told, 0))
    )


def _members(told: Mapping[str, Any], depth: int) -> Iterator[Member]:
    """The nodes of a collection; those of collections within it follow them."""
    if depth > _MOST_DEPTH:
        raise MetadataError(f"collections within collections, more than {_MOST_DEPTH} deep", member="nodes")
    for node in objects(told.get("nodes")):
        path = node.get("path")
        yield Member(
            text(node.get("name")), text(path) or text(mapping(path).get("path")), text(node.get("type"))
        )
        if node.get("type") == "collection":
            yield from _members(node, depth + 1)
