"""From loaded tiles to colours on the screen, and statistics of their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.coordinates.coordinates import scale_along
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.contrast import Statistics, statistics
from zarrbrowser.image.colours.render import NOTHING, Style, blend, brightest_of, coloured, colours_of
from zarrbrowser.image.displayed_slice import DisplayedChannel, DisplayedSlice, ImageInfo, Selection
from zarrbrowser.image.labels import DrawnLabels
from zarrbrowser.image.levels import Image, Level, Rgba
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import Frame, Mosaic, View, assemble, rect_of, window_of
from zarrbrowser.image.tiles.raster import Raster, Window
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.values.elements import elements_of
from zarrcore.conventions import in_centimetres

_WHOLE = 0.995
"""A part that is larger than this is called the whole plane."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a plane that was measured."""

    planes: tuple[Axes, ...]
    """One per blended channel, else one."""
    rect: tuple[float, float, float, float]
    """In the base: top, left, bottom, right."""
    share: float
    """How much of the plane it is, 0 to 1."""

    @classmethod
    def of(cls, frame: Frame, tiles: int | None = None) -> Part:
        """The part of a frame that its tiles cover, without the margin that may not be loaded.

        Args:
            frame: the frame.
            tiles: how many of its tiles are loaded; all of them by default.
        """
        raster, window = frame.raster, frame.window
        if frame.tiles:
            window = _common(window, [raster.samples(tile) for tile in frame.tiles])
        covered = [
            max(0, part.stop - part.start) / max(1, length)
            for part, length in zip(window, raster.shape, strict=True)
        ]
        loaded = 1.0 if tiles is None or not frame.tiles else tiles / len(frame.tiles)
        return cls(frame.planes, rect_of(raster, window), covered[0] * covered[1] * loaded)

    @property
    def is_whole(self) -> bool:
        """Whether it is the plane, or nearly so."""
        return self.share > _WHOLE

    def contains(self, other: Part) -> bool:
        """Whether another part is inside this one."""
        (top, left, bottom, right), theirs = self.rect, other.rect
        is_inside = top <= theirs[0] and left <= theirs[1] and theirs[2] <= bottom and theirs[3] <= right
        return is_inside and self.planes == other.planes


def _common(window: Window, parts: Sequence[Window]) -> Window:
    """A window, cut to the extent of parts of the same plane."""
    sides = []
    for side, part in enumerate(window):
        start = max(part.start, min(one[side].start for one in parts))
        sides.append(slice(start, max(start, min(part.stop, max(one[side].stop for one in parts)))))
    return sides[0], sides[1]


@dataclass(frozen=True, slots=True)
class Measured:
    """Statistics that colours follow; pooled as more of a plane is read, and more planes, so that colours keep their meaning."""

    statistics: tuple[Statistics, ...]
    """One per blended channel, else one; none for RGB, which is drawn unchanged."""
    brightest: float = 255.0
    """The RGB value of full brightness."""
    parts: tuple[Part, ...] = ()
    """What was measured."""

    def covers(self, part: Part) -> bool:
        """Whether a part was measured."""
        return any(one.contains(part) for one in self.parts)

    def pooled(self, earlier: Measured) -> Measured:
        """The statistics of these parts and of earlier ones."""
        others = tuple(part for part in earlier.parts if not self.covers(part))
        if not others or len(earlier.statistics) != len(self.statistics):
            return self
        both = zip(self.statistics, earlier.statistics, strict=True)
        statistics = tuple(mine.pooled(theirs) for mine, theirs in both)
        return Measured(statistics, max(self.brightest, earlier.brightest), (*others, *self.parts))

    def with_counts(self, newer: Measured) -> Measured:
        """The same statistics with the counts of missing values of a plane that is a part of them."""
        both = zip(self.statistics, newer.statistics, strict=True)
        return replace(self, statistics=tuple(mine.with_counts(theirs) for mine, theirs in both))

    @property
    def description(self) -> str:
        """What was measured: "4 % of the plane"; empty if that is the whole plane."""
        planes: list[tuple[Axes, ...]] = []
        for part in self.parts:
            if part.planes not in planes:
                planes.append(part.planes)
        if len(planes) > 1:
            return f"{len(planes)} planes seen"
        if len(self.parts) > 1:
            return "the parts seen"
        if not self.parts or self.parts[0].is_whole:
            return ""
        return f"{max(0.1, 100 * self.parts[0].share):.2g} % of the plane"


def compose(frame: Frame, cache: TileCache, backdrops: Sequence[Sequence[Mosaic]] = ()) -> tuple[Mosaic, ...]:
    """The mosaics of a frame, one per raster.

    Args:
        backdrops: for each raster, other mosaics of the same plane, the best first.
    """
    coarse = {tile.raster.index: tile.raster for tile in frame.backdrop if tile in cache}
    mosaics = []
    for number, raster in enumerate(frame.rasters):
        behind = list(backdrops[number]) if number < len(backdrops) else []
        backdrop = coarse.get(_index_in(frame, raster))
        if backdrop is not None:
            height, width = backdrop.shape
            behind.append(assemble(backdrop, (slice(0, height), slice(0, width)), cache))
        mosaics.append(assemble(raster, frame.window, cache, behind))
    return tuple(mosaics)


def _index_in(frame: Frame, raster: Raster) -> tuple[int, ...]:
    """The plane of a raster, in the backdrop's level."""
    if not frame.backdrop:
        return ()
    level = frame.backdrop[0].raster.level
    shown = {*raster.axes, raster.channel}
    return tuple(
        0 if axis in shown else level.position(axis, raster.level.base(axis, place))
        for axis, place in enumerate(raster.index)
    )


def measure(settings: ViewSettings, mosaics: Sequence[Mosaic], part: Part | None = None) -> Measured:
    """Statistics of the numbers of mosaics, if there are any.

    Args:
        part: the part of the plane that they show.
    """
    parts = () if part is None else (part,)
    if mosaics[0].raster.channel is not None:
        return Measured((), brightest_of(mosaics[0].values, settings.elements), parts)
    found = []
    for mosaic in mosaics:
        values = mosaic.values if mosaic.is_there is None else mosaic.values[mosaic.is_there]
        numbers, is_fill = settings.drawn_elements(mosaic.raster).numbers(values)
        found.append(statistics(numbers, is_fill))
    return Measured(tuple(found), parts=parts)


def bounds(settings: ViewSettings, measured: Measured) -> list[tuple[float, float]]:
    """The values of the first and the last colour, for each blended channel, else for the picture."""
    if settings.is_blended:
        wishes = [settings.channels[position].contrast for position in settings.channels_on]
        both = zip(measured.statistics, wishes, strict=True)
        return [found.levels(wish, settings.norm) for found, wish in both]
    return [found.levels(settings.contrast, settings.norm) for found in measured.statistics]


def is_told_missing(state: ImageState) -> bool:
    """Whether the attributes say which numbers are missing: those that are marked are the same as NaN then."""
    elements = state.settings.elements
    return not elements.masks_largest and (
        elements.packing is not None or (elements.has_marks and elements_of(state.image.base).has_marks)
    )


def style_of(state: ImageState, measured: Measured, nan: Rgba = NOTHING, fill: Rgba = NOTHING) -> Style:
    """How the numbers of a picture become colours.

    What the attributes call missing has the colour of NaN, whatever is stored for it; other marks have their own.
    """
    settings, levels = state.settings, bounds(state.settings, measured)
    if is_told_missing(state):
        fill = nan
    return Style(
        settings.colour_map or state.colour_map,
        settings.norm,
        levels[0] if levels else (0.0, 1.0),
        nan,
        fill,
        state.image.label_colours,
    )


def paint(
    settings: ViewSettings, mosaics: Sequence[Mosaic], measured: Measured, style: Style
) -> NDArray[np.uint8]:
    """The picture, shape (h, w, 4); transparent where nothing is loaded yet."""
    first = mosaics[0]
    if first.raster.channel is not None:
        picture = coloured(first.values, measured.brightest, settings.elements, style)
    elif settings.is_blended:
        picture = blend(
            [mosaic.values for mosaic in mosaics],
            settings.drawn_elements(first.raster),
            bounds(settings, measured),
            [settings.channels[position].colour for position in settings.channels_on],
            style,
        )
    else:
        picture = colours_of(first.values, settings.drawn_elements(first.raster), style)
    if first.is_there is not None:
        picture.view(np.uint32)[..., 0] *= first.is_there  # ten times as fast as assigning NOTHING
    return picture


def displayed_slice(
    state: ImageState,
    frame: Frame,
    measured: Measured,
    view: View,
    number: int | None = None,
) -> DisplayedSlice:
    """The displayed slice, as a value from which it can be read again.

    Args:
        number: the level to read; by default the level on the screen.
    """
    image, settings = state.image, state.settings
    level = frame.raster.level if number is None else image.levels[number]
    plane = Raster.of(level, frame.planes[0])
    height, width = plane.level_shape
    channels = []
    if settings.is_blended and image.channel_axis is not None:
        for position, levels in zip(settings.channels_on, bounds(settings, measured), strict=True):
            one = settings.channels[position]
            channels.append(DisplayedChannel(replace(one.channel, colour=one.colour), position, levels))
    axes = replace(settings.axes, shape=tuple(level.array.shape), index=plane.index)
    whole, in_view = (slice(0, height), slice(0, width)), window_of(plane, view)
    channel_axis = image.channel_axis if channels else None
    return DisplayedSlice(
        level.array,
        level.array.path,
        image.levels.index(level),
        axes,
        _with_channels(plane.selection(whole), settings, channel_axis),
        _with_channels(plane.selection(in_view), settings, channel_axis),
        *state.flips,
        settings.elements,
        style_of(state, measured),
        measured.brightest,
        channel_axis,
        tuple(channels),
        _of_image(image, level),
        _labels_of(state, level),
    )


def _labels_of(state: ImageState, level: Level) -> DrawnLabels | None:
    if state.labels is None or not state.settings.labels:
        return None
    return DrawnLabels(state.labels, state.settings.axes, level, state.settings.labels_opacity)


def _with_channels(selection: Selection, settings: ViewSettings, axis: int | None) -> Selection:
    """A selection of one channel extended to all blended channels; to the whole axis if they are not adjacent."""
    if axis is None:
        return selection
    first, last = settings.channels_on[0], settings.channels_on[-1]
    part: int | slice = (
        slice(first, last + 1) if len(settings.channels_on) == last + 1 - first else slice(None)
    )
    part = first if first == last else part
    return (*selection[:axis], part, *selection[axis + 1 :])


def _of_image(image: Image, level: Level) -> ImageInfo | None:
    if image.path == image.base.path and not image.channels:
        return None
    sizes: list[float | None] = []
    for axis, factor in enumerate(level.factors):
        scale = scale_along(image, axis)
        sizes.append(None if scale is None else in_centimetres(scale[0] * factor, scale[1]))
    names = tuple(one.name for one in image.channels)
    return ImageInfo(image.name, len(image.levels), image.channel_axis, names, tuple(sizes))
