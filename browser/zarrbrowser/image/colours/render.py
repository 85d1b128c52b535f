"""From numbers to colours, for the screen and for export: norms, colour maps, labels, blended channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.image.colours.colour_maps import LABELS, lookup_table
from zarrbrowser.image.colours.norm import Norm, spread
from zarrbrowser.image.levels import Colour, Rgba
from zarrbrowser.values.elements import Elements
from zarrcore.typing import AnyArray

NOTHING: Rgba = (0, 0, 0, 0)
_STEPS = 256
_NAN = 256
"""The place of the colour of NaN after the steps of a colour map."""
_BLOCK = 2**17
"""Elements coloured at a time: larger arrays leave the processor's cache between the steps, which takes four times as long."""
_LEAST_LABEL, _GREATEST_LABEL = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers become colours."""

    colour_map: str = "gray"
    norm: Norm = Norm.LINEAR
    levels: tuple[float, float] = (0.0, 1.0)
    """The values of the first and the last colour."""
    nan: Rgba = NOTHING
    fill: Rgba = NOTHING
    label_colours: tuple[tuple[int, Rgba], ...] = ()
    """Labels whose colours are known, by rising value; each other label gets one."""

    @property
    def is_labels(self) -> bool:
        """Whether each integer has a colour of its own."""
        return self.colour_map == LABELS


def rgba(numbers: AnyArray, style: Style, is_fill: AnyArray | None = None) -> NDArray[np.uint8]:
    """Colours of numbers, shape (…, 4).

    Args:
        numbers: any integers or floats; NaN gets ``style.nan``.
        is_fill: which elements are the fill value; these get ``style.fill``.
    """
    palette, colours = _Palette(style, numbers.size), np.empty(numbers.shape, np.uint32)
    for part in blocks(numbers):
        colours[part] = palette.colours(numbers[part], None if is_fill is None else is_fill[part])
    return _bytes_of(colours)


def colours_of(values: AnyArray, elements: Elements, style: Style) -> NDArray[np.uint8]:
    """Colours of elements, shape (…, 4); labels by their exact values, which may not fit in a float."""
    palette, colours = _Palette(style, values.size), np.empty(values.shape, np.uint32)
    # Whether 64-bit integers are drawn as floats depends on the largest of them.
    dtype = elements.of(values[:0]).dtype
    is_long = dtype.kind in "iu" and dtype.itemsize == 8
    for part in (...,) if is_long else blocks(values):
        numbers, is_fill = elements.numbers(values[part])
        plain = elements.integers(values[part]) if style.is_labels else numbers
        colours[part] = palette.colours(plain if plain.dtype.kind in "biu" else numbers, is_fill)
    return _bytes_of(colours)


def blocks(values: AnyArray) -> Iterator[slice | EllipsisType]:
    """Parts of an array along its first axis that are small enough for the processor's cache."""
    if values.size <= _BLOCK:
        yield ...
        return
    step = max(1, _BLOCK * values.shape[0] // values.size)
    for start in range(0, values.shape[0], step):
        yield slice(start, start + step)


def _bytes_of(colours: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return colours[..., np.newaxis].view(np.uint8)


def _packed(colour: Rgba) -> np.uint32:
    """Red, green, blue and alpha, as they are in memory."""
    packed: np.uint32 = np.array(colour, np.uint8).view(np.uint32)[0]
    return packed


def _is_small_integer(dtype: np.dtype[Any], size: int) -> bool:
    """Whether computing each possible value once is cheaper than computing each of ``size`` elements."""
    return dtype.kind in "iu" and dtype.itemsize <= 2 and size > 1 << 8 * dtype.itemsize


def _each(dtype: np.dtype[Any]) -> AnyArray:
    """All integers of a type, in the order of their bits."""
    return np.arange(1 << 8 * dtype.itemsize).astype(f"u{dtype.itemsize}").view(dtype.newbyteorder("="))


def _bits(numbers: AnyArray) -> AnyArray:
    """The places of integers in `_each`."""
    native = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("="))
    return native.view(f"u{native.dtype.itemsize}")


class _Palette:
    """The colours of a style, with tables that are computed once for all blocks of a picture."""

    def __init__(self, style: Style, size: int) -> None:
        """``size`` is the number of elements of the whole picture."""
        self._style, self._size = style, size
        table = lookup_table(LABELS if style.is_labels else style.colour_map)
        opaque = np.full((_STEPS, 4), 255, np.uint8)
        opaque[:, :3] = table
        nan = np.array([style.nan], np.uint8)
        self._table = np.concatenate([opaque, nan]).view(np.uint32)[:, 0]
        self._of_integers: dict[np.dtype[Any], AnyArray] = {}

    def colours(self, numbers: AnyArray, is_fill: AnyArray | None) -> NDArray[np.uint32]:
        """Colours of numbers, of the same shape."""
        if _is_small_integer(numbers.dtype, self._size):
            table = self._of_integers.get(numbers.dtype)
            if table is None:
                table = self._of_integers[numbers.dtype] = self._computed(_each(numbers.dtype))
            found = table.take(_bits(numbers))
        else:
            found = self._computed(numbers)
        if is_fill is not None:
            np.copyto(found, _packed(self._style.fill), where=is_fill)
        return found

    def _computed(self, numbers: AnyArray) -> NDArray[np.uint32]:
        if self._style.is_labels:
            return self._of_labels(numbers)
        return self._table.take(_indices(numbers, self._style))

    def _of_labels(self, numbers: AnyArray) -> NDArray[np.uint32]:
        """A fixed colour per integer; 0 is the background."""
        is_float = numbers.dtype.kind == "f"
        whole = np.nan_to_num(numbers).astype(np.int64) if is_float else numbers.astype(np.int64)
        # Neighbouring labels get different colours: multiplying by the golden ratio spreads them; the high bits are used.
        mixed = (whole.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(56)
        result = self._table.take(mixed.view(np.int64))
        np.copyto(result, _packed((0, 0, 0, 255)), where=whole == 0)
        _give_colours(result, whole, self._style.label_colours)
        if is_float:
            np.copyto(result, _packed(self._style.nan), where=np.isnan(numbers))
        return result


def _indices(numbers: AnyArray, style: Style) -> AnyArray:
    """Places in the table of colours: those of a `Norm`, or `_NAN`."""
    small = (
        numbers.astype(np.int64) if numbers.dtype.kind in "iu" and numbers.dtype.itemsize <= 2 else numbers
    )
    scaled = spread(small, style.norm, style.levels)
    no_number = np.isnan(scaled)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled *= _STEPS
        np.clip(scaled, 0, _STEPS - 1, out=scaled)
        indices = scaled.astype(np.intp)
    if no_number.any():
        np.copyto(indices, _NAN, where=no_number)
    return indices


def _give_colours(
    result: NDArray[np.uint32], labels: NDArray[np.int64], known: Sequence[tuple[int, Rgba]]
) -> None:
    """Give labels their colours."""
    fitting = [(value, colour) for value, colour in known if _LEAST_LABEL <= value <= _GREATEST_LABEL]
    if not fitting:
        return
    values = np.array([value for value, _ in fitting], np.int64)
    at = np.minimum(np.searchsorted(values, labels), values.size - 1)
    is_known = values[at] == labels
    colours = np.array([colour for _, colour in fitting], np.uint8).view(np.uint32)[:, 0]
    result[is_known] = colours[at[is_known]]


def blend(
    channels: Sequence[AnyArray],
    elements: Elements,
    levels: Sequence[tuple[float, float]],
    colours: Sequence[Colour],
    style: Style,
) -> NDArray[np.uint8]:
    """The sum of channels, each in its colour, shape (h, w, 4).

    What is missing adds nothing; what is missing in all channels has the style's colour for that.
    """
    numbers, marks = [], []
    for channel in channels:
        found, is_fill = elements.numbers(channel)
        numbers.append(found)
        marks.append(is_fill)
    shape = numbers[0].shape if numbers else (0, 0)
    result = np.full((*shape, 4), 255, np.uint8)
    tables = [
        _light(_each(one.dtype), style.norm, bounds) if _is_small_integer(one.dtype, one.size) else None
        for one, bounds in zip(numbers, levels, strict=True)
    ]
    for part in blocks(np.empty(shape, bool)):
        total = np.zeros((3, *result[part].shape[:2]), np.float32)
        for one, is_fill, bounds, table, colour in zip(numbers, marks, levels, tables, colours, strict=True):
            light = _light(one[part], style.norm, bounds) if table is None else table.take(_bits(one[part]))
            if is_fill is not None:
                light[is_fill[part]] = 0
            for number, share in enumerate(colour):
                if share:
                    total[number] += light * np.float32(share)
        np.minimum(total, 255, out=total)
        np.rint(total, out=total)
        for number in range(3):
            result[part][..., number] = total[number]
    return _with_missing(result, numbers, marks, style)


def _with_missing(
    picture: NDArray[np.uint8],
    numbers: Sequence[AnyArray],
    marks: Sequence[AnyArray | None],
    style: Style,
) -> NDArray[np.uint8]:
    """A picture of several channels. Where all of them are missing, it has the style's colour for fill values or NaN."""
    is_fill = [np.False_ if mark is None else mark for mark in marks]
    is_nan = [np.isnan(one) if one.dtype.kind == "f" else np.False_ for one in numbers]
    for colour, channels in (
        (style.nan, [nan | mark for nan, mark in zip(is_nan, is_fill, strict=True)]),
        (style.fill, is_fill),
    ):
        if channels and all(one.any() for one in channels):
            picture[reduce(np.logical_and, channels)] = colour
    return picture


def _light(numbers: AnyArray, norm: Norm, bounds: tuple[float, float]) -> NDArray[np.float32]:
    """The brightness of a channel, 0 to 1; 0 for NaN."""
    light: NDArray[Any] = np.nan_to_num(np.clip(spread(numbers, norm, bounds), 0, 1), copy=False)
    return light.astype(np.float32)


def coloured(values: AnyArray, brightest: float, elements: Elements, style: Style) -> NDArray[np.uint8]:
    """Red, green, blue and an optional alpha channel, unchanged, shape (h, w, 4).

    What is missing in all three colours has the style's colour for that.

    Args:
        brightest: the value of full brightness.
    """
    is_fill = elements.numbers(values[..., :3])[1]
    bands = np.moveaxis(values[..., :3], -1, 0)
    marks = [None] * len(bands) if is_fill is None else list(np.moveaxis(is_fill, -1, 0))
    return _with_missing(_unchanged(values, brightest), list(bands), marks, style)


def brightest_of(values: AnyArray, elements: Elements) -> float:
    """The value of full brightness of a picture in red, green and blue."""
    if values.dtype.itemsize == 1:
        return 255.0
    # Few cameras use all 16 bits: relative to the type's largest number their pictures would be black.
    colours = values[..., :3]
    is_fill = elements.numbers(colours)[1]
    there = np.True_ if is_fill is None else ~is_fill
    return float(colours.max(initial=1, where=there & np.isfinite(colours)))


def _unchanged(values: AnyArray, brightest: float) -> NDArray[np.uint8]:
    result = np.full((*values.shape[:2], 4), 255, np.uint8)
    if values.dtype == np.uint8 and brightest == 255:
        result[..., : values.shape[2]] = values
        return result
    with np.errstate(over="ignore"):  # infinity becomes the largest number, which is bright
        scaled = np.clip(np.nan_to_num(values[..., :3].astype(np.float32)) * (255 / brightest), 0, 255)
    result[..., :3] = scaled.round()
    if values.shape[2] > 3:
        most = np.iinfo(values.dtype).max if values.dtype.kind in "iu" else 1
        result[..., 3] = np.clip(
            np.nan_to_num(values[..., 3].astype(np.float32), posinf=1) * (255 / most), 0, 255
        )
    return result
