"""The name of a source, for the names and titles of what is made from its root, which has no name of its own."""

from __future__ import annotations

from typing import Any

from zarrbrowser.nodes.protocols import NodeLike

_ENDINGS = (".zip", ".ozx", ".zarr", ".ome", ".n5")
"""Endings that say only how it is stored, the last of several first."""


def source_name(node: NodeLike) -> str:
    """The last part of the address of a node's hierarchy, without its ending; empty if it is unknown."""
    hierarchy: Any = getattr(node, "hierarchy", None)
    url = "" if hierarchy is None else str(hierarchy.url)
    address = url.partition("?")[0] if "://" in url else url  # the query may be a signature
    name = address.rstrip("/").rpartition("/")[2]
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    return name
