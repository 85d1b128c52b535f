"""The two-dimensional longitudes and latitudes of an image.

CF conventions, 5.2 "Two-Dimensional Latitude, Longitude, Coordinate Variables": the attribute ``coordinates`` names them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from zarrbrowser.image.levels import Image
from zarrbrowser.maps.curved_grid import CurvedGrid
from zarrbrowser.maps.unknown_place import UnknownPlaceError
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES, Cancelled
from zarrbrowser.values.quantities import format_bytes
from zarrcore.typing import AnyArray

MOST_CELLS = 2_000_000
"""Of larger grids, the coordinates of some elements are used; those between them follow. A cell takes some 60 bytes."""
_MOST_AT_ORIGIN = 8
"""More elements than these at 0° N, 0° E are missing ones: models write zeros where no processor computes, as over land."""
_HIGHEST = 90.001
_WIDEST = 1440.0

Find = Callable[[str], Any]
Cancellation = Callable[[], bool]


def curved_grid_of(
    image: Image, find: Find, cancelled: Cancellation = lambda: False
) -> tuple[tuple[int, int], CurvedGrid] | None:
    """The axes of an image that are the rows and columns of a curved grid, and the grid; None if the image has none; blocks.

    Raises:
        Cancelled: ``cancelled`` became true.
        UnknownPlaceError: its coordinates cannot be read, or cannot be used.
    """
    nodes = _named(image, find)
    if nodes is None:
        return None
    latitudes, longitudes = nodes
    names = list(image.base.dimension_names or ())
    height, width = shape = latitudes.shape[-2:]
    cost = latitudes.nbytes + longitudes.nbytes
    if cost > ASK_ABOVE_BYTES:
        raise UnknownPlaceError(
            f"No map: the coordinates of this image are too large ({format_bytes(cost)})."
        )
    step = math.ceil(math.sqrt(height * width / MOST_CELLS))
    at = tuple(np.arange(min(step // 2, size - 2), size, step) for size in shape)
    at = tuple(np.array([0, size - 1]) if one.size < 2 else one for one, size in zip(at, shape, strict=True))
    plane = tuple(slice(int(one[0]), None, int(one[1] - one[0])) for one in at)
    y, x = (_numbers(node, plane, cancelled) for node in (latitudes, longitudes))
    is_known = (np.abs(y) <= _HIGHEST) & (np.abs(x) <= _WIDEST)
    is_zero = (y == 0) & (x == 0)
    if np.count_nonzero(is_zero) > _MOST_AT_ORIGIN:
        is_known &= ~is_zero
    if not is_known.any():
        raise UnknownPlaceError("No map: the coordinates of this image are missing.")
    y[~is_known] = x[~is_known] = np.nan
    bounds = None
    if step == 1:
        bounds = _bounds(latitudes, longitudes, find, cancelled)
    axes = names.index(latitudes.dimension_names[-2]), names.index(latitudes.dimension_names[-1])
    return axes, CurvedGrid(x, y, (height, width), (at[0], at[1]), bounds)


def _named(image: Image, find: Find) -> tuple[Any, Any] | None:
    """The latitudes and the longitudes that the attribute ``coordinates`` names."""
    from zarrcore.conventions.cf import is_latitude, is_longitude  # late: for a fast start
    from zarrcore.errors import NodeNotFoundError, SelectionError

    told = image.base.attributes.get("coordinates")
    if not isinstance(told, str) or not image.base.dimension_names:
        return None
    lengths = dict(zip(image.base.dimension_names, image.base.shape, strict=True))
    group = image.base.path.rpartition("/")[0]
    found: dict[str, Any] = {}
    for name in told.split():
        try:
            node = find(f"{group}/{name}")
        except (NodeNotFoundError, SelectionError):
            continue
        if node.kind != "array" or node.ndim < 2 or min(node.shape[-2:]) < 2 or node.dtype.kind not in "iuf":
            continue
        plane = tuple(node.dimension_names or ())[-2:]
        if None in plane or tuple(lengths.get(one) for one in plane) != tuple(node.shape[-2:]):
            continue
        for kind, is_kind in (("latitude", is_latitude), ("longitude", is_longitude)):
            if is_kind(node):
                found.setdefault(kind, node)
    if len(found) < 2:
        return None
    latitudes, longitudes = found["latitude"], found["longitude"]
    is_one_grid = latitudes.dimension_names[-2:] == longitudes.dimension_names[-2:]
    return (latitudes, longitudes) if is_one_grid else None


def _numbers(node: Any, plane: tuple[slice, ...], cancelled: Cancellation) -> AnyArray:
    """A plane of coordinates; NaN for missing ones.

    Files of models often repeat the coordinates for each time step.
    """
    further = node.ndim - len(plane)
    numbers = _unpacked(node, (*(0,) * further, *plane), cancelled)
    if math.prod(node.shape[:further]) > 1:
        last = _unpacked(node, (*(-1,) * further, *plane), cancelled)
        if not np.array_equal(numbers, last, equal_nan=True):
            raise UnknownPlaceError(
                f"No map: the grid moves along {', '.join(map(str, node.dimension_names[:further]))}."
            )
    return numbers


def _unpacked(node: Any, selection: tuple[Any, ...], cancelled: Cancellation) -> AnyArray:
    from zarrcore.conventions.cf import packing_of  # late: for a fast start
    from zarrcore.errors import ZarrError

    if cancelled():
        raise Cancelled
    try:
        stored, packing = np.asarray(node.read(selection, cancelled=cancelled)), packing_of(node)
    except ZarrError as error:
        if cancelled():
            raise Cancelled from error
        raise UnknownPlaceError(f"No map: the coordinates in {node.path} cannot be read.") from error
    values = packing.unpacked(stored) if packing is not None else stored
    return values.astype(np.float64)


def _bounds(
    latitudes: Any, longitudes: Any, find: Find, cancelled: Cancellation
) -> tuple[AnyArray, AnyArray] | None:
    """The longitudes and latitudes of the vertices of cells; None if they are not told, not four, or too large."""
    from zarrcore.errors import NodeNotFoundError, SelectionError

    found = []
    for node in (longitudes, latitudes):
        name = node.attributes.get("bounds")
        if not isinstance(name, str) or node.ndim != 2:
            return None
        try:
            bounds = find(f"{node.path.rpartition('/')[0]}/{name}")
        except (NodeNotFoundError, SelectionError):
            return None
        if (
            bounds.kind != "array"
            or tuple(bounds.shape) != (*node.shape, 4)
            or bounds.dtype.kind not in "iuf"
        ):
            return None
        if 2 * bounds.nbytes > ASK_ABOVE_BYTES:
            return None
        values = _unpacked(bounds, (slice(None),) * 3, cancelled)
        values[~(np.abs(values) <= (_WIDEST if node is longitudes else _HIGHEST))] = np.nan
        found.append(values)
    return found[0], found[1]
