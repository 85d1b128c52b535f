"""How the user views an image: the plane, its colours, its orientation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.calculations.comparison import Comparison, Operation, OtherArray
from zarrbrowser.image.calculations.derivation import Derivation, may_derive
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.levels import Channel, Colour, Image
from zarrbrowser.maps.projection import Projection
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.values.elements import Elements, elements_of, may_mask, unit_of

if TYPE_CHECKING:  # the window loads the settings at its start, but reads no picture yet
    from zarrbrowser.image.tiles.raster import Raster

_LATITUDES = ("lat", "latitude")
_WEIGHABLE = (Statistic.MEAN, Statistic.DEVIATION, Statistic.SUM)


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """One channel of a blend."""

    channel: Channel
    is_on: bool
    colour: Colour
    contrast: Contrast = field(default_factory=Contrast)


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """How one image is shown. The session keeps it, so that the image looks the same when the user returns to it."""

    axes: Axes
    elements: Elements
    contrast: Contrast = field(default_factory=Contrast)
    keeps_range: bool = True
    """Whether an automatic contrast is that of all planes seen so far, not of each plane: equal numbers keep their colour."""
    norm: Norm = Norm.LINEAR
    colour_map: str = ""
    """Empty for the colour map that the user chose last for any image."""
    flip_rows: bool = False
    """Whether the user has turned rows around."""
    flip_columns: bool = False
    is_blended: bool = False
    channels: tuple[ChannelSettings, ...] = ()
    contours: bool = False
    """Whether contour lines are drawn over the picture."""
    labels: str = ""
    """Name of the labels over the picture; empty for none."""
    labels_opacity: float = 0.5
    coastlines: bool = True
    """Whether maps have coastlines."""
    graticule: bool = False
    """Whether maps have lines of longitude and latitude."""
    projection: Projection = Projection.NONE
    """How maps are projected."""
    reduction: Reduction | None = None
    """The statistic along an axis that the picture shows, instead of one position."""
    comparison: Comparison | None = None
    """What the picture is compared with."""
    other: OtherArray | None = None
    """The opened array of a comparison with another array; None while it is being opened."""
    may_read_bytes: int = 0
    """The largest read that the user agreed to."""

    def with_channel(self, position: int, **changes: Any) -> ViewSettings:
        """The same settings with another channel setting."""
        channels = list(self.channels)
        channels[position] = replace(channels[position], **changes)
        return replace(self, channels=tuple(channels))

    def with_picture_axes(self, image: Image, rows: int, columns: int) -> ViewSettings:
        """The same settings with other axes in the picture; a channel axis in the picture cannot be blended."""
        axes = replace(self.axes, rows=rows, columns=columns)
        return replace(self, axes=axes, is_blended=self.is_blended and image.channel_axis not in axes.shown)

    def settled(self, image: Image) -> ViewSettings:
        """The same settings without a reduction that does not fit the axes of the picture, or is not of numbers.

        Labels are not masked: the largest number may be a label.
        """
        if self.elements.masks_largest and self.colour_map == LABELS and not self.is_blended:
            return replace(self, elements=replace(self.elements, masks_largest=False)).settled(image)
        one = self.reduction
        fits = one is None or (
            one.axis in self.sliders(image)
            and self.axes.channel is None
            and may_derive(image.base, self.elements)
        )
        settings = self if fits else replace(self, reduction=None)
        return settings if self._may_compare(image) else replace(settings, comparison=None, other=None)

    def _may_compare(self, image: Image) -> bool:
        one = self.comparison
        if one is None:
            return self.other is None
        if self.is_blended or self.axes.channel is not None or not may_derive(image.base, self.elements):
            return False
        if one.address:
            return self.other is None or self.other.over == (self.axes.rows, self.axes.columns)
        # Only one axis at a time can have a statistic.
        is_single = one.statistic is None or self.reduction is None or self.reduction.axis == one.axis
        return one.axis in self.sliders(image) and is_single

    def basis(self, image: Image) -> object:
        """What the numbers of the picture are, apart from their plane: a contrast fits only equal ones."""
        axis = image.channel_axis
        channels = None if axis is None else self.channels_on if self.is_blended else [self.axes.index[axis]]
        return self.elements, self.reduction, self.comparison, self.other, channels

    @property
    def is_derived(self) -> bool:
        """Whether the numbers of the picture are computed, not stored."""
        return self.reduction is not None or self.compares

    @property
    def compares(self) -> bool:
        """Whether the picture shows a comparison: another array is opened in the background."""
        one = self.comparison
        return one is not None and (not one.address or self._opened is not None)

    @property
    def _opened(self) -> OtherArray | None:
        one, other = self.comparison, self.other
        return other if one is not None and other is not None and other.address == one.address else None

    def drawn_image(self, image: Image) -> Image:
        """The image with the levels that can be drawn: those of a comparison exist in both images."""
        other = self._opened
        if other is None:
            return image
        axes, plane = self.axes, other.plane
        levels = tuple(
            level
            for level in image.levels
            if plane.array_for((level.array.shape[axes.rows], level.array.shape[axes.columns])) is not None
        )
        return image if len(levels) == len(image.levels) else replace(image, levels=levels)

    def unit(self, array: ArrayLike) -> str:
        """The symbol of the unit of the numbers of the picture; empty without one."""
        keep = (Operation.DIFFERENCE, Operation.MASK)
        is_ratio = self.comparison is not None and self.comparison.operation not in keep
        return "" if self.compares and is_ratio else unit_of(array, self.elements)

    def drawn_elements(self, raster: Raster) -> Elements:
        """How the samples of a raster become numbers: computed ones are numbers already."""
        return self.elements if raster.derivation is None else Elements()

    def planes(self, image: Image) -> list[Axes]:
        """The planes to read: one per channel that is on, or the plane at the sliders' positions."""
        axes = self.axes
        if self.is_derived:
            second = None if self._opened is None else self._opened.at(axes.index)
            if second is not None and may_mask(image.base.dtype) and not self.elements.masks_largest:
                # One box switches the masks of both arrays.
                second = replace(second, elements=replace(second.elements, masks_largest=False))
            comparison = self.comparison if self.compares else None
            axes = replace(axes, derivation=Derivation(self.elements, self.reduction, comparison, second))
        if self.reduction is not None:
            axes = axes.at(self.reduction.axis, 0)  # the position does not matter
        if not self.is_blended or image.channel_axis is None:
            return [axes.as_plane()]
        return [axes.at(image.channel_axis, position).as_plane() for position in self.channels_on]

    def describe(self, image: Image) -> str:
        """The plane's position: ``t = 3, mean along z``, without blended channels and axes of length 1."""
        places = [self.place_along(axis) for axis in self.sliders(image)]
        return ", ".join([*places, *([self.compared_with] if self.compares else [])])

    @property
    def compared_with(self) -> str:
        """What the picture is compared with; only if it is."""
        one = self.comparison
        assert one is not None  # noqa: S101 - only then
        what = one.address
        if not what:
            name = self.axes.names[one.axis]
            what = f"{one.statistic.value} along {name}" if one.statistic else f"{name} = {one.position:,}"
        if one.operation is Operation.MASK:
            return f"masked by {what}"
        return (
            f"ratio to {what}" if one.operation is Operation.RATIO else f"{one.operation.value} from {what}"
        )

    def place_along(self, axis: int, coordinate: str = "") -> str:
        """The position along an axis, by its coordinate if that is known, or the statistic along it."""
        name = self.axes.names[axis]
        if self.reduction is not None and self.reduction.axis == axis:
            statistic = self.reduction.statistic
            # Rows of a map shrink towards the poles; those of one latitude are all of one size.
            plain = statistic in _WEIGHABLE and name.lower() in _LATITUDES
            return f"{statistic.value} along {name}" + (" (not weighted by area)" if plain else "")
        return f"{name} = {coordinate or f'{self.axes.index[axis]:,}'}"

    def sliders(self, image: Image) -> list[int]:
        """The axes that have other planes to move to."""
        blended = image.channel_axis if self.is_blended else None
        return [axis for axis in self.axes.further if self.axes.shape[axis] > 1 and axis != blended]

    @property
    def channels_on(self) -> list[int]:
        """The positions of the blended channels; the first one if none is on."""
        return [position for position, one in enumerate(self.channels) if one.is_on] or [0]


def initial_settings(image: Image, *, is_unpacked: bool = True) -> ViewSettings:
    """The settings for an image that is shown for the first time."""
    array = image.base
    axes = Axes.initial(array, image.names)
    channels = (ChannelSettings(one, one.is_on, one.colour, initial_contrast(one)) for one in image.channels)
    return ViewSettings(
        axes,
        elements_of(array, is_unpacked=is_unpacked, is_picture=not image.is_labels),
        colour_map=LABELS if image.is_labels else "",
        is_blended=image.is_blended,
        channels=tuple(channels),
    )


def initial_contrast(channel: Channel) -> Contrast:
    """The contrast that the author of an image wants for a channel."""
    return Contrast() if channel.bounds is None else Contrast(ContrastMode.FIXED, *channel.bounds)


def symmetric(comparison: Comparison | None) -> Contrast:
    """The contrast around 0, or around what a comparison gives for equal numbers."""
    centre = 0.0 if comparison is None else comparison.operation.centre
    return Contrast(ContrastMode.SYMMETRIC, centre - 1.0, centre + 1.0)
