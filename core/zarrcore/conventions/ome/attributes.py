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
    return next(iter(multiscales_entries(attributes).values()), None)


def multiscales_entries(attributes: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The multiscales by name. Those without a name, or with one of another, are called by their place.

    >>> list(multiscales_entries({"multiscales": [{"name": "fused"}, {}, {"name": "fused"}]}))
    ['fused', 'multiscales[1]', 'multiscales[2]']
    """
    for place in (mapping(attributes.get("ome")), attributes):
        entries = items(place.get("multiscales"))
        if entries and isinstance(entries[0], Mapping):
            found: dict[str, Mapping[str, Any]] = {}
            for number, entry in enumerate(entries):
                if isinstance(entry, Mapping):
                    name = text(entry.get("name"))
                    found[name if name and name not in found else f"multiscales[{number}]"] = entry
            return found
    return {}
