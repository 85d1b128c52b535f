"""The size of pixels, which TIFF states as pixels per centimetre: that of the image of which an array is a level.

Specification: Adobe, "TIFF Revision 6.0", "XResolution", "YResolution", "ResolutionUnit".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from zarrcore.array import Array
from zarrcore.conventions import Level, MultiscaleImage
from zarrcore.conventions.image_around import image_around, level_in
from zarrcore.conventions.units import in_centimetres, is_length
from zarrcore.errors import StoreError, ZarrError
from zarrcore.hierarchy import ArrayNode

Sizes = tuple[float | None, ...]
"""Centimetres from an element to the next, along each dimension of an array; None if unknown. Empty without an image."""


def pixel_sizes(array: Array, find: Callable[[str], Any]) -> Sizes:
    """What the image around an array says about the distance between its elements.

    Raises:
        StoreError: the store failed.
    """
    try:
        image = image_around(array, find) if isinstance(array, ArrayNode) else None
    except StoreError:
        raise
    except ZarrError:  # the groups above contradict themselves
        return ()
    level = None if image is None else level_in(array, image)
    return () if image is None or level is None else sizes_of_level(image, level)


def sizes_of_level(image: MultiscaleImage, level: Level) -> Sizes:
    """The same of a level of an image."""
    if not image.spacing or level.factors is None:
        return ()
    steps = zip(image.spacing, level.factors, image.axes, strict=True)
    return tuple(
        in_centimetres(abs(step * factor), axis.unit) or None if is_length(axis.unit) else None
        for step, factor, axis in steps
    )


def resolution_of(
    sizes: Sizes, indices: Sequence[range], plane: Sequence[int | None]
) -> tuple[float, float] | None:
    """Pixels per centimetre down and to the right; None if unknown.

    Args:
        sizes: of the array.
        indices: the selected indices of each dimension.
        plane: the dimensions of rows and columns.
    """
    if len(sizes) != len(indices) or len(plane) != 2:
        return None
    found = [None if axis is None else (sizes[axis], abs(indices[axis].step)) for axis in plane]
    ratios = [1 / (one[0] * one[1]) for one in found if one is not None and one[0]]
    return (ratios[0], ratios[1]) if len(ratios) == 2 else None
