"""Statistics of the elements in regions, for all channels, from the finest level."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image
from zarrbrowser.image.regions.shapes import Region
from zarrbrowser.image.tiles.raster import Raster, Tile, Window
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.maps.areas import areas_km2
from zarrbrowser.maps.geography import Geography
from zarrbrowser.nodes.read_cost import Cancelled, ReadCost
from zarrcore.typing import AnyArray

_COLOURS = ("red", "green", "blue", "alpha")


@dataclass(frozen=True, slots=True)
class ChannelStatistics:
    """Statistics of one channel; NaN without known elements."""

    channel: str
    """Its name; empty if there is only one."""
    known: int
    """The number of elements that have a value."""
    mean: float
    deviation: float
    """Population standard deviation."""
    minimum: float
    maximum: float


@dataclass(frozen=True, slots=True)
class RegionStatistics:
    """What is known of a region."""

    size: int
    """The number of elements whose centres are inside."""
    area: float
    """Their area, in square units."""
    unit: str
    """The unit whose square the area is in; empty for elements."""
    channels: tuple[ChannelStatistics, ...]
    is_by_area: bool = False
    """Whether means and deviations are weighted by the areas of elements on Earth."""


def cost_of(image: Image, settings: ViewSettings, regions: Sequence[Region]) -> ReadCost:
    """What measuring regions decodes, at the finest level."""
    chunks = nbytes = 0
    for region in regions:
        for _names, raster in _planes(image, settings):
            one = raster.cost(raster.tiles(region.window(*raster.level_shape)))
            chunks, nbytes = chunks + one.chunks, nbytes + one.nbytes
    return ReadCost(chunks, nbytes)


def measure_region(
    image: Image,
    settings: ViewSettings,
    region: Region,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] = lambda _share: None,
    geography: Geography | None = None,
) -> RegionStatistics:
    """Read the elements of a region tile by tile; blocks. On Earth, the mean and the deviation are weighted by area.

    Args:
        geography: where the image is on Earth, if that is known.

    Raises:
        Cancelled, ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read or decoded.
    """
    planes, size, found = _planes(image, settings), 0, []
    is_finest = settings.drawn_image(image).levels[0] is image.levels[0]
    earth = geography.plane(settings.axes) if geography is not None and is_finest else None
    km2 = 0.0 if earth is not None else math.nan
    for number, (names, raster) in enumerate(planes):
        window = region.window(*raster.level_shape)
        tiles = raster.tiles(window)
        sums, size = [_Sum() for _ in names], 0
        for done, tile in enumerate(tiles):
            if cancelled():
                raise Cancelled
            part = _overlap(raster, tile, window)
            inside = region.mask(part)
            size += int(inside.sum())
            weights = None if earth is None else areas_km2(earth, part)[inside]
            if weights is not None and number == 0:
                km2 += float(weights.sum())
            if inside.any():
                values = raster.read(part, cancelled)
                for position, one in enumerate(sums):
                    numbers = values[..., position] if len(names) > 1 else values
                    one.add(settings.drawn_elements(raster).known(numbers)[inside], weights)
            progress((number + (done + 1) / len(tiles)) / len(planes))
        found += [one.result(name) for name, one in zip(names, sums, strict=True)]
    area, unit = _area(image, settings.axes, size, km2)
    return RegionStatistics(size, area, unit, tuple(found), earth is not None)


@dataclass(slots=True)
class _Sum:
    """Numbers added block by block; the mean and the squares about it stay exact for numbers far from zero."""

    count: int = 0
    weight: float = 0.0
    """The sum of the weights of the numbers: their count without any."""
    mean: float = 0.0
    squares: float = 0.0
    minimum: float = math.inf
    maximum: float = -math.inf
    _nothing: float = field(default=math.nan, repr=False)

    def add(self, numbers: AnyArray, weights: AnyArray | None = None) -> None:
        """Add numbers; those that are not finite do not count, nor those whose weight is 0 or unknown."""
        wide = numbers.astype(np.float64)
        is_known = np.isfinite(wide)
        shares = np.ones_like(wide) if weights is None else weights.astype(np.float64)
        is_known &= shares > 0
        wide, shares = wide[is_known], shares[is_known]
        if not wide.size:
            return
        weight = float(shares.sum())
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # the deviation of extreme numbers is infinite or unknown
            mean = float(np.average(wide, weights=shares))
            squares = float((shares * (wide - mean) ** 2).sum())
        total, apart = self.weight + weight, mean - self.mean
        self.squares += squares + apart * apart * self.weight * weight / total
        self.mean += apart * weight / total
        self.count, self.weight = self.count + wide.size, total
        self.minimum, self.maximum = (
            min(self.minimum, float(np.min(wide))),
            max(self.maximum, float(np.max(wide))),
        )

    def result(self, name: str) -> ChannelStatistics:
        if not self.count:
            return ChannelStatistics(name, 0, *[self._nothing] * 4)
        deviation = math.sqrt(self.squares / self.weight)
        return ChannelStatistics(name, self.count, self.mean, deviation, self.minimum, self.maximum)


def _planes(image: Image, settings: ViewSettings) -> list[tuple[tuple[str, ...], Raster]]:
    """The plane of each channel, with the names of what it holds. If planes are computed, only those of shown channels."""
    level, axes = settings.drawn_image(image).levels[0], settings.axes
    if settings.is_derived:
        shown = (
            [settings.channels[position] for position in settings.channels_on] if settings.is_blended else []
        )
        names = [one.channel.name for one in shown] or [""]
        rasters = [Raster.of(level, one) for one in settings.planes(image)]
        return [((name,), raster) for name, raster in zip(names, rasters, strict=True)]
    if axes.channel is not None:
        return [(_COLOURS[: axes.shape[axes.channel]], Raster.of(level, axes.as_plane()))]
    if image.channel_axis is None or image.channel_axis in axes.shown or not image.channels:
        return [(("",), Raster.of(level, axes.as_plane()))]
    return [
        ((one.name,), Raster.of(level, axes.at(image.channel_axis, position).as_plane()))
        for position, one in enumerate(image.channels)
    ]


def _overlap(raster: Raster, tile: Tile, window: Window) -> Window:
    parts = [
        slice(max(mine.start, wanted.start), min(mine.stop, wanted.stop))
        for mine, wanted in zip(raster.samples(tile), window, strict=True)
    ]
    return parts[0], parts[1]


def _area(image: Image, axes: Axes, size: int, km2: float) -> tuple[float, str]:
    """On Earth in square kilometres; else in square units if both axes have the same one, else in elements."""
    if not math.isnan(km2):
        return km2, "kilometer"
    rows, columns = axes.rows, axes.columns
    if image.has_scale and image.units and image.units[rows] and image.units[rows] == image.units[columns]:
        return size * abs(image.spacing[rows] * image.spacing[columns]), image.units[rows]
    return float(size), ""
