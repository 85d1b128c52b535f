"""Where a layer is in napari's world: names, units, scale and translation of its dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from zarrcore.conventions import MultiscaleImage, coordinate_array
from zarrcore.conventions.cf import coordinate_values, even_spacing
from zarrcore.conventions.nexus.scaling import corrected_values
from zarrcore.conventions.units import LATITUDES, LENGTHS, LONGITUDES, TIMES
from zarrcore.errors import ZarrError
from zarrcore.typing import AnyArray

_PIXEL: Final = "pixel"
_NAMES: Final = {
    **{sign: name for name, sign in reversed((LENGTHS | TIMES).items())},
    **{name: name for name in (*LENGTHS, *TIMES)},
    **dict.fromkeys((*LATITUDES, *LONGITUDES, "degrees", "degree"), "degree"),
}
"""The names of units for Pint, which napari uses, by names and symbols in metadata."""
_MOST_COORDINATES: Final = 1_000_000
_DURATIONS: Final = {
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
"""Microseconds of each unit."""


@dataclass(frozen=True, slots=True)
class AxisPlacement:
    """One dimension of a layer."""

    name: str
    scale: float = 1.0
    """The distance between two elements, in units; may be negative."""
    translate: float = 0.0
    """The position of the first element, in units."""
    unit: str = _PIXEL


def keywords(axes: Iterable[AxisPlacement]) -> dict[str, Any]:
    """The keywords of a layer with these dimensions."""
    axes = tuple(axes)
    return {
        "axis_labels": tuple(axis.name for axis in axes),
        "scale": tuple(axis.scale for axis in axes),
        "translate": tuple(axis.translate for axis in axes),
        "units": tuple(axis.unit for axis in axes),
    }


def placement_of_image(image: MultiscaleImage) -> list[AxisPlacement]:
    """The dimensions of an image.

    A georeference gives the size of the cells, but no position: the first row stays at the top.
    """
    names = _names([axis.name for axis in image.axes])
    if image.spacing:
        told = zip(names, image.axes, image.spacing, image.origin, strict=True)
        return [_placed(name, axis.unit, step, start) for name, axis, step, start in told]
    axes = [AxisPlacement(name) for name in names]
    georeference = image.georeference
    if (
        georeference is not None
        and georeference.transform is not None
        and georeference.dimensions is not None
    ):
        a, b, _, d, e, _ = georeference.transform
        for dimension, step in zip(georeference.dimensions, (e, a), strict=True):
            if b == d == 0 and step != 0 and dimension in names:
                axes[names.index(dimension)] = AxisPlacement(dimension, abs(step))
    return axes


def placement_of_array(array: Any, find: Callable[[str], Any]) -> list[AxisPlacement]:
    """The dimensions of an array, with the coordinates that its hierarchy has for them.

    Args:
        array: the array.
        find: returns the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    names = _names(array.dimension_names or (None,) * array.ndim)
    return [_of_coordinates(array, axis, name, find) for axis, name in enumerate(names)]


def _of_coordinates(array: Any, axis: int, name: str, find: Callable[[str], Any]) -> AxisPlacement:
    """The place of evenly spaced coordinates; other coordinates do not count."""
    if not 1 < array.shape[axis] <= _MOST_COORDINATES:
        return AxisPlacement(name)
    coordinate = coordinate_array(array, axis, find)
    if coordinate is None or tuple(coordinate.shape) != (array.shape[axis],):
        return AxisPlacement(name)
    try:
        values, unit = coordinate_values(coordinate)
        values = corrected_values(values, coordinate, find)
    except ZarrError:  # an image without a scale is better than none
        return AxisPlacement(name)
    if values.dtype.kind == "M":
        return _of_dates(name, values)
    line = even_spacing(values)
    return AxisPlacement(name) if line is None else _placed(name, unit, line[1], line[0])


def _of_dates(name: str, dates: AnyArray) -> AxisPlacement:
    """Dates since 1970 in the largest unit that makes the distance a whole number, as napari has them for xarray."""
    exact = dates.astype("M8[us]")  # nanoseconds end in the year 2262
    if np.isnat(dates).any() or (exact != dates).any():
        return AxisPlacement(name)
    times = exact.astype(np.int64)
    steps = np.diff(times)
    step = int(steps[0])
    if step == 0 or (steps != step).any():
        return AxisPlacement(name)
    unit, length = next(item for item in _DURATIONS.items() if step % item[1] == 0)
    return AxisPlacement(name, step / length, int(times[0]) / length, unit)


def _placed(name: str, unit: str, step: float, start: float) -> AxisPlacement:
    """napari refuses a scale of 0."""
    is_usable = np.isfinite(step) and np.isfinite(start) and step != 0
    return (
        AxisPlacement(name, float(step), float(start), _NAMES.get(unit, _PIXEL))
        if is_usable
        else AxisPlacement(name)
    )


def _names(told: Iterable[str | None]) -> list[str]:
    return [name or f"dim_{number}" for number, name in enumerate(told)]
