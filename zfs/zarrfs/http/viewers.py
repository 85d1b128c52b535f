"""Viewers on the web that read Zarr v3 from an address, and the links that open a node in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

ANY_ORIGIN: Final = "*"
"""All origins."""


@dataclass(frozen=True, slots=True)
class Featured:
    """The node of a hierarchy that is worth a look."""

    path: str
    """Its path."""
    is_image: bool
    """Whether it is a multiscale image."""
    is_array: bool
    """Whether it is an array."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A viewer on the web."""

    name: str
    """Its name, which ``--allow-origin`` also takes."""
    origin: str
    """The origin of its pages, which must be allowed to read from the server."""
    link: Callable[[str], str]
    """Makes the link that opens the node at an address."""
    opens: Callable[[Featured], bool]
    """Whether it can show such a node."""


def _neuroglancer(address: str) -> str:
    layer = {"type": "auto", "name": "zarrscope", "source": f"zarr://{address}"}
    return "https://neuroglancer-demo.appspot.com/#!" + _json({"layers": [layer], "layout": "4panel"})


def _vizarr(address: str) -> str:
    return "https://hms-dbmi.github.io/vizarr/?source=" + quote(address, safe="")


def _vitessce(address: str) -> str:
    views = [("spatial", 0, 9), ("layerController", 9, 3)]
    configuration = {
        "version": "1.0.15",
        "name": "zarrscope",
        "initStrategy": "auto",
        "coordinationSpace": {},
        "datasets": [{"uid": "A", "files": [{"fileType": "image.ome-zarr", "url": address}]}],
        "layout": [{"component": name, "x": x, "y": 0, "w": width, "h": 12} for name, x, width in views],
    }
    return "https://vitessce.io/#?url=data:," + _json(configuration)


def _gridlook(address: str) -> str:
    return f"https://gridlook.pages.dev/#{address}"  # it takes the address literally


def _json(document: Mapping[str, Any]) -> str:
    return quote(json.dumps(document, separators=(",", ":")), safe="")


VIEWERS: Final = (
    Viewer("neuroglancer", "https://neuroglancer-demo.appspot.com", _neuroglancer, lambda node: node.is_array or node.is_image),
    Viewer("vizarr", "https://hms-dbmi.github.io", _vizarr, lambda node: node.is_array or node.is_image),
    Viewer("vitessce", "https://vitessce.io", _vitessce, lambda node: node.is_image),
    Viewer("gridlook", "https://gridlook.pages.dev", _gridlook, lambda node: not node.is_array and not node.is_image),
)  # fmt: skip


def links(node: Featured, address: str | None) -> list[tuple[Viewer, str]]:
    """The viewers that can show a node, with the links that open it.

    Args:
        node: the node.
        address: its address in the tree of Zarr v3; None if that tree is not shown.
    """
    if address is None:
        return []
    return [(viewer, viewer.link(address)) for viewer in VIEWERS if viewer.opens(node)]
