"""Coordinates of grids for xarray: GeoZarr's arrays have a transform in place of arrays with coordinates.

Specification: https://github.com/zarr-conventions/spatial (version 1), ``spatial:transform``. A transform leads from the corners
of cells; coordinates are the centres of cells, as rasterio and rioxarray have them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping

import numpy as np
from xarray import Variable

from zarrcore.conventions.geo import stated_grid
from zarrcore.errors import StoreError, ZarrError
from zarrcore.hierarchy import ArrayNode


def grid_coordinates(
    arrays: Mapping[str, ArrayNode], dimensions_of: Callable[[str], tuple[str, ...]]
) -> dict[str, Variable]:
    """The coordinates of dimensions of arrays whose metadata state a transform without rotation, by their names.

    A dimension with an array of coordinates has those. One for which arrays state different coordinates has none, and a warning
    says so.

    Args:
        arrays: the arrays of a group by name.
        dimensions_of: the names of the dimensions of an array, one length each.

    Raises:
        StoreError: the store failed.
    """
    found: dict[str, Variable] = {}
    disputed: set[str] = set()
    for name, array in arrays.items():
        for dimension, coordinate in _coordinates(array, dimensions_of(name)).items():
            if dimension in arrays:
                continue
            if not np.array_equal(found.setdefault(dimension, coordinate).values, coordinate.values):
                disputed.add(dimension)
    for dimension in sorted(disputed):
        warnings.warn(
            f"the dimension {dimension} has no coordinates: the transforms of its arrays differ", stacklevel=2
        )
    return {name: coordinate for name, coordinate in found.items() if name not in disputed}


def _coordinates(array: ArrayNode, dimensions: tuple[str, ...]) -> dict[str, Variable]:
    try:
        grid = stated_grid(array)
    except StoreError:
        raise
    except ZarrError as error:  # a broken group above
        warnings.warn(f"{array.uri} has no coordinates: {error}", stacklevel=2)
        return {}
    if grid is None or grid.transform is None or grid.dimensions is None:
        return {}
    a, b, c, d, e, f = grid.transform
    if b or d:
        return {}
    names = list(array.dimension_names or ())
    rows, columns = map(names.index, grid.dimensions)
    return {
        dimensions[axis]: Variable(
            (dimensions[axis],), start + step * (np.arange(array.shape[axis]) + 0.5), {"axis": letter}
        )
        for axis, start, step, letter in ((rows, f, e, "Y"), (columns, c, a, "X"))
    }
