"""Groups that are one multiscale image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zarrbrowser.image.axes import axis_names
from zarrbrowser.image.levels import Channel, Image, channel_axis, colour_of, level_of
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array, is_broken
from zarrcore.errors import MetadataError

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrcore.conventions import MultiscaleImage

# The code that reads the metadata is imported late: the window loads this module before the codecs.


_KINDS = ("image", "label image", "pyramid")


class NotAnImageError(MetadataError):
    """A group that is not one image: nothing failed, so trying again is of no use."""


def is_image(node: NodeLike) -> bool:
    """Whether a group opens as one image, according to its attributes; reads nothing else."""
    from zarrcore.conventions import recognise  # late: for a fast start

    recognised = recognise(node)
    return recognised is not None and recognised[1] in _KINDS


def may_be_image(node: NodeLike) -> bool:
    """Whether `is_inferred_image` needs to be asked about a group; reads nothing."""
    from zarrcore.conventions import may_be_pyramid, recognise  # late: for a fast start

    return may_be_pyramid(node) and recognise(node) is None


def is_inferred_image(group: NodeLike, find: Callable[[str], Any]) -> bool:
    """Whether a group opens as one image, according to the arrays in it; blocks.

    Raises:
        StoreError: the store failed.
    """
    from zarrcore.conventions import inferred  # late: for a fast start

    found = inferred(group, find)
    return found is not None and found[1] in _KINDS


def image_of_group(group: NodeLike, find: Callable[[str], Any], variable: str = "") -> Image:
    """Open the levels of a group that is an image.

    Args:
        find: the node at an absolute path.
        variable: the name of the variable, or image, for a group of several; by default the first.

    Raises:
        NotAnImageError: the group is not one image.
        MetadataError: the levels are missing, or the metadata does not fit them.
        ZarrError: a level cannot be opened.
    """
    from zarrcore.conventions import no_levels  # late: for a fast start

    found, variables, variable = _found(group, find, variable)
    broken = [level.node for level in found.levels[1:] if is_broken(level.node)]
    described = [level for level in found.levels if level.node not in broken]
    arrays = [level.node for level in described]
    base = arrays[0]
    if not all(is_array(array) and array.ndim == base.ndim for array in arrays):
        raise no_levels(group.path)
    if base.ndim < 2:
        raise MetadataError(f"{group.path}: the levels of its pyramid have fewer than two dimensions")
    levels = [level_of(base.shape, level.node, level.factors, level.offsets) for level in described]
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
        missing=(*found.missing, *(node.name for node in broken)),
        unapplied=found.unapplied_to_levels,
        variables=variables,
        variable=variable,
    )


def _found(
    group: NodeLike, find: Callable[[str], Any], variable: str
) -> tuple[MultiscaleImage, tuple[str, ...], str]:
    """What the metadata says of the image, with the names of all variables if there are several, and that of this one."""
    from zarrcore.conventions import MultiscaleImage, Pyramid, image_named, meaning, pyramid_image  # as above

    found = meaning(group, find)
    if isinstance(found, Pyramid):
        if not found.variables:
            raise MetadataError(f"{group.path}: the levels of its pyramid have no array with two dimensions")
        variable = variable if variable in found.variables else found.variables[0]
        image = pyramid_image(group, variable, find)
        missing = tuple(dict.fromkeys((*found.missing, *image.missing)))
        return replace(image, missing=missing), found.variables, variable
    if not isinstance(found, MultiscaleImage):
        raise NotAnImageError(f"{group.path} is not one image: choose an image or array in it")
    if len(found.images) < 2:
        return found, (), ""
    if variable not in found.images[1:]:
        return found, found.images, found.images[0]
    return image_named(group, variable, find), found.images, variable


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
