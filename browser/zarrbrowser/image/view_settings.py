"""How the user views an image: the plane, its colours, its orientation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.render import Norm
from zarrbrowser.image.levels import Channel, Colour, Image
from zarrbrowser.values.elements import Elements, elements_of


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
    norm: Norm = Norm.LINEAR
    colour_map: str = ""
    """Empty for the colour map that the user chose last for any image."""
    flip_rows: bool = False
    """Whether the user has turned rows around."""
    flip_columns: bool = False
    is_blended: bool = False
    channels: tuple[ChannelSettings, ...] = ()
    labels: str = ""
    """Name of the labels over the picture; empty for none."""
    labels_opacity: float = 0.5
    coastlines: bool = True
    """Whether maps have coastlines."""
    graticule: bool = False
    """Whether maps have lines of longitude and latitude."""
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

    def planes(self, image: Image) -> list[Axes]:
        """The planes to read: one per channel that is on, or the plane at the sliders' positions."""
        if not self.is_blended or image.channel_axis is None:
            return [self.axes.as_plane()]
        return [self.axes.at(image.channel_axis, position).as_plane() for position in self.channels_on]

    def describe(self, image: Image) -> str:
        """The plane's position: ``t = 3, z = 12``, without blended channels and axes of length 1."""
        axes = self.axes
        return ", ".join(f"{axes.names[axis]} = {axes.index[axis]:,}" for axis in self.sliders(image))

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
    channels = (ChannelSettings(one, one.is_on, one.colour, _contrast(one.bounds)) for one in image.channels)
    return ViewSettings(
        axes,
        elements_of(array, is_unpacked=is_unpacked),
        colour_map=LABELS if image.is_labels else "",
        is_blended=image.is_blended,
        channels=tuple(channels),
    )


def _contrast(bounds: tuple[float, float] | None) -> Contrast:
    return Contrast() if bounds is None else Contrast(ContrastMode.FIXED, *bounds)
