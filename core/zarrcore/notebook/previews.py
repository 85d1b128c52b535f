"""Pictures of planes. Of a large plane, only some rows and columns are read; of a very large one, only its middle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final

from zarrcore.array import Array, plane_ndim
from zarrcore.array.selection.axes import AxisRange, result_shape
from zarrcore.array.selection.basic import normalize
from zarrcore.conventions import MultiscaleImage, is_image, meaning
from zarrcore.display import Preview
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes import PngFile
from zarrcore.hierarchy import Group

_READ_MAX_NBYTES: Final = 256 << 20
"""Bytes of decoded chunks that one picture may cost."""
_FEW: Final = 16
"""Rows or columns that are left of a side, if it has as many."""


def preview(shown: Any, selection: Any = None, size: int = 512) -> Preview:
    """A picture of an array, or of the image that a group is: see `zarrcore.display.Pictured.preview`."""
    if size < 1:
        raise SelectionError(f"a picture has at least one pixel, found size {size}")
    array, level = (shown, "") if isinstance(shown, Array) else _level(shown, size)
    items = _plane(array, () if selection is None else selection, size)
    file = PngFile(array, items)
    height, width = file.body.shape[:2]
    return Preview(file.compressed(), width, height, f"{level}[{', '.join(map(_text, items))}]")


def _level(group: Group, size: int) -> tuple[Array, str]:
    """The coarsest level of an image that has ``size`` pixels; the finest one if none has."""
    image = meaning(group) if is_image(group) else None
    if not isinstance(image, MultiscaleImage):
        raise UnsupportedError("group", group.path, "is not an image: make the preview of an array")
    arrays = [
        (number, level.node) for number, level in enumerate(image.levels) if isinstance(level.node, Array)
    ]
    large = [(number, array) for number, array in arrays if max(_shape_of_plane(array), default=0) >= size]
    number, array = large[-1] if large else arrays[0]
    return array, f"level {number} of {len(image.levels)}, "


def _shape_of_plane(array: Array) -> tuple[int, ...]:
    ndim = plane_ndim(array.shape, array.dtype)
    return array.shape[array.ndim - ndim :][:2]


Item = int | slice


def _plane(array: Array, selection: Any, size: int) -> tuple[Item, ...]:
    """The selection of a plane that is about ``size`` pixels long, and costs no more than it may."""
    axes = list(normalize(selection, array.shape))
    kept = [number for number, axis in enumerate(axes) if not axis.dropped]
    for number in kept[: len(kept) - plane_ndim(result_shape(axes), array.dtype)]:
        axes[number] = _middle(axes[number])
    sides = [number for number, axis in enumerate(axes) if not axis.dropped][:2]
    if len(sides) == 2:
        units = array.inner_chunk_shape
        while _cost(array, _coarse(axes, sides, size)) > _READ_MAX_NBYTES:
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
