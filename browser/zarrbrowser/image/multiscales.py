"""Groups that are one multiscale image."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zarrbrowser.image.axes import axis_names
from zarrbrowser.image.levels import Channel, Image, channel_axis, colour_of, level_of
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.conventions import MultiscaleImage

# The code that reads the metadata is imported late: the window loads this module before the codecs.


def is_image(node: NodeLike) -> bool:
    """Whether a group opens as one image, according to its attributes; reads nothing else."""
    from zarrcore import conventions  # late: for a fast start

    return conventions.is_image(node)


def image_of_group(group: NodeLike, find: Callable[[str], Any]) -> Image:
    """Open the levels of a group that `is_image`.

    Args:
        find: the node at an absolute path.

    Raises:
        MetadataError: the levels are missing, or the metadata does not fit them.
        ZarrError: a level cannot be opened.
    """
    from zarrcore.conventions import image_of, no_levels  # late: for a fast start
    from zarrcore.errors import MetadataError

    found = image_of(group, find)
    arrays = [level.node for level in found.levels]
    base = arrays[0]
    if not all(is_array(array) and array.ndim == base.ndim for array in arrays):
        raise no_levels(group.path)
    if base.ndim < 2:
        raise MetadataError(f"{group.path}: the levels of its pyramid have fewer than two dimensions")
    levels = [level_of(base.shape, level.node, level.factors, level.offsets) for level in found.levels]
    names = axis_names(base.ndim, [axis.name for axis in found.axes])
    axis, channels = _channels(found, base, names)
    return Image(
        group.path,
        tuple(levels),
        names,
        tuple(axis.unit for axis in found.axes),
        found.spacing,
        found.origin,
        axis,
        channels,
        is_blended=bool(channels) and not found.is_labels,
        is_labels=found.is_labels,
        labels=found.labels,
    )


def _channels(
    found: MultiscaleImage, base: ArrayLike, names: tuple[str, ...]
) -> tuple[int | None, tuple[Channel, ...]]:
    """The channel axis and its channels; no channels if there is only one or too many."""
    axis = channel_axis(base.shape, names, found.channel_axis)
    if axis is None:
        return None, ()
    channels = []
    for number in range(base.shape[axis]):
        one = found.channel(number)
        name, colour = one.name or f"channel {number}", one.colour or colour_of(number)
        channels.append(Channel(name, colour, one.bounds, one.is_on))
    return axis, tuple(channels)
