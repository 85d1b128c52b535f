"""An image as it is looked at: one array, or a pyramid of arrays that hold it ever more coarsely.

Positions are counted in elements of the finest level, the base; element ``i`` covers ``[i − ½, i + ½)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from zarrbrowser.image.axes import axis_names, is_colour
from zarrbrowser.nodes.protocols import ArrayLike

Colour = tuple[int, int, int]
_PALETTE: tuple[Colour, ...] = (
    (0, 255, 0),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 0),
    (255, 0, 0),
    (64, 96, 255),
)
_MOST_CHANNELS = 16
"""More channels than this are a spectrum, which is not blended."""


@dataclass(frozen=True, slots=True)
class Level:
    """One array of a pyramid."""

    array: ArrayLike
    factors: tuple[float, ...]
    """Elements of the base that an element stands for, per axis."""
    offsets: tuple[float, ...]
    """Where the middle of element 0 lies, in elements of the base, per axis."""

    def position(self, axis: int, base: float) -> int:
        """The element nearest to a position of the base, held inside the array."""
        nearest = round((base - self.offsets[axis]) / self.factors[axis])
        return min(max(nearest, 0), max(self.array.shape[axis] - 1, 0))

    def base(self, axis: int, position: float) -> float:
        """Where a position of this level lies in the base."""
        return position * self.factors[axis] + self.offsets[axis]


@dataclass(frozen=True, slots=True)
class Channel:
    """One of the channels that are blended into a picture."""

    name: str
    colour: Colour
    bounds: tuple[float, float] | None = None
    """What the image's author wants shown, or None."""
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class Image:
    """What the Image tab shows."""

    path: str
    """Of the node that was chosen: an array, or a group that holds the levels."""
    levels: tuple[Level, ...]
    """The finest first; at least one."""
    names: tuple[str, ...]
    """One per axis."""
    units: tuple[str, ...] = ()
    """One per axis, empty where it has none."""
    spacing: tuple[float, ...] = ()
    """The distance between two elements of the base, per axis, in units."""
    origin: tuple[float, ...] = ()
    """Where element 0 of the base lies, per axis, in units."""
    channel_axis: int | None = None
    channels: tuple[Channel, ...] = field(default=())
    """One per position of the channel axis; empty where nothing can be blended."""
    is_blended: bool = False
    """Whether its author wants channels blended; else that is only offered."""
    is_labels: bool = False
    """Whether elements are names of things, not amounts."""

    @property
    def base(self) -> ArrayLike:
        """The array of the finest level."""
        return self.levels[0].array

    @property
    def has_scale(self) -> bool:
        """Whether positions have a meaning in units."""
        return bool(self.spacing)


def image_of_array(array: ArrayLike) -> Image:
    """An array by itself."""
    names = axis_names(array.ndim, array.dimension_names)
    axis = None if is_colour(array.shape, array.dtype) else channel_axis(array.shape, names)
    channels = (
        ()
        if axis is None
        else tuple(Channel(f"{names[axis]} {n}", colour_of(n)) for n in range(array.shape[axis]))
    )
    return Image(array.path, (whole(array),), names, channel_axis=axis, channels=channels)


def channel_axis(shape: Sequence[int], names: Sequence[str], given: int | None = None) -> int | None:
    """The axis whose positions are channels that can be blended: ``given``, or the one with the name of a channel axis."""
    axis = given
    if axis is None:
        axis = next((n for n, name in enumerate(names) if name.lower() in ("c", "channel", "channels")), None)
    fits = axis is not None and len(shape) > 2 and axis < len(shape) - 1 and 1 < shape[axis] <= _MOST_CHANNELS
    return axis if fits else None


def colour_of(channel: int) -> Colour:
    """The colour of a channel that has none of its own."""
    return _PALETTE[channel % len(_PALETTE)]


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
        factors: as the metadata says; else they follow from the shapes.
        offsets: as the metadata says; else each element is the mean of those it stands for.
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
    """How wide an element of the base is for its height, where these axes lie in the picture."""
    if not image.has_scale or (image.units and image.units[rows] != image.units[columns]):
        return 1.0
    return abs(image.spacing[columns] / image.spacing[rows]) or 1.0
