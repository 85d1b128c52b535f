"""Images with a place on Earth, written by xarray."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.maps.geography import Geography, geography_of
from zarrbrowser.session.sources import SourceRequest, open_source

EAST, NORTH = {"units": "degrees_east"}, {"units": "degrees_north"}


def written(folder: Path, data: xr.Dataset) -> str:
    """The path of the variable ``v`` of a dataset."""
    path = str(folder / "data.zarr")
    data.to_zarr(path, consolidated=False, zarr_format=3)
    return f"{path}#/v"


def opened(address: str) -> tuple[Image, Any]:
    path, _, node = address.partition("#")
    find = open_source(SourceRequest(path)).hierarchy.node
    return image_of_array(find(node)), find


def geography(address: str) -> Geography:
    return geography_of(*opened(address))


def angles(latitudes: Any, longitudes: Any, **attributes: Any) -> xr.Dataset:
    """A variable over latitudes and longitudes."""
    y, x = np.asarray(latitudes), np.asarray(longitudes)
    values = np.zeros((y.size, x.size), np.float32)
    coordinates = {"lat": ("lat", y, NORTH), "lon": ("lon", x, EAST)}
    return xr.Dataset({"v": (("lat", "lon"), values, attributes)}, coordinates)


def projected(crs: str, x: Any, y: Any) -> xr.Dataset:
    """A variable over the coordinates of a CRS, with a grid mapping of CF."""
    from pyproj import CRS

    values = np.zeros((len(y), len(x)), np.float32)
    coordinates = {"x": ("x", x, {"units": "m"}), "y": ("y", y, {"units": "m"})}
    mapping = ((), 0, CRS(crs).to_cf())
    return xr.Dataset({"v": (("y", "x"), values, {"grid_mapping": "crs"}), "crs": mapping}, coordinates)
