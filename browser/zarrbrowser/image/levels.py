"""An image and its levels: one array, or a pyramid of arrays, each coarser than the one before.

Positions are counted in elements of the finest level, the base; element ``i`` covers ``[i − ½, i + ½)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from zarrbrowser.image.axes import axis_names, is_colour
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.nodes.source_name import source_name

if TYPE_CHECKING:
    from zarrcore.conventions import Label, MultiscaleImage

Colour = tuple[int, int, int]
Rgba = tuple[int, int, int, int]
_MOST_CHANNELS = 16
"""More channels than this are treated as a spectrum, which is not blended."""


@dataclass(frozen=True, slots=True)
class Level:
    """One array of a pyramid."""

    array: ArrayLike
    factors: tuple[float, ...]
    """Elements of the base per element, per axis."""
    offsets: tuple[float, ...]
    """The position of the centre of element 0, in elements of the base, per axis."""

    def position(self, axis: int, base: float) -> int:
        """The element nearest to a position of the base, clipped to the array."""
        nearest = round((base - self.offsets[axis]) / self.factors[axis])
        return min(max(nearest, 0), max(self.array.shape[axis] - 1, 0))

    def base(self, axis: int, position: float) -> float:
        """A position of this level, converted to the base."""
        return position * self.factors[axis] + self.offsets[axis]


@dataclass(frozen=True, slots=True)
class Channel:
    """One of the channels that are blended into a picture."""

    name: str
    colour: Colour
    bounds: tuple[float, float] | None = None
    """The range that the image's author wants shown, or None."""
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class Image:
    """The image that the Image tab shows."""

    path: str
    """The path of the chosen node: an array, or a group that holds the levels."""
    levels: tuple[Level, ...]
    """The levels, the finest first; at least one."""
    names: tuple[str, ...]
    """One per axis."""
    units: tuple[str, ...] = ()
    """One per axis, empty for an axis without a unit."""
    spacing: tuple[float, ...] = ()
    """The distance between two elements of the base, per axis, in units."""
    origin: tuple[float, ...] = ()
    """The position of element 0 of the base, per axis, in units."""
    channel_axis: int | None = None
    channels: tuple[Channel, ...] = field(default=())
    """One per position of the channel axis; empty if nothing can be blended."""
    is_blended: bool = False
    """Whether the image's author wants channels blended; otherwise blending is only offered."""
    is_labels: bool = False
    """Whether elements are labels of objects, not quantities."""
    labels: Mapping[int, Label] = field(default_factory=dict)
    """Colours and properties of labels, by value."""
    missing: tuple[str, ...] = ()
    """The names of levels that the metadata describe, but that are missing or broken."""
    unapplied: tuple[str, ...] = ()
    """Transformations of the levels that are not applied, in words: without them, positions are wrong."""
    variables: tuple[str, ...] = ()
    """The names of the variables of a pyramid of several, or of the images of a group; each is an image."""
    variable: str = ""
    """The one that this is."""

    @property
    def name(self) -> str:
        """The name of the chosen node, that of its source if it is the root; may be empty."""
        return self.path.rpartition("/")[2] or source_name(self.base) or self.base.name

    @property
    def key(self) -> str:
        """What view settings are remembered by: each variable has its own."""
        return f"{self.path}#{self.variable}" if self.variable else self.path

    @property
    def base(self) -> ArrayLike:
        """The array of the finest level."""
        return self.levels[0].array

    @property
    def label_colours(self) -> tuple[tuple[int, Rgba], ...]:
        """The colours that the metadata give to labels, by rising value."""
        return tuple(
            sorted((value, one.colour) for value, one in self.labels.items() if one.colour is not None)
        )

    @property
    def has_scale(self) -> bool:
        """Whether positions have a meaning in units."""
        return bool(self.spacing)


def image_of_array(array: ArrayLike, names: Sequence[str | None] | None = None) -> Image:
    """The image of an array by itself; its axes may have names that other nodes say."""
    scaled = _scaled(array)
    if scaled is not None:
        names = names or [axis.name for axis in scaled.axes]
    names = axis_names(array.ndim, names or array.dimension_names)
    axis = None if is_colour(array.shape, array.dtype) else channel_axis(array.shape, names)
    channels = (
        ()
        if axis is None
        else tuple(Channel(f"{names[axis]} {n}", colour_of(n)) for n in range(array.shape[axis]))
    )
    image = Image(array.path, (whole(array),), names, channel_axis=axis, channels=channels)
    if scaled is None:
        return image
    units = tuple(one.unit for one in scaled.axes)
    return replace(image, units=units, spacing=scaled.spacing, origin=scaled.origin)


def _scaled(array: ArrayLike) -> MultiscaleImage | None:
    """The scale of an array of N5, which alone has it in its own attributes."""
    hierarchy: Any = getattr(array, "hierarchy", None)
    if hierarchy is None or hierarchy.format.name != "n5":
        return None
    from zarrcore.conventions import n5_image  # late: for a fast start

    return n5_image(array)


def channel_axis(shape: Sequence[int], names: Sequence[str], given: int | None = None) -> int | None:
    """The axis of channels that can be blended: ``given``, or the axis named as a channel axis."""
    axis = given
    if axis is None:
        axis = next((n for n, name in enumerate(names) if name.lower() in ("c", "channel", "channels")), None)
    fits = axis is not None and len(shape) > 2 and axis < len(shape) - 1 and 1 < shape[axis] <= _MOST_CHANNELS
    return axis if fits else None


def colour_of(channel: int) -> Colour:
    """The colour of a channel without its own colour."""
    from zarrcore.conventions import channel_colour  # late: for a fast start

    return channel_colour(channel)


def whole(array: ArrayLike) -> Level:
    """A level that is its own base."""
    return Level(array, (1.0,) * array.ndim, (0.0,) * array.ndim)


def level_of(
    base: Sequence[int],
    array: ArrayLike,
    factors: Sequence[float] | None = None,
    offsets: Sequence[float] | None = None,
) -> Level:
    """A coarser level of a base of that shape.

    Args:
        factors: from the metadata; by default derived from the shapes.
        offsets: from the metadata; by default each element is the mean of the elements that it covers.
    """
    if factors is None:
        factors = [
            float(max(1, round(whole / max(1, part)))) for whole, part in zip(base, array.shape, strict=True)
        ]
    known_offsets = offsets if offsets is not None else [(factor - 1) / 2 for factor in factors]
    return Level(array, tuple(map(float, factors)), tuple(map(float, known_offsets)))


def has_colours(image: Image) -> bool:
    """Whether the last axis holds red, green and blue."""
    return is_colour(image.base.shape, image.base.dtype)


def proportion(image: Image, rows: int, columns: int) -> float:
    """The ratio of width to height of an element of the base, with these axes in the picture."""
    if not image.has_scale or (image.units and image.units[rows] != image.units[columns]):
        return 1.0
    return abs(image.spacing[columns] / image.spacing[rows]) or 1.0
