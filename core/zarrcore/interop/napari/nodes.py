"""The layers of a node, according to what its metadata say that it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

from zarrcore.conventions import (
    ImageCollection,
    MultiscaleImage,
    Plate,
    Pyramid,
    Well,
    image_named,
    image_of,
    inferred,
    label_paths,
    meaning,
    pyramid_image,
    recognise,
)
from zarrcore.errors import ListingUnsupportedError, MetadataError, ZarrError
from zarrcore.interop.napari.elements import is_shown
from zarrcore.interop.napari.images import array_layer, image_layers
from zarrcore.interop.napari.layer_data import LayerData, hidden
from zarrcore.interop.napari.plates import plate_layers

_MOST_IMAGES: Final = 24
"""Images of a group that become layers."""
_MOST_NODES: Final = 1000
"""Nodes that are searched for images."""
_DEPTH: Final = 4
"""Levels of groups that are searched for images."""
_OF_IMAGES: Final = ("ome-ngff", "n5-pyramid", "multiscales")
"""Conventions whose groups are images, or hold images that their metadata name."""
_OF_TABLES: Final = ("anndata",)
"""Conventions whose arrays are no images."""

Part = tuple[str, Callable[[], list[LayerData]]]
"""The name of a part of a group, and what makes its layers."""


def layers_of(node: Any, name: str, *, is_one_of_several: bool = False) -> list[LayerData]:
    """The layers of a group or an array.

    Args:
        node: the node.
        name: of the layers, if the metadata do not name the image.
        is_one_of_several: ``name`` counts even if the metadata do: images of one group often have the same name.

    Raises:
        MetadataError: nothing in it can be shown.
        UnsupportedError: the elements of an array are not numbers.
        NodeNotFoundError: a node that the metadata name is missing.
        StoreError: the store failed.
    """
    find = node.hierarchy.node
    if node.kind == "array":
        return [array_layer(node, find, name)]
    recognised = recognise(node) or inferred(node, find)
    told = meaning(node, find) if recognised is not None and recognised[0].name in _OF_IMAGES else None
    if isinstance(told, MultiscaleImage) and len(told.images) > 1:
        return [*_first_shown(node, _of_group(node, told.images)), *_labels_of(node, find)]
    if isinstance(told, MultiscaleImage):
        layers = image_layers(told, name if is_one_of_several else told.name or name)
        return [*layers, *_labels_of(node, find)]
    if isinstance(told, Plate):
        return plate_layers(node, told, find, name if is_one_of_several else told.name or name)
    return _first_shown(node, _parts(node, told, find))


def holds_hierarchies(collection: Any) -> bool:
    """Whether a folder has a hierarchy in it: any folder opens as a collection if it has many folders.

    Raises:
        StoreError: the store failed.
    """
    nodes = collection.hierarchy.walk(collection.path, _DEPTH)
    return any(node.kind != "collection" for node in islice(nodes, _MOST_NODES))


def _parts(node: Any, told: Any, find: Callable[[str], Any]) -> Iterator[Part]:
    """The images in a group."""
    base = node.path.rstrip("/")
    if isinstance(told, Well):
        members = [(field.path, field.path) for field in told.fields]
    elif isinstance(told, ImageCollection):
        members = [
            (member.name, member.path) for member in told.members if member.path and "://" not in member.path
        ]
    elif isinstance(told, Pyramid):
        for variable in told.variables:
            yield variable, _of_pyramid(node, variable, find)
        return
    else:
        yield from _found_below(node)
        return
    for name, path in members:
        yield name, _of_member(f"{base}/{path}", name or path, find)


def _of_group(node: Any, names: tuple[str, ...]) -> Iterator[Part]:
    """The images that one group describes."""
    for name in names:
        yield name, partial(_image_named, node, name)


def _image_named(node: Any, name: str) -> list[LayerData]:
    return image_layers(image_named(node, name), name)


def _of_pyramid(node: Any, variable: str, find: Callable[[str], Any]) -> Callable[[], list[LayerData]]:
    return lambda: image_layers(pyramid_image(node, variable, find), variable)


def _of_member(path: str, name: str, find: Callable[[str], Any]) -> Callable[[], list[LayerData]]:
    def layers() -> list[LayerData]:
        node = find(path)
        if node.kind == "broken":
            raise node.error
        return layers_of(node, name, is_one_of_several=True)

    return layers


def _found_below(group: Any) -> Iterator[Part]:
    """Images, and arrays that may be images, in a group and the groups below it, which are not images themselves."""
    waiting = [(group, 0)]
    seen = 0
    while waiting:
        parent, depth = waiting.pop(0)
        children = [*islice(parent.children(), _MOST_NODES - seen)]
        seen += len(children)
        bounds = {child.attributes.get("bounds") for child in children if child.kind == "array"}
        for child in children:
            convention = _convention(child)
            if convention in _OF_IMAGES or (
                child.kind == "array" and is_shown(child) and child.name not in bounds
            ):
                name = _name_below(group, child)
                yield name, _of_node(child, name)
                continue
            is_searched = child.kind in ("group", "collection") and convention not in _OF_TABLES
            if is_searched and depth < _DEPTH and seen < _MOST_NODES:
                waiting.append((child, depth + 1))


def _convention(node: Any) -> str:
    """The name of the convention that recognises a node; empty if none does."""
    recognised = recognise(node)
    return recognised[0].name if recognised is not None else ""


def _name_below(group: Any, child: Any) -> str:
    return str(child.path[len(group.path.rstrip("/")) + 1 :])


def _of_node(node: Any, name: str) -> Callable[[], list[LayerData]]:
    return lambda: layers_of(node, name, is_one_of_several=True)


def _first_shown(node: Any, parts: Iterator[Part]) -> list[LayerData]:
    """The layers of all parts, but at most of so many; those of all except the first one are hidden, and read nothing.

    Parts that cannot be shown are left out, with a warning, which napari shows.
    """
    layers: list[LayerData] = []
    failures: list[str] = []
    shown = 0
    for name, make in _listed(parts, failures):
        if shown == _MOST_IMAGES:
            warnings.warn(
                f"{node.uri} has more than {_MOST_IMAGES} images: open the others by their paths",
                stacklevel=2,
            )
            break
        try:
            made = make()
        except ZarrError as error:
            failures.append(f"{name}: {error}")
            continue
        layers += map(hidden, made) if shown else made
        shown += bool(made)
    if not layers:
        why = f" ({failures[0]})" if failures else ""
        raise MetadataError(f"{node.uri} has no image of numbers with two or more dimensions{why}")
    for failure in failures:
        warnings.warn(f"{node.uri} is shown without {failure}", stacklevel=2)
    return layers


def _listed(parts: Iterator[Part], failures: list[str]) -> Iterator[Part]:
    """The parts; a store that cannot list ends them."""
    try:
        yield from parts
    except ListingUnsupportedError as error:
        failures.append(str(error))


def _labels_of(group: Any, find: Callable[[str], Any]) -> list[LayerData]:
    """The layers of the labels of an image, all except the first one hidden.

    Labels that cannot be shown are left out, with a warning.
    """
    base = f"{group.path.rstrip('/')}/labels"
    layers: list[LayerData] = []
    for path in label_paths(group.path, find)[:_MOST_IMAGES]:
        try:
            image = replace(image_of(find(f"{base}/{path}"), find), is_labels=True)
            layers += image_layers(image, path)
        except ZarrError as error:
            warnings.warn(f"{group.uri} is shown without its labels {path}: {error}", stacklevel=2)
    return [*layers[:1], *map(hidden, layers[1:])]
