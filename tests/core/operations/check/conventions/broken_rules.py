"""The rules that a node breaks."""

from __future__ import annotations

from typing import Any

import zarrcore
from zarrcore.operations.check.conventions import check_conventions


def broken(hierarchy: zarrcore.Hierarchy, path: str = "/") -> list[str]:
    """The sentences about a node, without the address of the rule."""
    found = [finding.sentence for finding in check_conventions(hierarchy.node(path), hierarchy.node)]
    assert all("https://" in sentence for sentence in found)
    return [sentence.rpartition(" (")[0] for sentence in found]


def hierarchy_of(
    attributes: dict[str, Any], format_name: str = "v3", **shapes: tuple[int, ...]
) -> zarrcore.Hierarchy:
    """A group with attributes, and arrays below it."""
    hierarchy = zarrcore.create("memory://", format=format_name)
    hierarchy["/"].attributes = attributes
    for path, shape in shapes.items():
        hierarchy.create_array(path, shape=shape, dtype="uint8")
    return hierarchy
