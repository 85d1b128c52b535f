"""The data to plot first.

NeXus manual, "Find the default plottable data": the attribute ``default`` of each group names the next one.
"""

from __future__ import annotations

from typing import Any, Final

from zarrcore.conventions.interface import Find
from zarrcore.conventions.nexus.layout import DATA_CLASS, find_or_none, layout_of, nexus_class
from zarrcore.conventions.values import text
from zarrcore.errors import MetadataError

_MOST_GROUPS: Final = 32


def default_data(node: Any, find: Find) -> str:
    """The path of the NXdata group to which the attributes ``default`` lead, from this group on; empty if they lead to none.

    Raises:
        StoreError: the store failed.
    """
    group: Any | None = node
    for _ in range(_MOST_GROUPS):  # they may lead in a circle
        if group is None or group.kind != "group":
            break
        if nexus_class(group) == DATA_CLASS:
            return str(group.path)
        name = text(group.attributes.get("default"))
        if not name or ".." in name.split("/"):
            break
        above = getattr(group.hierarchy, "at", "/") if name.startswith("/") else group.path
        group = find_or_none(f"{above.rstrip('/')}/{name.lstrip('/')}", find)
    return ""


def default_signal(node: Any, find: Find) -> str:
    """The path of the signal to plot first, from this group on; that of its group if it has none, empty if nothing is named.

    Raises:
        ZarrError: the signal is broken.
        StoreError: the store failed.
    """
    path = default_data(node, find)
    try:
        return str(layout_of(find(path), find).signal.path) if path else ""
    except MetadataError:
        return path
