"""The mean of a plane along one of its axes: on maps the zonal mean, over longitudes, and the meridional one, over latitudes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zarrbrowser.image.levels import Image
from zarrbrowser.image.measurements import ProfileCurve, channels_shown
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.maps.areas import areas_km2
from zarrbrowser.maps.geography import Geography, PlaneMap
from zarrbrowser.nodes.read_cost import Cancelled, ReadCost
from zarrcore.typing import AnyArray


@dataclass(frozen=True, slots=True)
class Means:
    """A number for each position along the other axis of the plane."""

    positions: AnyArray
    """In elements of the base."""
    curves: tuple[ProfileCurve, ...]
    """One for each channel that is shown; NaN where no element is known."""
    is_by_area: bool
    """Whether elements count by their areas on Earth."""


@dataclass(frozen=True, slots=True)
class PlaneMean:
    """The plane of a picture, and the axis over which to take the mean."""

    image: Image
    settings: ViewSettings
    over: int
    """The rows or the columns of the plane."""
    geography: Geography | None = None

    @property
    def along(self) -> int:
        """The axis that remains."""
        axes = self.settings.axes
        return axes.rows if self.over == axes.columns else axes.columns

    @property
    def key(self) -> object:
        """Equal for equal means."""
        settings = self.settings
        planes = tuple(settings.planes(self.image))
        return self.over, self.geography, settings.elements, planes, tuple(channels_shown(settings))

    @property
    def name(self) -> str:
        """What it is called: ``zonal mean``, ``mean over x``."""
        plane = self._on_earth()
        if plane is None or not plane.is_plain or self.geography is None:
            return f"mean over {self.settings.axes.names[self.over]}"
        return "zonal mean" if self.over == self.geography.axes[1] else "meridional mean"

    def cost(self) -> ReadCost:
        """What reading it decodes, at the finest level."""
        costs = [raster.cost(raster.tiles(_whole(raster))) for raster in self._rasters()]
        return ReadCost(sum(one.chunks for one in costs), sum(one.nbytes for one in costs))

    def read(
        self,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[float], None] = lambda _share: None,
    ) -> Means:
        """The means of what is known, tile by tile; blocks. On Earth, they are weighted by area.

        Raises:
            Cancelled, ReadCancelledError: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        rasters, names = self._rasters(), channels_shown(self.settings)
        first = rasters[0]
        is_finest = first.level is self.image.levels[0]
        earth = self._on_earth() if is_finest else None
        side = first.axes.index(self.along)
        sums = np.zeros((2, len(names), first.shape[side]))  # of weighted numbers, and of weights
        for number, raster in enumerate(rasters):
            tiles, elements = raster.tiles(_whole(raster)), self.settings.drawn_elements(raster)
            for done, tile in enumerate(tiles):
                if cancelled():
                    raise Cancelled
                part = raster.samples(tile)
                values = raster.read(part, cancelled)
                areas = None if earth is None else areas_km2(earth, part)
                for channel in range(len(names)) if raster.channel is not None else [number]:
                    one = values[..., channel] if raster.channel is not None else values
                    sums[:, channel, part[side]] += _sums(elements.known(one), areas, 1 - side)
                progress((number + (done + 1) / len(tiles)) / len(rasters))
        with np.errstate(over="ignore"):
            means = np.divide(sums[0], sums[1], out=np.full(sums[0].shape, np.nan), where=sums[1] > 0)
        curves = (ProfileCurve(mean, *name) for mean, name in zip(means, names, strict=True))
        positions = np.array([first.to_base(side, sample) for sample in range(first.shape[side])])
        return Means(positions, tuple(curves), earth is not None)

    def _rasters(self) -> list[Raster]:
        level = self.settings.drawn_image(self.image).levels[0]
        return [Raster.of(level, axes) for axes in self.settings.planes(self.image)]

    def _on_earth(self) -> PlaneMap | None:
        return None if self.geography is None else self.geography.plane(self.settings.axes)


def _whole(raster: Raster) -> tuple[slice, slice]:
    height, width = raster.shape
    return slice(0, height), slice(0, width)


def _sums(numbers: AnyArray, areas: AnyArray | None, axis: int) -> AnyArray:
    """The sums of weighted numbers and of weights along an axis; what is not finite or has no area does not count."""
    wide = numbers.astype(np.float64)
    weights = np.ones_like(wide) if areas is None else areas
    is_known = np.isfinite(wide) & (weights > 0)
    with np.errstate(over="ignore", invalid="ignore"):
        weighted = np.sum(wide * weights, axis=axis, where=is_known)
    return np.stack([weighted, np.sum(weights, axis=axis, where=is_known)])
