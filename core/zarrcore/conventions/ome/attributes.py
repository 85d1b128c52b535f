"""Where OME-NGFF metadata are: in ``ome`` since version 0.5, otherwise among the attributes themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from zarrcore.conventions.values import items, mapping, text

TITLE: Final = "OME-NGFF"
SPECIFICATION: Final = "https://ngff.openmicroscopy.org/specifications/"


def ome(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The OME-NGFF metadata of a node with these attributes.

    >>> ome({"ome": {"version": "0.5"}}), ome({"plate": {}})
    ({'version': '0.5'}, {'plate': {}})
    """
    found = attributes.get("ome")
    return found if isinstance(found, Mapping) else attributes


def titled(attributes: Mapping[str, Any], *described: Any) -> str:
    """The convention's name with its version.

    Args:
        attributes: the attributes of the node.
        described: objects that hold the version before 0.5, such as a plate.
    """
    places = (mapping(attributes.get("ome")), *map(mapping, described))
    version = next((found for place in places if (found := text(place.get("version")))), "")
    return f"{TITLE} {version}".strip()


def multiscales_entry(attributes: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first of the multiscales; None if there is none."""
    for place in (mapping(attributes.get("ome")), attributes):
        entries = items(place.get("multiscales"))
        if entries and isinstance(entries[0], Mapping):
            found: Mapping[str, Any] = entries[0]
            return found
    return None
