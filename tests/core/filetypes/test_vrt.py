"""GDAL reads a stack of planes as the bands of one raster."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from rasterio.errors import NotGeoreferencedWarning

import zarrcore
from tests.core.filetypes.images import numbers, whole
from tests.core.filetypes.tiff.maps import array_in, placed
from tests.core.filetypes.tiff.test_geotiff import TYPES
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import stack_as_vrt, vrt
from zarrcore.filetypes.tiff import raster_facts


def written(array: Any, folder: Path) -> Path:
    """The text, and a file for each plane, in a folder."""
    planes = {}

    def source(selection: Any) -> str:
        name = f"{len(planes)} & more.tif"
        planes[name] = selection
        return name

    path = folder / "data.vrt"
    path.write_bytes(stack_as_vrt(array, raster_facts(array), source))
    for name, selection in planes.items():
        (folder / name).write_bytes(whole(array, "tif", selection))
    return path


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path) as dataset:
            yield dataset


@pytest.mark.parametrize("dtype", TYPES)
def test_planes_of_every_type(tmp_path: Path, dtype: str) -> None:
    data = numbers((2, 3, 40, 50), dtype)
    array = array_in(zarrcore.create("memory://"), "a", data)
    with opened(written(array, tmp_path)) as stack:
        assert np.array_equal(stack.read(), data.reshape(6, 40, 50))


@pytest.mark.parametrize(("names", "axes"), [(["y", "x", "t"], (2, 0, 1)), (["x", "t", "y"], (1, 2, 0))])
def test_dimensions_in_any_order(tmp_path: Path, names: list[str], axes: tuple[int, ...]) -> None:
    data = numbers((20, 30, 4), "i2")
    array = array_in(zarrcore.create("memory://"), "a", data, names)
    with opened(written(array, tmp_path)) as stack:
        assert np.array_equal(stack.read(), data.transpose(axes))


def test_colours_of_each_plane(tmp_path: Path) -> None:
    data = numbers((2, 40, 50, 3), "u1")
    with opened(written(array_in(zarrcore.create("memory://"), "a", data), tmp_path)) as stack:
        assert np.array_equal(stack.read(), data.transpose(0, 3, 1, 2).reshape(6, 40, 50))
        assert [colour.name for colour in stack.colorinterp] == ["red", "green", "blue"] * 2


def test_metadata_are_those_of_the_planes(tmp_path: Path) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy["/"].attributes = {"proj:code": "EPSG:32633"}
    placed(hierarchy, "", 1000.0 + 10 * np.arange(20), 10.0 * np.arange(30))
    array_in(hierarchy, "time", [0, 1], ["time"], attributes={"units": "days since 2020-01-01"})
    attributes = {"units": "<m>", "scale_factor": 0.1, "add_offset": 5.0, "_FillValue": -1}
    data = numbers((2, 20, 30), "i2")
    array = array_in(hierarchy, "a", data, ["time", "y", "x"], attributes=attributes)
    with opened(written(array, tmp_path)) as stack, opened(tmp_path / "0 & more.tif") as plane:
        assert np.array_equal(stack.read(), data[:, ::-1])
        for name in ("crs", "transform", "shape", "nodata"):
            assert getattr(stack, name) == getattr(plane, name), name
        for name in ("units", "scales", "offsets", "block_shapes", "dtypes"):
            assert getattr(stack, name) == getattr(plane, name) * 2, name
        assert stack.descriptions == ("time=2020-01-01", "time=2020-01-02")


@pytest.mark.parametrize("shape", [(5, 7), (7,), (), (0, 5, 7), (65_536, 1, 1), (5, 7, 3)])
def test_what_is_no_stack(shape: tuple[int, ...]) -> None:
    array = zarrcore.create("memory://").create_array("a", shape=shape, dtype="u1")
    with pytest.raises(UnsupportedError, match="is not that of a stack of 1 to 65,535 planes"):
        stack_as_vrt(array, raster_facts(array), str)


def test_a_text_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vrt, "MAX_NBYTES", 10_000)
    array = zarrcore.create("memory://").create_array("a", shape=(100, 5, 7), dtype="f4")
    with pytest.raises(UnsupportedError, match=r"has too many planes \(100\) for a VRT"):
        stack_as_vrt(array, raster_facts(array), str)
