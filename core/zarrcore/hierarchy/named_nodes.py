"""Nodes that the attributes of a group name: all that is known of its members where a store cannot be listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def named_nodes(attributes: Mapping[str, Any]) -> Iterator[str]:
    """The relative paths of nodes below a group that its attributes name, as OME-Zarr (0.1 to 0.5) does.

    Levels of images, labels, images of wells, and wells of plates. Some may not exist, and others may exist.

    Source: https://ngff.openmicroscopy.org/0.5/

    >>> [*named_nodes({"multiscales": [{"datasets": [{"path": "s0"}, {"path": "s1"}]}]})]
    ['s0', 's1', 'labels']
    >>> [*named_nodes({"plate": {"wells": [{"path": "A/1"}]}}), *named_nodes({"labels": ["cells", 3]})]
    ['A/1', 'cells']
    """
    ome = attributes.get("ome")
    told = ome if isinstance(ome, Mapping) else attributes
    for image in _objects(told, "multiscales"):
        yield from _paths(image, "datasets")
    if "multiscales" in told:
        yield "labels"
    yield from (name for name in _items(told, "labels") if isinstance(name, str))
    yield from _paths(told.get("plate"), "wells")
    yield from _paths(told.get("well"), "images")
    if "bioformats2raw.layout" in told:
        yield from ("OME", "0")
    yield from (name for name in _items(told, "series") if isinstance(name, str))


def _items(told: Any, name: str) -> list[Any]:
    found = told.get(name) if isinstance(told, Mapping) else None
    return [*found] if isinstance(found, (list, tuple)) else []


def _objects(told: Any, name: str) -> list[Mapping[str, Any]]:
    return [item for item in _items(told, name) if isinstance(item, Mapping)]


def _paths(told: Any, name: str) -> Iterator[str]:
    for item in _objects(told, name):
        if isinstance(path := item.get("path"), str):
            yield path
