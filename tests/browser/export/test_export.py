"""Exported files read back equal and appear atomically."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import tifffile

import zarrcore as zc
from tests.browser.export.volume import PLANE, VALUES
from zarrbrowser.export.export import Export, why_not, write
from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.nodes.read_cost import Cancelled
from zarrcore.errors import UnsupportedError


def no_encoder(_pixels: Any) -> bytes:
    raise AssertionError("a picture was requested")


@pytest.mark.parametrize("suffix", ["npy", "tiff", "tif", "csv"])
@pytest.mark.parametrize(
    "selection", [PLANE, (slice(None), 3, slice(10, 40, 3)), (0, slice(2, 3), slice(4, 5))]
)
def test_exported_files_read_back_equal(suffix: str, selection: Any, folder: Path, tmp_path: Path) -> None:
    viewed = ViewedArray.whole(zc.open_hierarchy(folder / "v3.zarr")["deep/volume"])
    path, told = tmp_path / f"out.{suffix}", []
    assert why_not(viewed, selection, suffix) == ""
    size = write(Export(viewed, selection, suffix, str(path)), no_encoder, lambda: False, told.append)
    readers: dict[str, Callable[[], Any]] = {
        "npy": lambda: np.load(path),
        "tiff": lambda: tifffile.imread(path),
        "tif": lambda: tifffile.imread(path),
        "csv": lambda: [[int(cell) for cell in row] for row in csv.reader(path.read_text().splitlines())],
    }
    found = np.asarray(readers[suffix]())
    assert np.array_equal(found.reshape(VALUES[selection].shape), VALUES[selection])
    assert size == path.stat().st_size
    assert suffix == "csv" or told[-1] == 1.0


def test_a_map_has_its_place_on_earth(tmp_path: Path) -> None:
    """Whether it can be written is known without a request; writing it reads what its group says."""
    store = zc.stores.MemoryStore()
    hierarchy = zc.create(store)
    grid = [10.0, 0.0, 500000.0, 0.0, -10.0, 4600000.0]
    hierarchy.create_group("g").attributes = {"proj:code": "EPSG:32633", "spatial:transform": grid}
    hierarchy.create_array("g/a", shape=(40, 50), dtype="uint8", dimension_names=["y", "x"])
    counting = zc.stores.StatisticsStore(store)
    viewed = ViewedArray.whole(zc.open_hierarchy(counting)["g/a"])
    before = counting.statistics()["get"].requests
    selection = slice(10, 30), slice(5, None)
    assert why_not(viewed, selection, "tif") == ""
    assert counting.statistics()["get"].requests == before
    path = tmp_path / "a.tif"
    write(Export(viewed, selection, "tif", str(path)), no_encoder, lambda: False, lambda _part: None)
    with rasterio.open(path) as dataset:
        assert dataset.crs.to_string() == "EPSG:32633"
        assert dataset.bounds == (500050, 4599700, 500500, 4599900)


def test_a_cancelled_export_leaves_the_existing_file(folder: Path, tmp_path: Path) -> None:
    viewed = ViewedArray.whole(zc.open_hierarchy(folder / "v3.zarr")["deep/volume"])
    path = tmp_path / "out.npy"
    path.write_bytes(b"before")
    with pytest.raises(Cancelled):
        write(Export(viewed, PLANE, "npy", str(path)), no_encoder, lambda: True, lambda _part: None)
    assert path.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == ["out.npy"]


def test_an_unsuitable_file_type_is_explained(folder: Path) -> None:
    viewed = ViewedArray.whole(zc.open_hierarchy(folder / "v3.zarr")["deep/volume"])
    assert "picture" in why_not(viewed, PLANE, "png")
    assert viewed.file_name((1, slice(None), slice(None)), "npy") == "volume_axis01.npy"


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        ((slice(0, 2049), slice(0, 2048)), "4,196,352 elements are too many for a text"),
        ((slice(0, 2048), slice(0, 2048)), ""),
        ((0, slice(None)), ""),
    ],
)
def test_too_many_elements_for_text_are_refused_before_writing(
    selection: Any, reason: str, tmp_path: Path
) -> None:
    array = zc.create(tmp_path / "a.zarr").create_array(
        "x", shape=(3000, 3000), dtype="int8", chunks=(3000, 3000)
    )
    viewed = ViewedArray.whole(array)
    assert why_not(viewed, selection, "csv").startswith(reason)
    if reason:
        with pytest.raises(UnsupportedError, match="too large for text"):
            write(Export(viewed, selection, "csv", str(tmp_path / "x.csv")), no_encoder, lambda: False, print)


def test_a_text_file_has_at_most_two_axes(folder: Path) -> None:
    viewed = ViewedArray.whole(zc.open_hierarchy(folder / "v3.zarr")["deep/volume"])
    assert "at most two axes" in why_not(viewed, viewed.selection, "csv")
