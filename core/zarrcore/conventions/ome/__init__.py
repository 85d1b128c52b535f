"""OME-NGFF, also known as OME-Zarr: images, labels, plates, wells, series, scenes and collections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from zarrcore.conventions.image import MultiscaleImage
from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.ome.attributes import SPECIFICATION, TITLE, multiscales_entry, ome
from zarrcore.conventions.ome.collections import (
    LAYOUT,
    read_collection,
    read_label_list,
    read_plate,
    read_scene,
    read_series,
    read_well,
)
from zarrcore.conventions.ome.image import read_image
from zarrcore.conventions.values import items

_READERS: Final[Mapping[str, Callable[[Any, Find], Meaning]]] = {
    "plate": read_plate,
    "well": read_well,
    "label image": read_image,
    MultiscaleImage.kind: read_image,
    "series of images": read_series,
    "list of labels": read_label_list,
    "scene": read_scene,
    "collection": read_collection,
}


def _recognise(node: Any) -> str | None:
    if node.kind != "group":
        return None
    told = ome(node.attributes)
    # A plate that bioformats2raw wrote is a plate: "bioformats2raw.layout" metadata.
    for kind in ("plate", "well"):
        if isinstance(told.get(kind), Mapping):
            return kind
    entry = multiscales_entry(node.attributes)
    if entry is not None and not _is_of_groups(entry):
        return "label image" if "image-label" in told else MultiscaleImage.kind
    if LAYOUT in told or LAYOUT in node.attributes:
        return "series of images"
    if node.name == "labels" and items(told.get("labels")):
        return "list of labels"
    if isinstance(told.get("scene"), Mapping):
        return "scene"
    if "ome" in node.attributes and told.get("type") == "collection":
        return "collection"
    return None


def _is_of_groups(entry: Mapping[str, Any]) -> bool:
    """Whether the levels are groups of arrays, as ndpyramid writes them."""
    return any(
        isinstance(dataset, Mapping) and "pixels_per_tile" in dataset
        for dataset in items(entry.get("datasets"))
    )


OME_NGFF: Final = Convention(
    "ome-ngff",
    TITLE,
    SPECIFICATION,
    tuple(_READERS),
    _recognise,
    lambda node, find: _READERS[_recognise(node) or MultiscaleImage.kind](node, find),
)
