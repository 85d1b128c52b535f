"""What metadata say about an array as a map: its rows and columns, where it is on Earth, its bands, and its coarser levels."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from zarrcore.array import Array, plane_ndim
from zarrcore.conventions import (
    CoordinateReferenceSystem,
    Georeference,
    Level,
    MultiscaleImage,
    georeference_of,
)
from zarrcore.conventions.cf import coordinate_values, find_coordinate, missing_values_of, packing_of
from zarrcore.conventions.geo import plane_dimensions
from zarrcore.conventions.georeference import Affine
from zarrcore.conventions.image_around import image_around, level_in
from zarrcore.conventions.values import text
from zarrcore.errors import StoreError, ZarrError
from zarrcore.filetypes.tiff.gdal_tags import PLAIN, Quantity
from zarrcore.filetypes.tiff.geo_keys import is_usable, resolved
from zarrcore.filetypes.tiff.pixel_size import Sizes, sizes_of_level
from zarrcore.hierarchy import ArrayNode

T = TypeVar("T")
Plane = tuple[int | None, int | None]

_COLOURS: Final = ("c", "channel", "channels", "band", "bands", "s", "sample", "samples", "rgb", "rgba")
_MOST_NAMES: Final = 1 << 16
"""The longest dimension whose indices have names: GDAL has at most so many bands."""


@dataclass(frozen=True, slots=True)
class RasterFacts:
    """What metadata say about an array as a map."""

    plane: Plane
    """The dimensions of rows and columns; None for one that the array does not have."""
    colours: int | None = None
    """The dimension of RGB or RGBA."""
    crs: CoordinateReferenceSystem | None = None
    transform: Affine | None = None
    """As `Georeference.transform`, for the whole array."""
    quantity: Quantity = PLAIN
    names: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The names of the indices of dimensions outside the plane, as far as coordinates or channels name them."""
    sizes: Sizes = ()
    """The sizes of pixels, as `pixel_sizes`."""
    levels: tuple[ArrayNode, ...] = ()
    """The same array at lower resolutions, finest first."""

    @property
    def version(self) -> str:
        """A text that changes with everything except the levels."""
        told = self.plane, self.colours, self.crs, self.transform, self.quantity, self.names, self.sizes
        return hashlib.blake2b(repr(told).encode(), digest_size=16).hexdigest()

    def band_name(self, array: Array, index: Sequence[tuple[int, int]]) -> str:
        """The name of a plane, from the indices of dimensions outside of it: ``time=2020-01-01, B02``."""
        return ", ".join(self._index_name(array, axis, position) for axis, position in index)

    def _index_name(self, array: Array, axis: int, position: int) -> str:
        known = self.names.get(axis)
        if known is not None and position < len(known) and known[position]:
            return known[position]
        name = array.dimension_names[axis] if array.dimension_names else None
        return f"{name or f'dimension {axis}'}={position}"


def raster_facts(array: Array, find: Callable[[str], Any] | None = None) -> RasterFacts:
    """What metadata say about an array, its group and the groups above.

    Coordinate variables are read; one that cannot be decoded does not count.

    Args:
        array: the array; if it is not in a hierarchy, only the names of its dimensions count.
        find: returns the node at an absolute path of the array's hierarchy; by default that of the hierarchy.

    Raises:
        StoreError: the store failed.
    """
    if not isinstance(array, ArrayNode):
        return named_facts(array)
    look = find or array.hierarchy.node
    georeference = _known(lambda: georeference_of(array, look)) or Georeference()
    plane, colours = _axes(array, georeference.dimensions)
    image = _known(lambda: image_around(array, look))
    own = None if image is None else level_in(array, image)
    transform = georeference.transform
    if transform is None and image is not None and own is not None:
        transform = _transform_of_level(own, image, plane, look)
    return RasterFacts(
        plane,
        colours,
        None if georeference.crs is None else resolved(georeference.crs),
        transform if transform is not None and is_usable(transform) else None,
        _quantity(array),
        dict(_names(array, (*plane, colours), image, look)),
        () if image is None or own is None else sizes_of_level(image, own),
        () if image is None or own is None else tuple(_coarser(array, own, image.levels, plane)),
    )


def named_facts(array: Array) -> RasterFacts:
    """What the names of its dimensions say about an array."""
    return RasterFacts(*_axes(array, None))


def _known(read: Callable[[], T | None]) -> T | None:
    """What metadata say, or None if they contradict themselves.

    Raises:
        StoreError: the store failed.
    """
    try:
        return read()
    except StoreError:
        raise
    except ZarrError:
        return None


def _axes(array: Array, told: tuple[str, str] | None) -> tuple[Plane, int | None]:
    """The dimensions of rows and columns, and that of RGB or RGBA."""
    names = array.dimension_names or (None,) * array.ndim
    told = told or plane_dimensions(array)
    ndim = plane_ndim(array.shape, array.dtype)
    last = (names[-1] or _COLOURS[0]).lower() if names else ""
    has_colours = ndim == 3 and last in _COLOURS and (told is None or names[-1] not in told)
    colours = array.ndim - 1 if has_colours else None
    if told is not None:
        return (names.index(told[0]), names.index(told[1])), colours
    others = [axis for axis in range(array.ndim) if axis != colours]
    rows, columns = (None, None, *others)[-2:]
    return (rows, columns), colours


def _quantity(array: ArrayNode) -> Quantity:
    attributes = array.attributes
    packing = packing_of(array)
    missing = [value for told in missing_values_of(array).values() for value in np.ravel(told)]
    if packing is not None:
        missing = [packing.reinterpreted(value)[()] for value in missing]
    return Quantity(
        text(attributes.get("long_name")) or array.name,
        text(attributes.get("standard_name")),
        text(attributes.get("units")),
        packing.scale if packing is not None else 1.0,
        packing.offset if packing is not None else 0.0,
        missing[0] if missing else None,
        None if packing is None else packing.type_of(array.dtype),
    )


def _names(
    array: ArrayNode,
    shown: Sequence[int | None],
    image: MultiscaleImage | None,
    find: Callable[[str], Any],
) -> Iterator[tuple[int, list[str]]]:
    """The names of the indices of each dimension that is not ``shown``."""
    for axis in range(array.ndim):
        if axis in shown or array.shape[axis] > _MOST_NAMES:
            continue
        if image is not None and image.channel_axis == axis and image.channels:
            yield axis, [channel.name for channel in image.channels]
        elif array.dimension_names and array.dimension_names[axis]:
            yield axis, _known(partial(_coordinates, array, axis, find)) or []


def _coordinates(array: ArrayNode, axis: int, find: Callable[[str], Any]) -> list[str]:
    """The coordinates of a dimension as texts: ``time=2020-01-01``, or ``B02`` if they are names."""
    coordinate = find_coordinate(array, axis, find)
    if coordinate is None:
        return []
    values, _ = coordinate_values(coordinate)
    texts = [_shown(value) for value in (values.astype(str) if values.dtype.kind == "M" else values).tolist()]
    are_names = values.dtype.kind in "OSTU"
    return texts if are_names else [f"{(array.dimension_names or ())[axis]}={shown}" for shown in texts]


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _transform_of_level(
    level: Level, image: MultiscaleImage, plane: Plane, find: Callable[[str], Any]
) -> Affine | None:
    """The grid of a level, from that of the first level; None if it is unknown."""
    first = _known(lambda: georeference_of(image.levels[0].node, find))
    if first is None or first.transform is None or level.factors is None or None in plane:
        return None
    a, b, c, d, e, f = first.transform
    (row, _, down), (column, _, right) = (_extent(level, axis) for axis in plane if axis is not None)
    row, column = row + 0.5, column + 0.5  # from the corner of the first element, not from its centre
    return a * right, b * down, a * column + b * row + c, d * right, e * down, d * column + e * row + f


def _coarser(array: ArrayNode, own: Level, levels: Sequence[Level], plane: Plane) -> Iterator[ArrayNode]:
    """The levels that show all of an array in fewer rows and columns, finest first."""
    last = array
    for level in sorted(levels, key=lambda level: -math.prod(getattr(level.node, "shape", ()))):
        node = level.node
        if isinstance(node, ArrayNode) and _is_reduced(node, last, plane) and _covers(level, own, plane):
            yield node
            last = node


def _is_reduced(node: ArrayNode, last: ArrayNode, plane: Plane) -> bool:
    """Whether an array has the planes of another one, in fewer pixels."""
    if node.dtype != last.dtype or node.ndim != last.ndim or node.shape == last.shape:
        return False
    lengths = enumerate(zip(node.shape, last.shape, strict=True))
    return all(0 < new <= old if axis in plane else new == old for axis, (new, old) in lengths)


def _covers(level: Level, own: Level, plane: Plane) -> bool:
    """Whether a level has the extent of another one, up to one of its elements; True if that is unknown."""
    if level.factors is None or own.factors is None:
        return True
    for axis in plane:
        if axis is not None:
            (start, end, step), (first, last, unit) = _extent(level, axis), _extent(own, axis)
            if step < unit or max(abs(start - first), abs(end - last)) > step:
                return False
    return True


def _extent(level: Level, axis: int) -> tuple[float, float, float]:
    """The outer edges of a level, and the length of one element, in elements of the first level."""
    step = (level.factors or ())[axis]
    start = level.offsets[axis] - step / 2 if level.offsets is not None else -0.5
    return start, start + step * level.node.shape[axis], step
