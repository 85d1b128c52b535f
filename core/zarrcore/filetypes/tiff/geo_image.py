"""Arrays, and groups that are multiscale images, as GeoTIFF.

Rows go from north to south and columns from west to east, whatever their order in the array: many programs show other
images upside down, or not at all. Dimensions other than rows and columns are bands, the last one fastest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from zarrcore.array import Array, Selection
from zarrcore.conventions import MultiscaleImage, meaning
from zarrcore.conventions.georeference import Affine
from zarrcore.errors import SelectionError
from zarrcore.filetypes.body import ArrayBody
from zarrcore.filetypes.tiff.directories import check_type, resolution_entries
from zarrcore.filetypes.tiff.gdal_tags import gdal_entries
from zarrcore.filetypes.tiff.geo_keys import geo_entries
from zarrcore.filetypes.tiff.geotiff import MAX_BANDS, GeoTiffFile
from zarrcore.filetypes.tiff.pixel_size import resolution_of
from zarrcore.filetypes.tiff.raster_facts import RasterFacts, named_facts, raster_facts
from zarrcore.filetypes.tiff.tiles import TilesFile
from zarrcore.hierarchy import Group

_COLOURS = (3, 4)


def array_as_geotiff(
    array: Array, selection: Selection = ..., facts: RasterFacts | None = None
) -> GeoTiffFile:
    """``array[selection]`` as a GeoTIFF; with the array's coarser levels, if all rows and columns are selected.

    Args:
        array: the array.
        selection: the selection.
        facts: what metadata say about the array; by default only what the names of its dimensions say.

    Raises:
        UnsupportedError: TIFF has no such type, or there are too many bands.
        SelectionError: the selection is invalid or outside the array.
    """
    check_type(array.dtype)
    facts = facts or named_facts(array)
    body = ArrayBody(array, selection)
    indices = _north_up(body.indices, facts)
    letters = [_letter(axis, len(indices[axis]), facts) for axis in body.kept]
    coarser = facts.levels if _has_all(array, indices, body.kept, facts) else ()
    levels = [
        _tiles(array, indices, body.kept, letters),
        *(_tiles(level, _of_level(level, indices, facts), body.kept, letters) for level in coarser),
    ]
    transform = _placed(indices, facts)
    bands = _band_names(array, [(axis, indices[axis]) for axis in body.kept], letters, facts)
    tags = [*geo_entries(facts.crs, transform), *gdal_entries(facts.quantity, bands)]
    resolution = resolution_of(facts.sizes, indices, facts.plane) if transform is None else None
    if resolution is not None:
        tags += resolution_entries(resolution)
    return GeoTiffFile(levels, tags, transform, facts.quantity.sample_type)


def group_as_geotiff(group: Group, find: Callable[[str], Any] | None = None) -> GeoTiffFile:
    """The image of a group, with all its levels.

    Args:
        group: the group.
        find: returns the node at an absolute path of the group's hierarchy; by default that of the hierarchy.

    Raises:
        SelectionError: the group is not a multiscale image.
        UnsupportedError: TIFF has no such type, or there are too many bands.
        MetadataError, NodeNotFoundError: the first level is broken or missing.
        StoreError: the store failed.
    """
    image = meaning(group, find)
    if not isinstance(image, MultiscaleImage):
        raise SelectionError(
            f"{group.uri} is not a multiscale image: name an array in it (zarrscope tree shows them)"
        )
    array = image.levels[0].node
    return array_as_geotiff(array, ..., raster_facts(array, find))


def _north_up(indices: Sequence[range], facts: RasterFacts) -> list[range]:
    """The indices of an image, reversed where rows go north, or columns west."""
    turned = [*indices]
    transform = _placed(indices, facts)
    if transform is None or transform[1] or transform[3]:
        return turned
    for axis, is_reversed in zip(facts.plane, (transform[4] > 0, transform[0] < 0), strict=True):
        if axis is not None and is_reversed:
            turned[axis] = turned[axis][::-1]
    return turned


def _placed(indices: Sequence[range], facts: RasterFacts) -> Affine | None:
    """The grid of the selected rows and columns."""
    if facts.transform is None:
        return None
    a, b, c, d, e, f = facts.transform
    (row, down), (column, right) = (
        (0.0, 1) if axis is None else _corner(indices[axis]) for axis in facts.plane
    )
    x, y = a * column + b * row + c, d * column + e * row + f
    return a * right, b * down + 0.0, x, d * right + 0.0, e * down, y  # no negative zeros


def _corner(index: range) -> tuple[float, int]:
    """The outer edge of the first selected cell, and the distance to the next one; the cells are as wide as that."""
    return index.start + (1 - index.step) / 2, index.step


def _letter(axis: int, length: int, facts: RasterFacts) -> str:
    """What a dimension is in the file: ``Y``, ``X``, ``S`` (samples of RGB or RGBA), or a number for one of bands."""
    if axis in facts.plane:
        return "YX"[facts.plane.index(axis)]
    return "S" if axis == facts.colours and length in _COLOURS else str(axis)


def _has_all(array: Array, indices: Sequence[range], kept: Sequence[int], facts: RasterFacts) -> bool:
    """Whether all rows and columns are selected."""
    return all(
        axis is None or (axis in kept and len(indices[axis]) == array.shape[axis]) for axis in facts.plane
    )


def _of_level(level: Array, indices: Sequence[range], facts: RasterFacts) -> list[range]:
    """The selection of all rows and columns of a level, and of the same bands."""
    return [
        range(level.shape[axis])[:: index.step] if axis in facts.plane else index
        for axis, index in enumerate(indices)
    ]


def _tiles(array: Array, indices: Sequence[range], kept: Sequence[int], letters: Sequence[str]) -> TilesFile:
    selection = tuple(_as_slice(index) if axis in kept else index.start for axis, index in enumerate(indices))
    return TilesFile(array, selection, letters=letters, has_strips=False)


def _as_slice(index: range) -> slice:
    """The slice that selects the same indices."""
    return slice(index.start, index.stop if index.stop >= 0 else None, index.step)


def _band_names(
    array: Array, selected: Sequence[tuple[int, range]], letters: Sequence[str], facts: RasterFacts
) -> list[str]:
    """The name of each sample of a pixel."""
    if "S" in letters:
        return [""] * len(selected[letters.index("S")][1])
    bands = [one for one, letter in zip(selected, letters, strict=True) if letter not in "YX"]
    if not bands or math.prod(len(index) for _, index in bands) > MAX_BANDS:
        return [facts.quantity.name]
    axes = [axis for axis, _ in bands]
    return [
        facts.band_name(array, [*zip(axes, position, strict=True)])
        for position in product(*(index for _, index in bands))
    ]
