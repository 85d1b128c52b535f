"""The scale of an image: its own, or that of the pyramid of which it is a level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zarrbrowser.image.levels import Image
from zarrbrowser.image.linking.rulers import Scale
from zarrbrowser.image.multiscales import image_of_group, is_image


def scale_of(image: Image, find: Callable[[str], Any], where: str) -> Scale | None:
    """The scale of an image; None if it is unknown; blocks.

    A level of a pyramid without units is measured in elements of the finest level, which only levels of the same pyramid have in
    common.

    Args:
        find: opens the node at a path of its hierarchy.
        where: what tells this hierarchy from others: its address.
    """
    from zarrcore.errors import ZarrError  # late: for a fast start

    if image.has_scale:
        return _own(image)
    if len(image.levels) > 1:
        return _of_finest(image, where)
    above = image.path.rpartition("/")[0] or "/"
    try:
        group = find(above)
        if group.kind != "group" or not is_image(group):
            return None
        whole = image_of_group(group, find)
    except ZarrError:
        return None
    level = next((one for one in whole.levels if one.array.path == image.path), None)
    if level is None:
        return None
    base = _own(whole) or _of_finest(whole, where)
    pairs = zip(base.origin, base.spacing, level.offsets, level.factors, strict=True)
    told = [(origin + offset * spacing, spacing * factor) for origin, spacing, offset, factor in pairs]
    return Scale(tuple(one[1] for one in told), tuple(one[0] for one in told), base.units)


def _own(image: Image) -> Scale | None:
    if not image.has_scale:
        return None
    spacing = tuple(0.0 if axis == image.channel_axis else one for axis, one in enumerate(image.spacing))
    return Scale(spacing, image.origin, image.units)


def _of_finest(image: Image, where: str) -> Scale:
    ndim = image.base.ndim
    return Scale((1.0,) * ndim, (0.0,) * ndim, (f"elements of {where}#{image.path}",) * ndim)
