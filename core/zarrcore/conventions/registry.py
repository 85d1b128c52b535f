"""All conventions, and what a node is according to them. A new convention is a module and a line in `_SIGNS`.

The module of a convention is imported when a node first has one of its attributes.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.signs import OF_CF, OF_N5_PYRAMIDS
from zarrcore.errors import MetadataError

if TYPE_CHECKING:
    from zarrcore.conventions.image import MultiscaleImage

_SIGNS: Final = {
    "ome:OME_NGFF": (
        *("ome", "multiscales", "plate", "well", "labels", "scene"),
        "bioformats2raw.layout",
    ),
    "n5_pyramids:N5_PYRAMIDS": OF_N5_PYRAMIDS,
    "geo:PYRAMIDS": ("multiscales",),
    "geo:EOPF": ("stac_discovery",),
    "geo:GEOZARR": (
        *("proj:epsg", "proj:code", "proj:wkt2", "proj:projjson"),
        *("proj:transform", "spatial:transform"),
    ),
    "tables:ANNDATA": ("encoding-type",),
    "tables:SPATIALDATA": ("encoding-type", "spatialdata_attrs"),
    "hdmf:HDMF": ("neurodata_type", "data_type", "_LINKS", "zarr_link"),
    "matlab:MATLAB": ("MATLAB_class",),
    "nexus:NEXUS": ("NX_class",),
    "cf.variable:CF": ("Conventions", *OF_CF),
}
"""The attributes of each convention, by its module and its name there: a node that it recognises has at least one of them. The
first convention that recognises a node counts.
"""

_INFERRED: Final = ("n5_pyramids:N5_PYRAMIDS", "nexus:NEXUS")
"""Those that may recognise a node by the nodes in it or above it."""


def conventions() -> tuple[Convention, ...]:
    """All conventions, in the order in which they are asked about a node."""
    return tuple(map(_convention, _SIGNS))


@cache
def _convention(place: str) -> Convention:
    module, _, name = place.partition(":")
    found: Convention = getattr(importlib.import_module(f"zarrcore.conventions.{module}"), name)
    return found


def recognise(node: Any) -> tuple[Convention, str] | None:
    """The convention of a node, and what the node is; None if no convention says.

    Only the node's own metadata count, so that this needs no request.
    """
    if node.kind not in ("group", "array"):
        return None
    for place, signs in _SIGNS.items():
        if not node.attributes.keys().isdisjoint(signs):
            convention = _convention(place)
            kind = convention.recognise(node)
            if kind is not None:
                return convention, kind
    return None


def inferred(node: Any, find: Find | None = None) -> tuple[Convention, str] | None:
    """The convention of a node that `recognise` does not know, from the nodes in it or above it; None if they do not say.

    This may need requests: two for a group of N5, one for the group of an array, none for other nodes.

    Raises:
        StoreError: the store failed.
    """
    if node.kind not in ("group", "array"):
        return None
    for convention in map(_convention, _INFERRED):
        kind = convention.infer(node, find) if convention.infer is not None else None
        if kind is not None:
            return convention, kind
    return None


def meaning(node: Any, find: Find | None = None) -> Meaning | None:
    """What a node is; None if no convention says.

    A group may be a dataset to judge by its children, although its own metadata do not say so.

    Args:
        node: the node.
        find: returns the node at an absolute path of the node's hierarchy; by default that of the hierarchy.

    Raises:
        MetadataError: the metadata contradict themselves.
        NodeNotFoundError: a node that they name is missing.
        StoreError: the store failed.
    """
    recognised = recognise(node) or inferred(node, find)
    if recognised is None:
        from zarrcore.conventions.cf.variable import dataset_of_children

        return dataset_of_children(node)
    return recognised[0].read(node, find or node.hierarchy.node)


def is_image(node: Any) -> bool:
    """Whether a group is one image, according to its own metadata."""
    recognised = recognise(node)
    return recognised is not None and recognised[1] in ("image", "label image")


def image_of(group: Any, find: Find | None = None) -> MultiscaleImage:
    """The image of a group that `is_image`, or that is `inferred` to be one.

    Raises:
        As `meaning`.
    """
    from zarrcore.conventions.image import MultiscaleImage

    found = meaning(group, find)
    if not isinstance(found, MultiscaleImage):
        raise MetadataError(f"{group.path}: its metadata describe no image")
    return found
