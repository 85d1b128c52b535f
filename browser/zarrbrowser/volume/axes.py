"""The three axes of a volume: which they are, how long their elements are, and where they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zarrbrowser.coordinates.coordinates import Coordinate, scale_along
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array, is_group
from zarrbrowser.values.numbers import why_no_picture
from zarrcore.conventions import power_of_ten

_DEPTHS = ("z", "depth", "lev", "level", "plane", "slice", "altitude", "height")
_KINDS = ("image", "label image")
"""Pyramids of maps have two axes in space."""
_NOT_SPACE = ("t", "time", "c", "channel", "channels", "s", "sample", "band", "bands")


@dataclass(frozen=True, slots=True)
class VolumeAxes:
    """The axes of a volume, as the Image tab has them: the nearest plane is the one at position 0 of the depth."""

    depth: int
    rows: int
    columns: int
    lengths: tuple[float, float, float]
    """The length of an element of the base along depth, rows and columns, in ``unit`` or relative to each other."""
    unit: str = ""
    """The unit of the lengths; empty if they are no lengths in metres."""
    reverses: tuple[bool, bool, bool] = (False, False, False)
    """Whether depth runs towards the viewer, rows up, columns to the left."""

    @property
    def all(self) -> tuple[int, int, int]:
        """Depth, rows, columns."""
        return self.depth, self.rows, self.columns


def may_be_volume(node: NodeLike) -> bool:
    """Whether the Volume tab exists for a node, according to its metadata; reads nothing else."""
    if is_array(node):
        return _depth_of(node.shape, _given_names(node), _picture(node)) is not None
    if not is_group(node):
        return False
    from zarrcore.conventions import recognise  # late: for a fast start

    recognised = recognise(node)
    if recognised is None or recognised[1] not in _KINDS:
        return False
    axes = _axes_of_attributes(node.attributes)
    return axes is None or sum(_may_be_space(name) for name in axes) >= 3


def volume_axes(
    image: Image, settings: ViewSettings, coordinates: Mapping[int, Coordinate]
) -> VolumeAxes | None:
    """The axes of the volume of an image; None if it has no three axes in space that are longer than 1.

    Rows and columns are those of the Image tab, if the user has not chosen other axes than those of the volume.
    """
    first = Axes.initial(image.base, image.names)
    depth = _depth_of(image.base.shape, image.names, first, image.channel_axis)
    if depth is None:
        return None
    axes = {depth, first.rows, first.columns}
    chosen = settings.axes
    if {chosen.rows, chosen.columns} <= axes:
        first = chosen
        (depth,) = axes - {chosen.rows, chosen.columns}
    reverses = (
        False,
        _runs_up(coordinates.get(first.rows)) != settings.flip_rows,
        _runs_left(coordinates.get(first.columns)) != settings.flip_columns,
    )
    lengths, unit = _lengths(image, (depth, first.rows, first.columns))
    return VolumeAxes(depth, first.rows, first.columns, lengths, unit, reverses)


def _runs_up(coordinate: Coordinate | None) -> bool:
    return coordinate is not None and coordinate.turns_rows


def _runs_left(coordinate: Coordinate | None) -> bool:
    return coordinate is not None and coordinate.turns_columns


def _lengths(image: Image, axes: tuple[int, int, int]) -> tuple[tuple[float, float, float], str]:
    """The lengths of an element along three axes, and their unit; 1 for all if they cannot be compared."""
    scales = [scale_along(image, axis) for axis in axes]
    known = [one for one in scales if one is not None]
    if len(known) == 3:
        unit = known[2][1]
        found = [length * 10.0 ** (power_of_ten(one) - power_of_ten(unit)) for length, one in known]
        return (found[0], found[1], found[2]), unit
    units = {image.units[axis] for axis in axes} if image.units else {""}
    if image.has_scale and len(units) == 1:
        found = [abs(image.spacing[axis]) or 1.0 for axis in axes]
        return (found[0], found[1], found[2]), ""
    return (1.0, 1.0, 1.0), ""


def _picture(array: ArrayLike) -> Axes | None:
    if array.ndim < 3 or why_no_picture(array.dtype):
        return None
    return Axes.initial(array)


def _given_names(array: ArrayLike) -> tuple[str, ...]:
    names = array.dimension_names or (None,) * array.ndim
    return tuple(name or "" for name in names)


def _depth_of(
    shape: Sequence[int], names: Sequence[str], picture: Axes | None, channel_axis: int | None = None
) -> int | None:
    """The third axis of a volume: the one named as a depth, or the last one that may be one."""
    if picture is None or min(shape[picture.rows], shape[picture.columns]) < 2:
        return None
    free = [
        axis
        for axis in picture.further
        if axis != channel_axis and shape[axis] > 1 and _may_be_space(names[axis])
    ]
    named = [axis for axis in free if names[axis].lower() in _DEPTHS]
    found = named or free
    return found[-1] if found else None


def _may_be_space(name: str) -> bool:
    return name.lower() not in _NOT_SPACE


def _axes_of_attributes(attributes: Mapping[str, Any]) -> list[str] | None:
    """The names of the axes of an image of OME-NGFF; None if the attributes do not give them."""
    ome = attributes.get("ome")
    document = ome if isinstance(ome, Mapping) else attributes
    try:
        axes = document["multiscales"][0]["axes"]
        return [str(one["name"] if isinstance(one, Mapping) else one) for one in axes]
    except (KeyError, IndexError, TypeError):
        return None
