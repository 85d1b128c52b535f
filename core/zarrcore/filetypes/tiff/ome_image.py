"""Arrays, and groups that are multiscale images, as OME-TIFF.

In OME-TIFF, a reduced picture belongs to a plane: a level may be smaller than the one before it only along X and Y. Levels of
another type, with other dimensions, or with fewer planes are omitted, as are broken and missing ones. The image's description
lists the omitted levels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from zarrcore.array import Array, Selection
from zarrcore.conventions import (
    Channel,
    MultiscaleImage,
    image_of,
    inferred,
    is_image,
    label_paths,
    n5_image,
    single_level,
)
from zarrcore.errors import NodeNotFoundError, SelectionError
from zarrcore.filetypes.tiff.ome_tiff import OmeTiffFile
from zarrcore.filetypes.tiff.ome_xml import MAX_CHANNELS_TOLD, ImageMetadata
from zarrcore.filetypes.tiff.tiles import TiledBody, TilesFile
from zarrcore.hierarchy import AnyNode, ArrayNode, Group

_NAMES: Final = {"time": "t", "channel": "c"}


def attributes_above(array: Array, find: Callable[[str], Any]) -> Mapping[str, Any]:
    """The attributes of the group above an array, which may describe it as a level of an image; empty without one.

    Raises:
        StoreError: the store failed.
    """
    if not isinstance(array, ArrayNode) or array.path == "/":
        return {}
    try:
        group = find(array.path.rpartition("/")[0] or "/")
    except NodeNotFoundError:
        return {}
    return group.attributes if isinstance(group, Group) else {}


def array_as_ome_tiff(
    array: Array, selection: Selection = ..., group_attributes: Mapping[str, Any] | None = None
) -> OmeTiffFile:
    """``array[selection]`` as an image of one level.

    Args:
        group_attributes: as `attributes_above`.

    Raises:
        UnsupportedError: OME-TIFF has no such type, or not as many dimensions.
        SelectionError: the selection is invalid or outside the array.
    """
    name = array.name if isinstance(array, ArrayNode) else ""
    image = single_level(group_attributes or {}, name, array) or n5_image(array)
    if image is None:
        return OmeTiffFile([TilesFile(array, selection)], ImageMetadata(name))
    tiles = TilesFile(array, selection, _names(image))
    return OmeTiffFile([tiles], _facts(image, tiles.body, name))


def group_as_ome_tiff(group: Group, find: Callable[[str], Any] | None = None) -> OmeTiffFile:
    """The image of a group; the first one if there are several.

    Args:
        group: the group.
        find: returns the node at an absolute path of the group's hierarchy; by default that of the hierarchy.

    Raises:
        SelectionError: the group is not a multiscale image.
        UnsupportedError: OME-TIFF has no such type, or not as many dimensions.
        MetadataError, NodeNotFoundError: the first level is broken or missing.
        StoreError: the store did not answer as it should.
    """
    if not is_image(group) and inferred(group, find) is None:
        raise SelectionError(
            f"{group.uri} is not a multiscale image: name an array in it (zarrscope tree shows them)"
        )
    image = image_of(group, find)
    base = TilesFile(image.levels[0].node, names=_names(image))
    letters = base.body.letters
    kept: list[ArrayNode] = [image.levels[0].node]
    left_out = []
    for level in image.levels[1:]:
        if _is_reduced(level.node, kept[-1], letters):
            kept.append(level.node)
        else:
            left_out.append(_described(level.node))
    left_out += image.missing
    levels = [base, *(TilesFile(array, names=[*letters]) for array in kept[1:])]
    description = (
        f"Levels omitted, since they are not these planes in fewer pixels: {', '.join(left_out)}"
        if left_out
        else ""
    )

    def omitted() -> tuple[str, ...]:  # asked late: looking for labels takes a request
        labels = label_paths(group.path, find or group.hierarchy.node)
        return (
            *(f"level {one}" for one in left_out),
            *(f"image {one}" for one in image.images[1:]),
            *(f"labels {one}" for one in labels),
        )

    return OmeTiffFile(levels, _facts(image, base.body, image.name or group.name, description), omitted)


def _is_reduced(node: AnyNode, last: ArrayNode, letters: Sequence[str]) -> bool:
    """Whether a level has the planes of the one before it, in fewer pixels."""
    if not isinstance(node, ArrayNode) or node.dtype != last.dtype or node.ndim != last.ndim:
        return False
    if node.shape == last.shape:
        return False
    lengths = zip(letters, node.shape, last.shape, strict=True)
    return all(0 < new <= old if letter in "XY" else new == old for letter, new, old in lengths)


def _described(node: AnyNode) -> str:
    return f"{node.name} {node.shape}" if isinstance(node, ArrayNode) else node.name


def _names(image: MultiscaleImage) -> list[str | None]:
    return [_NAMES.get(axis.kind, axis.name) for axis in image.axes]


def _facts(image: MultiscaleImage, body: TiledBody, name: str, description: str = "") -> ImageMetadata:
    """The metadata of the part of an image that a file holds."""
    spacing = {}
    for letter, axis in zip(body.letters, body.kept, strict=True):
        if image.spacing:
            step = abs(image.spacing[axis] * body.indices[axis].step)
            spacing[letter] = step, image.axes[axis].unit
    return ImageMetadata(name, description, spacing, _channels(image, body))


def _channels(image: MultiscaleImage, body: TiledBody) -> list[Channel]:
    if "S" in body.letters or not image.channels:
        return []
    names = [(name or "").lower() for name in _names(image)]
    axis = next((axis for axis, name in enumerate(names) if name in ("c", "channel")), None)
    numbers = body.indices[axis] if axis is not None else range(1)
    return [image.channel(number) for number in islice(numbers, MAX_CHANNELS_TOLD)]
