"""From the samples of volumes to textures: brightness between the bounds of the contrast, and a table of colours.

The colour of a sample is that of the Image tab: 256 steps between the bounds. Missing samples are transparent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.image.colours.colour_maps import LABELS, lookup_table
from zarrbrowser.image.colours.contrast import Statistics, statistics
from zarrbrowser.image.colours.norm import Norm, spread
from zarrbrowser.image.colours.painting import Measured, bounds
from zarrbrowser.image.colours.render import Style, brightest_of, coloured, colours_of
from zarrbrowser.image.levels import Colour, Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.values.elements import Elements
from zarrbrowser.values.numbers import is_long
from zarrbrowser.volume.reading import VolumeSamples
from zarrcore.typing import AnyArray

_SLAB_SAMPLES = 2**22
"""Numbers are computed for about this many samples at a time: they may need eight times the memory of a texture."""
_TABLE_SAMPLES = 2**17
"""With more samples than this, a table of all elements of two bytes is quicker than computing each."""
_MEASURED_SAMPLES = 2**22
"""Statistics come from about this many samples."""


@dataclass(frozen=True, slots=True, eq=False)
class Texture:
    """One volume, ready to be drawn."""

    data: NDArray[np.uint8]
    """Shape (depth, rows, columns, n). n = 1: brightness; 2: also 255 where a sample is there, 0 where it is missing;
    4: red, green, blue, and an opacity."""
    colours: NDArray[np.uint8] | None
    """The colours of the brightness, shape (256, 3); None if the data are colours."""
    is_smooth: bool = True
    """Whether colours between samples are mixed: labels are not."""


@dataclass(frozen=True, slots=True, eq=False)
class Painted:
    """The textures of an image, and the statistics that their contrast comes from."""

    textures: tuple[Texture, ...]
    measured: Measured


def measure_volumes(settings: ViewSettings, volumes: Sequence[VolumeSamples]) -> Measured:
    """Statistics of what is read of volumes."""
    if volumes and volumes[0].plane.channel is not None:
        return Measured((), brightest_of(volumes[0].values, settings.elements))
    return Measured(tuple(_statistics(settings, one) for one in volumes))


def paint_volumes(
    image: Image,
    settings: ViewSettings,
    volumes: Sequence[VolumeSamples],
    measured: Measured,
    colour_map: str,
) -> Painted:
    """The textures of volumes, one for each channel that is on, else one.

    Args:
        colour_map: the one that the user chose last, for settings that name none.
    """
    if volumes[0].plane.channel is not None:
        return Painted((_of_colours(volumes[0], measured.brightest, settings.elements),), measured)
    name = settings.colour_map or colour_map
    if not settings.is_blended and name == LABELS:
        return Painted((_of_labels(image, settings, volumes[0]),), measured)
    levels = bounds(settings, measured)
    if settings.is_blended:
        tables = [_ramp(settings.channels[position].colour) for position in settings.channels_on]
    else:
        tables = [lookup_table(name)]
    textures = (
        Texture(_brightness(settings, one, ends), table)
        for one, ends, table in zip(volumes, levels, tables, strict=True)
    )
    return Painted(tuple(textures), measured)


def _statistics(settings: ViewSettings, volume: VolumeSamples) -> Statistics:
    step = max(1, round((volume.grid.samples / _MEASURED_SAMPLES) ** (1 / 3)))
    values = volume.values[::step, ::step, ::step]
    numbers, is_fill = settings.drawn_elements(volume.raster).numbers(np.ascontiguousarray(values))
    if not volume.is_whole:
        there = _is_there(volume)[::step, ::step, ::step]
        numbers, is_fill = numbers[there], None if is_fill is None else is_fill[there]
    return statistics(numbers, is_fill)


def _brightness(
    settings: ViewSettings, volume: VolumeSamples, ends: tuple[float, float]
) -> NDArray[np.uint8]:
    elements = settings.drawn_elements(volume.raster)
    light = np.empty((*volume.values.shape, 1), np.uint8)
    missing: AnyArray | None = None if volume.is_whole else ~_is_there(volume)
    table = None
    if volume.values.dtype.itemsize <= 2 and volume.grid.samples > _TABLE_SAMPLES:
        table = _Table(settings.norm, elements, volume.values.dtype, ends)
    for slab in _slabs(volume):
        values = volume.values[slab]
        if table is not None:
            light[slab, ..., 0], is_missing = table.brightness(values)
        else:
            light[slab, ..., 0], is_missing = _spread(settings.norm, elements, values, ends)
        if is_missing is not None:
            if missing is None:
                missing = np.zeros(volume.values.shape, np.bool_)
            missing[slab] |= is_missing
    if missing is None:
        return light
    both = np.empty((*volume.values.shape, 2), np.uint8)
    np.multiply(light[..., 0], ~missing, out=both[..., 0])
    both[..., 1] = np.where(missing, np.uint8(0), np.uint8(255))
    return both


def _spread(
    norm: Norm, elements: Elements, values: AnyArray, ends: tuple[float, float]
) -> tuple[NDArray[np.uint8], AnyArray | None]:
    """The brightness of elements, and where they are missing; None if none is."""
    numbers, is_missing = elements.numbers(values)
    if numbers.dtype.kind == "f" and (no_number := np.isnan(numbers)).any():
        is_missing = no_number if is_missing is None else no_number | is_missing
    if not is_long(numbers):
        numbers = numbers.astype(np.promote_types(numbers.dtype, np.float32), copy=False)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = spread(numbers, norm, ends) * np.float32(256)
        light = np.nan_to_num(np.clip(scaled, 0, 255), copy=False).astype(np.uint8)
    return light, is_missing if is_missing is not None and is_missing.any() else None


class _Table:
    """The brightness of each element that a type of one or two bytes has: ten times as fast for many samples."""

    def __init__(
        self, norm: Norm, elements: Elements, dtype: np.dtype[Any], ends: tuple[float, float]
    ) -> None:
        self._bits = np.dtype(f"u{dtype.itemsize}")
        every = np.arange(1 << (8 * dtype.itemsize), dtype=self._bits)
        self._light, self._missing = _spread(norm, elements, every.view(dtype), ends)

    def brightness(self, values: AnyArray) -> tuple[NDArray[np.uint8], AnyArray | None]:
        """The brightness of elements, and where they are missing; None if none is."""
        bits = np.ascontiguousarray(values).view(self._bits)
        missing = None if self._missing is None else self._missing.take(bits)
        return self._light.take(bits), missing if missing is not None and missing.any() else None


def _of_labels(image: Image, settings: ViewSettings, volume: VolumeSamples) -> Texture:
    elements, style = settings.drawn_elements(volume.raster), Style(LABELS, label_colours=image.label_colours)
    data = np.zeros((*volume.values.shape, 4), np.uint8)
    for slab in _slabs(volume):
        values = volume.values[slab]
        data[slab] = colours_of(values, elements, style)
        data[slab, ..., 3] *= elements.numbers(values)[0] != 0  # 0 is the background
    if not volume.is_whole:
        data[~_is_there(volume)] = 0
    return Texture(data, None, is_smooth=False)


def _of_colours(volume: VolumeSamples, brightest: float, elements: Elements) -> Texture:
    """Red, green and blue; the brighter, the less transparent."""
    depth, rows, columns, components = volume.values.shape
    data = np.empty((depth, rows, columns, 4), np.uint8)
    for slab in _slabs(volume):
        flat = volume.values[slab].reshape(-1, columns, components)
        data[slab] = coloured(flat, brightest, elements, Style()).reshape(-1, rows, columns, 4)
        lightest = data[slab, ..., :3].max(axis=-1)
        data[slab, ..., 3] = np.minimum(data[slab, ..., 3], lightest)
    if not volume.is_whole:
        data[~_is_there(volume)] = 0
    return Texture(data, None)


def _is_there(volume: VolumeSamples) -> AnyArray:
    there = np.zeros(volume.grid.shape, np.bool_)
    for part in list(volume.blocks):
        there[part] = True
    return there


def _slabs(volume: VolumeSamples) -> Iterator[slice]:
    depth, rows, columns = volume.grid.shape
    thick = max(1, _SLAB_SAMPLES // max(1, rows * columns))
    for start in range(0, depth, thick):
        yield slice(start, min(start + thick, depth))


def _ramp(colour: Colour) -> NDArray[np.uint8]:
    """From black to the colour of a channel."""
    steps = np.arange(256, dtype=np.float64)[:, None] / 255
    return np.rint(steps * np.array(colour, np.float64)).astype(np.uint8)
