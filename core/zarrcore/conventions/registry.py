"""All conventions, and what a node is according to them."""

from __future__ import annotations

from typing import Any, Final

from zarrcore.conventions.cf.variable import CF, dataset_of_children
from zarrcore.conventions.geo import EOPF, GEOZARR, PYRAMIDS
from zarrcore.conventions.hdmf import HDMF
from zarrcore.conventions.image import MultiscaleImage
from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.matlab import MATLAB
from zarrcore.conventions.n5_pyramids import N5_PYRAMIDS
from zarrcore.conventions.nexus import NEXUS
from zarrcore.conventions.ome import OME_NGFF
from zarrcore.conventions.tables import ANNDATA, SPATIALDATA
from zarrcore.errors import MetadataError

CONVENTIONS: Final[tuple[Convention, ...]] = (
    OME_NGFF,
    N5_PYRAMIDS,
    PYRAMIDS,
    EOPF,
    GEOZARR,
    ANNDATA,
    SPATIALDATA,
    HDMF,
    MATLAB,
    NEXUS,
    CF,
)
"""The first that recognises a node counts."""


def recognise(node: Any) -> tuple[Convention, str] | None:
    """The convention of a node, and what the node is; None if no convention says.

    Only the node's own metadata count, so that this needs no request.
    """
    if node.kind not in ("group", "array"):
        return None
    for convention in CONVENTIONS:
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
    for convention in CONVENTIONS:
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
    found = meaning(group, find)
    if not isinstance(found, MultiscaleImage):
        raise MetadataError(f"{group.path}: its metadata describe no image")
    return found
