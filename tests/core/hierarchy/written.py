"""Hierarchies to write to."""

from __future__ import annotations

from typing import Any

import zarrcore
from zarrcore.array import Array

FORMATS = ["v3", "v2", "n5"]


def paths(hierarchy: zarrcore.Hierarchy) -> list[str]:
    return [node.path for node in hierarchy.walk()]


def array(hierarchy: zarrcore.Hierarchy, path: str = "/x", **more: Any) -> Array:
    wishes: dict[str, Any] = {"shape": (4, 4), "dtype": "int16", "chunks": (2, 2), **more}
    return hierarchy.create_array(path, **wishes)
