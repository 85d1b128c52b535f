"""GeoTIFF files as GDAL opens them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import rasterio
from rasterio.errors import NotGeoreferencedWarning

import zarrcore
from tests.core.filetypes.stream import Stream


@contextmanager
def opened(file: zarrcore.VirtualFile, **options: Any) -> Iterator[Any]:
    """The file as a dataset of rasterio, which reads it through GDAL, part by part."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(f"{id(file)}.tif", opener=partial(_open, file), **options) as dataset:
            yield dataset


def _open(file: zarrcore.VirtualFile, path: str, mode: str = "rb") -> io.BufferedReader:
    if not path.endswith(".tif"):  # other files with more metadata
        raise FileNotFoundError(path)
    return io.BufferedReader(Stream(file), 4096)


def array_in(hierarchy: zarrcore.Hierarchy, path: str, data: Any, names: Any = None, **options: Any) -> Any:
    """A new array with these elements."""
    data = np.asarray(data)
    array = hierarchy.create_array(path, shape=data.shape, dtype=data.dtype, dimension_names=names, **options)
    array[...] = data
    return array


def placed(hierarchy: zarrcore.Hierarchy, group: str, y: Any, x: Any, **units: str) -> None:
    """Coordinate variables of rows and columns."""
    for name, values in (("y", y), ("x", x)):
        array_in(hierarchy, f"{group}{name}", values, [name], attributes={"units": units.get(name, "m")})
