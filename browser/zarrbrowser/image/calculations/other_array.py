"""Opens another array to compare a picture with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate, coordinates_of
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.calculations.comparison import CannotCompareError, OtherArray, SecondPlane
from zarrbrowser.image.calculations.derivation import may_derive
from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.multiscales import image_of_group, is_image
from zarrbrowser.nodes.names_along import names_of
from zarrbrowser.nodes.protocols import is_array
from zarrbrowser.values.elements import elements_of, unit_of
from zarrbrowser.values.quantities import format_shape
from zarrcore.conventions.cf import flag_meaning


def open_other(
    image: Image,
    axes: Axes,
    address: str,
    node: Any,
    find: Callable[[str], Any],
    coordinates: Mapping[int, Coordinate],
    *,
    is_mask: bool = False,
) -> OtherArray:
    """Open an array, or a group that is one image, for comparison with the planes of another; blocks.

    Args:
        image: the image that is shown.
        axes: its axes in the picture.
        address: what the user calls the other array.
        node: that array or group.
        find: opens the node at a path of its hierarchy.
        coordinates: the coordinates of the image that is shown, by axis.
        is_mask: whether the array is a mask, for which units and coordinates do not matter. Pixels where it is 0 count, unless
            its flags say that 0 means missing.

    Raises:
        CannotCompareError: it has no numbers, or its planes have another shape.
        ZarrError: it cannot be read.
    """
    if not is_array(node) and not (hasattr(node, "attributes") and is_image(node)):
        raise CannotCompareError(f"{node.path} is not an array.")
    other = image_of_array(node, names_of(node, find)) if is_array(node) else image_of_group(node, find)
    if other.base.ndim < 2 or 0 in other.base.shape:
        raise CannotCompareError(f"{node.path} has no planes.")
    elements = elements_of(other.base, is_picture=not other.is_labels)
    initial = Axes.initial(other.base, other.names)
    if initial.channel is not None or not may_derive(other.base, elements):
        raise CannotCompareError(f"The elements of {node.path} are not plain numbers.")
    rows, columns = _matched(axes, initial)
    shape = other.base.shape[rows], other.base.shape[columns]
    if shape != (axes.height, axes.width):
        theirs, ours = format_shape(shape), format_shape((axes.height, axes.width))
        raise CannotCompareError(f"The planes of {node.path} are {theirs}, those of the picture {ours}.")
    follows = tuple(
        None if axis in (rows, columns) else _same(axes, name, length)
        for axis, (name, length) in enumerate(zip(other.names, other.base.shape, strict=True))
    )
    index = tuple(0 if axis in (rows, columns) else at for axis, at in enumerate(initial.index))
    arrays = tuple(level.array for level in other.levels)
    notes: list[str] = []
    is_missing_at_0 = is_mask and flag_meaning(other.base.attributes, 0) == "missing"
    has_properties = (
        is_mask
        and other.base.path.rpartition("/")[2].startswith("pixel_mask")
        and other.base.dtype.kind in "iu"
    )
    if is_missing_at_0:
        notes.append(f"Pixels where {node.path} is 0 are missing.")
    if not is_mask:
        notes += [*_units(image, other), *_coordinates(axes, coordinates, other, (rows, columns), find)]
    if number := elements.mask(other.base.dtype):
        notes.append(f"Elements of {number} are masked.")
    return OtherArray(
        address,
        (axes.rows, axes.columns),
        SecondPlane(arrays, rows, columns, index, elements, is_missing_at_0, has_properties),
        follows,
        tuple(notes),
    )


def _matched(axes: Axes, other: Axes) -> tuple[int, int]:
    """The axes of another array that are the rows and the columns: by name, else by place."""
    wanted = axes.names[axes.rows], axes.names[axes.columns]
    if all(name in other.names for name in wanted):
        return other.names.index(wanted[0]), other.names.index(wanted[1])
    if len(other.shape) == len(axes.shape):
        return axes.rows, axes.columns
    return (other.columns, other.rows) if axes.rows > axes.columns else (other.rows, other.columns)


def _same(axes: Axes, name: str, length: int) -> int | None:
    """The axis with this name, if it is as long and not in the picture."""
    return next(
        (axis for axis in axes.further if axes.names[axis] == name and axes.shape[axis] == length), None
    )


def _units(image: Image, other: Image) -> list[str]:
    ours, theirs = (unit_of(one.base, elements_of(one.base)) for one in (image, other))
    return [] if ours == theirs else [f"The units differ: {ours or 'none'} and {theirs or 'none'}."]


def _coordinates(
    axes: Axes,
    ours: Mapping[int, Coordinate],
    other: Image,
    theirs: tuple[int, int],
    find: Callable[[str], Any],
) -> list[str]:
    """What differs in the coordinates of the picture's axes."""
    known = coordinates_of(other, find)
    different = [
        axes.names[mine]
        for mine, their in zip((axes.rows, axes.columns), theirs, strict=True)
        if not _are_alike(ours.get(mine), known.get(their))
    ]
    return [f"The coordinates differ: {' and '.join(different)}."] if different else []


def _are_alike(one: Coordinate | None, other: Coordinate | None) -> bool:
    if one is None or other is None:
        return one is other
    a, b = one.values, other.values
    if a.dtype.kind in "iuf" and b.dtype.kind in "iuf":
        step = float(np.abs(np.diff(a.astype(np.float64))).min(initial=np.inf))
        near = 1e-3 * step if 0 < step < np.inf else 0.0
        return one.units == other.units and bool(np.allclose(a, b, rtol=1e-6, atol=near, equal_nan=True))
    return bool(np.array_equal(a, b))
