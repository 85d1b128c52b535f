"""Pictures of planes. Of a large plane, only some rows and columns are read; of a very large one, only its middle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final

import numpy as np

from zarrcore.array import Array, plane_ndim
from zarrcore.array.selection.axes import AxisRange, result_shape
from zarrcore.array.selection.basic import normalize
from zarrcore.conventions import MultiscaleImage, channel_colour, is_image, meaning
from zarrcore.display import Preview
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes import PngFile
from zarrcore.filetypes.png import png_of, stretch_to_bytes
from zarrcore.hierarchy import Group
from zarrcore.typing import AnyArray

_READ_MAX_NBYTES: Final = 256 << 20
"""Bytes of decoded chunks that one picture may cost."""
_FEW: Final = 16
"""Rows or columns that are left of a side, if it has as many."""
_MOST_CHANNELS: Final = 16
"""More channels are a spectrum, which is not blended."""


def preview(shown: Any, selection: Any = None, size: int = 512) -> Preview:
    """A picture of an array, or of the image that a group is: see `zarrcore.display.Pictured.preview`."""
    if size < 1:
        raise SelectionError(f"a picture has at least one pixel, found size {size}")
    if isinstance(shown, Array):
        return _of_array(shown, selection, size)
    image = _image(shown)
    array, level = _level(image, size)
    channels = _blended(image, array, selection)
    return (
        _of_channels(image, array, channels, selection, size, level)
        if channels
        else _of_array(array, selection, size, level)
    )


def _of_array(array: Array, selection: Any, size: int, level: str = "") -> Preview:
    items = _plane(array, () if selection is None else selection, size)
    file = PngFile(array, items)
    height, width = file.body.shape[:2]
    return Preview(file.compressed(), width, height, f"{level}[{', '.join(map(_text, items))}]")


def _image(group: Group) -> MultiscaleImage:
    found = meaning(group) if is_image(group) else None
    if not isinstance(found, MultiscaleImage):
        raise UnsupportedError("group", group.path, "is not an image: make the preview of an array")
    return found


def _level(image: MultiscaleImage, size: int) -> tuple[Array, str]:
    """The coarsest level of an image that has ``size`` pixels; the finest one if none has."""
    arrays = [
        (number, level.node) for number, level in enumerate(image.levels) if isinstance(level.node, Array)
    ]
    large = [(number, array) for number, array in arrays if max(_shape_of_plane(array), default=0) >= size]
    number, array = large[-1] if large else arrays[0]
    return array, f"level {number} of {len(image.levels)}, "


def _blended(image: MultiscaleImage, array: Array, selection: Any) -> list[int]:
    """The channels that are shown together: those that are on. Empty without channels, and if the selection chooses one."""
    axis = image.channel_axis
    items = () if selection is None else selection if isinstance(selection, tuple) else (selection,)
    if axis is None or image.is_labels or ... in items or len(items) > axis:
        return []
    if (
        axis >= array.ndim - 2
        or not 1 < array.shape[axis] <= _MOST_CHANNELS
        or array.dtype.kind not in "buif"
    ):
        return []
    return [number for number in range(array.shape[axis]) if image.channel(number).is_on]


def _of_channels(
    image: MultiscaleImage, array: Array, channels: list[int], selection: Any, size: int, level: str
) -> Preview:
    """The sum of channels in their colours."""
    axis = image.channel_axis or 0
    items = _plane(array, () if selection is None else selection, size, len(channels))
    blend: Any = 0.0
    for number in channels:
        told = image.channel(number)
        plane = array.read((*items[:axis], number, *items[axis + 1 :]))
        colour = told.colour or channel_colour(number)
        blend = blend + _brightness(plane, told.bounds)[..., np.newaxis] * np.array(colour, np.float32)
    pixels = np.minimum(blend, 255).round().astype(np.uint8)
    height, width = pixels.shape[:2]
    texts = [*map(_text, items)]
    texts[axis] = "channels " + " + ".join(map(str, channels))
    return Preview(png_of(pixels), width, height, f"{level}[{', '.join(texts)}]")


def _brightness(plane: AnyArray, bounds: tuple[float, float] | None) -> AnyArray:
    """Numbers from 0 to 1, between bounds or as in a picture of one channel."""
    if bounds is None or not bounds[0] < bounds[1]:
        return stretch_to_bytes(plane).astype(np.float32) / np.float32(255)
    low, high = bounds
    with np.errstate(invalid="ignore", over="ignore"):
        levels = (plane.astype(np.float64) - low) / (high - low)
    return np.clip(np.nan_to_num(levels, nan=0), 0, 1).astype(np.float32)


def _shape_of_plane(array: Array) -> tuple[int, ...]:
    ndim = plane_ndim(array.shape, array.dtype)
    return array.shape[array.ndim - ndim :][:2]


Item = int | slice


def _plane(array: Array, selection: Any, size: int, times: int = 1) -> tuple[Item, ...]:
    """The selection of a plane that is about ``size`` pixels long. Read so many ``times``, it costs no more than it may."""
    axes = list(normalize(selection, array.shape))
    kept = [number for number, axis in enumerate(axes) if not axis.dropped]
    for number in kept[: len(kept) - plane_ndim(result_shape(axes), array.dtype)]:
        axes[number] = _middle(axes[number])
    sides = [number for number, axis in enumerate(axes) if not axis.dropped][:2]
    if len(sides) == 2:
        units = array.inner_chunk_shape
        while times * _cost(array, _coarse(axes, sides, size)) > _READ_MAX_NBYTES:
            longer = max(sides, key=lambda number: _crossed(axes[number], units[number]))
            if _crossed(axes[longer], units[longer]) < 2:
                break
            axes[longer] = _inner_half(axes[longer], units[longer])
        axes = _coarse(axes, sides, size)
    return tuple(map(_item, axes))


def _coarse(axes: list[AxisRange], sides: list[int], size: int) -> list[AxisRange]:
    """Every n-th row and column, so that the longer side has about ``size`` of them, and the shorter one not too few."""
    longest = max(axes[number].count for number in sides)
    step = -(-longest // size)
    coarse = list(axes)
    for number in sides:
        axis = axes[number]
        own = step if axis.count == longest else max(1, min(step, axis.count // _FEW))
        coarse[number] = replace(axis, step=axis.step * own, count=-(-axis.count // own))
    return coarse


def _cost(array: Array, axes: list[AxisRange]) -> int:
    """Bytes of the chunks that are decoded."""
    units = array.inner_chunk_shape
    count = math.prod(_crossed(axis, unit) for axis, unit in zip(axes, units, strict=True))
    return count * math.prod(units) * array.itemsize


def _crossed(axis: AxisRange, unit: int) -> int:
    """How many chunks of a length are crossed."""
    return min(axis.count, axis.last // unit - axis.start // unit + 1)


def _middle(axis: AxisRange) -> AxisRange:
    return AxisRange(axis.start + axis.count // 2 * axis.step, 1, min(axis.count, 1), dropped=axis.count > 0)


def _inner_half(axis: AxisRange, unit: int) -> AxisRange:
    """The middle of a range, from the beginning of a chunk on if possible."""
    start = axis.start + axis.count // 4 * axis.step
    if axis.step == 1:
        start = max(axis.start, start - start % unit)
    return replace(axis, start=start, count=axis.count // 2)


def _item(axis: AxisRange) -> Item:
    if axis.dropped:
        return axis.start
    ascending = slice(axis.start, axis.last + 1, axis.step)
    if not axis.flipped:
        return ascending
    return slice(axis.last, axis.start - 1 if axis.start else None, -axis.step)


def _text(item: Item) -> str:
    if isinstance(item, int):
        return str(item)
    step = "" if item.step == 1 else f":{item.step}"
    return f"{item.start}:{'' if item.stop is None else item.stop}{step}"
