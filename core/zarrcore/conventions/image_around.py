"""What the groups above an array say about it: the image of which it is a level, and the names of its dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from zarrcore.conventions.geo import level_paths, pyramid_image
from zarrcore.conventions.image import Level, MultiscaleImage
from zarrcore.conventions.n5_arrays import n5_image
from zarrcore.conventions.nexus.axes import names_in_data
from zarrcore.conventions.registry import meaning, recognise
from zarrcore.errors import StoreError, ZarrError

_IMAGES: Final = ("image", "label image", "pyramid")


def names_along(array: Any, find: Callable[[str], Any]) -> Sequence[str | None] | None:
    """The names of an array's dimensions: its own, or those of the axes of its image or of its NXdata group.

    Version 2 of Zarr, and HDF5 without scales of dimensions, have them only there.

    Raises:
        StoreError: the store failed.
    """
    image = n5_image(array) if array.dimension_names is None else None
    if image is not None and any(axis.name for axis in image.axes):
        return [axis.name for axis in image.axes]
    if array.dimension_names is not None or array.path == "/":
        names: Sequence[str | None] | None = array.dimension_names
        return names
    try:
        image = image_around(array, find)
    except StoreError:
        raise
    except ZarrError:  # the groups above contradict themselves, and name nothing
        return None
    found = names_in_data(array, find) if image is None else [axis.name for axis in image.axes]
    return found if found and any(found) else None


def image_around(array: Any, find: Callable[[str], Any]) -> MultiscaleImage | None:
    """The image of which an array is a level, according to the groups above it."""
    group, _, _ = array.path.rpartition("/")
    while group or array.path != "/":
        node = find(group or "/")
        found = recognise(node)
        if found is not None and found[1] in _IMAGES:
            image = _image_of_group(node, array, find)
            if image is not None:
                return image
        if not group:
            break
        group = group.rpartition("/")[0]
    return None


def _image_of_group(group: Any, array: Any, find: Callable[[str], Any]) -> MultiscaleImage | None:
    """The image in a group of which an array is a level."""
    inside = array.path.removeprefix(group.path.rstrip("/") + "/")
    level = next((path for path in level_paths(group) if inside.startswith(f"{path}/")), None)
    image = (
        meaning(group, find)
        if level is None
        else pyramid_image(group, inside.removeprefix(f"{level}/"), find)
    )
    return image if isinstance(image, MultiscaleImage) and level_in(array, image) is not None else None


def level_in(array: Any, image: MultiscaleImage) -> Level | None:
    """The level of an image that an array is."""
    return next((level for level in image.levels if level.node.path == array.path), None)
