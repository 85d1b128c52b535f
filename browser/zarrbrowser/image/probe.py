"""The element under the pointer: its position and its value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate, position_text
from zarrbrowser.image.tiles.frames import Mosaic
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.values.elements import Elements, is_complex, unit_of
from zarrbrowser.values.quantities import format_value
from zarrcore.conventions.cf import flag_meaning
from zarrcore.typing import AnyArray


class Told(Protocol):
    """Coordinates of single elements."""

    def text(self, index: Sequence[int]) -> str:
        """Those of an element of the image; empty if it has none."""


def element_at(place: tuple[float, float]) -> tuple[int, int]:
    """The element of the base that covers a position down and to the right."""
    return math.floor(place[0] + 0.5), math.floor(place[1] + 0.5)


def sample_at(mosaic: Mosaic, place: tuple[float, float]) -> Any:
    """The sample of a mosaic that covers a position; None if it has none there."""
    where = []
    for side, position in enumerate(place):
        sample = math.floor(mosaic.raster.to_sample(side, position) + 0.5) - mosaic.window[side].start
        if not 0 <= sample < mosaic.values.shape[side]:
            return None
        where.append(sample)
    if mosaic.is_there is not None and not mosaic.is_there[where[0], where[1]]:
        return None
    return mosaic.values[where[0], where[1]]


def is_exact(mosaic: Mosaic) -> bool:
    """Whether each element of the base is a sample."""
    return max(mosaic.raster.steps) == 1 and _is_finest(mosaic)


def exact(raster: Raster, element: tuple[int, int], cancelled: Callable[[], bool]) -> Any:
    """One element of the plane of a raster, at full resolution.

    Raises:
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: its chunk cannot be read or decoded.
    """
    finest = replace(raster, steps=(1, 1))
    window = slice(element[0], element[0] + 1), slice(element[1], element[1] + 1)
    return finest.read(window, cancelled)[0, 0]


def cost_of_exact(raster: Raster) -> ReadCost:
    """The cost of `exact`, at most."""
    array, derivation = raster.level.array, raster.derivation
    chunks = 1 if derivation is None else derivation.layers(array)
    cost = ReadCost(chunks, chunks * math.prod(array.inner_chunk_shape) * array.dtype.itemsize)
    if derivation is None or derivation.comparison is None:
        return cost
    other = cost_of_exact(derivation.second_raster(raster))
    return ReadCost(cost.chunks + other.chunks, cost.nbytes + other.nbytes)


def _is_finest(mosaic: Mosaic) -> bool:
    return all(factor == 1 for factor in mosaic.raster.level.factors)


def probe(
    settings: ViewSettings,
    mosaics: Sequence[Mosaic],
    place: tuple[float, float],
    coordinates: Mapping[int, Coordinate] | None = None,
    array: ArrayLike | None = None,
    value: Any = None,
    auxiliary: Sequence[Told] = (),
) -> str:
    """Coordinates and value at a position, as text.

    Args:
        value: the element itself, if the sample drawn covers several.
        auxiliary: coordinates of single elements.
        coordinates: coordinates along the axes.
        array: what is shown; its attributes give the unit and the flags.
    """
    axes, parts = settings.axes, []
    for axis, position in zip((axes.rows, axes.columns), element_at(place), strict=True):
        coordinate = coordinates.get(axis) if coordinates is not None else None
        meaning = coordinate.text(position) if coordinate is not None else ""
        if coordinate is not None and (cell := coordinate.cell(position)):
            meaning += f", cell {cell}"
        parts.append(position_text(axes.names[axis], position, meaning))
    row, column = element_at(place)
    index = axes.at(axes.rows, row).at(axes.columns, column).index
    parts += filter(None, (one.text(index) for one in auxiliary))
    text = ", ".join(parts) + ":  "
    found = [sample_at(mosaic, place) for mosaic in mosaics] if value is None else [value]
    names = [""] * len(found)
    if settings.is_blended:
        names = [f"{settings.channels[position].channel.name} " for position in settings.channels_on]
    values = [
        name + _value_text(settings, mosaics[0].raster, one, array)
        for name, one in zip(names, found, strict=False)
        if one is not None
    ]
    if not values:
        return text + "not read yet"
    return text + ", ".join(values) + ("" if _is_finest(mosaics[0]) else "  (coarse)")


def _value_text(settings: ViewSettings, raster: Raster, value: Any, array: ArrayLike | None) -> str:
    if raster.derivation is None:
        return describe(settings.elements, value, array)
    return describe_number(value, "" if array is None else settings.unit(array))


def describe_number(value: float, unit: str) -> str:
    """A computed number with its unit."""
    if np.isnan(value):
        return "no value"
    return f"{_rounded(value)} {unit}" if unit else _rounded(value)


def describe(elements: Elements, value: Any, array: ArrayLike | None = None) -> str:
    """One element with its unit and its meaning, and the number that is drawn if it differs."""
    one = elements.of(value)
    is_plain = isinstance(one, str | bytes | bool | np.bool_)
    units = "" if array is None or is_plain else unit_of(array, elements)
    text, unit = format_value(one), f" {units}" if units else ""
    if not hasattr(one, "dtype"):
        return text + unit
    if one.ndim:
        return text + unit + _why_no_colour(elements, one)
    if is_complex(one.dtype):
        numbers, _ = elements.numbers(value.reshape(1))
        return f"{text}{unit}  ({elements.part.value} {format_value(numbers[0])})"
    packing = elements.packing
    if packing is not None:
        unpacked = packing.unpacked(one.reshape(1))[0]
        if np.isnan(unpacked):
            return f"no value  (stored {text})"
        if packing.is_scaled:
            return f"{_rounded(unpacked)}{unit}  (stored {text})"
        if packing.is_packed:
            text, unit = f"{format_value(unpacked)}{unit}", f"  (stored {text})"
    if mark := elements.why_marked(value.reshape(1)):
        return f"{text}  ({mark})"
    flags = flag_meaning(array.attributes, int(one)) if array is not None and one.dtype.kind in "iu" else ""
    return text + unit + (f"  ({flags})" if flags else "")


def _why_no_colour(elements: Elements, value: AnyArray) -> str:
    """Why a pixel of an RGB picture is drawn as missing: all three samples are. Empty for other pixels and other arrays."""
    colours = value[:3]
    is_fill = elements.numbers(colours)[1] if colours.dtype.kind in "iuf" else None
    return f"  ({elements.why_marked(colours)})" if is_fill is not None and is_fill.all() else ""


def _rounded(value: float) -> str:
    """A calculated number as text, without the digits of rounding errors."""
    return str(float(f"{value:.10g}"))
