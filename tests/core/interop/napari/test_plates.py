"""Plates as one image."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.array.counting_store import CountingStore
from tests.core.interop.napari.viewers import picture, shown
from tests.core.interop.napari.written import new_group, set_ome, values, write_image
from zarrcore.errors import MetadataError
from zarrcore.interop.napari import read_layers
from zarrcore.interop.napari.plates import Mosaic
from zarrcore.typing import AnyArray

WELLS = ("A/1", "A/2", "B/2")
"""B/1 has no image."""
PLATE: dict[str, Any] = {
    "name": "screen",
    "rows": [{"name": "A"}, {"name": "B"}],
    "columns": [{"name": "1"}, {"name": "2"}],
    "wells": [
        {"path": path, "rowIndex": "AB".index(path[0]), "columnIndex": int(path[2]) - 1} for path in WELLS
    ],
}
SHAPE = (2, 40, 48)


def well_values(path: str) -> AnyArray:
    return values(SHAPE, seed=WELLS.index(path))


def write_plate(path: Path, zarr_format: int = 3) -> zarr.Group:
    plate = new_group(path, zarr_format)
    set_ome(plate, plate=PLATE)
    for well in WELLS:
        group = plate.create_group(well)
        set_ome(group, well={"images": [{"path": "f1"}, {"path": "f2"}]})
        for field in ("f1", "f2"):
            data = well_values(well) if field == "f1" else np.full(SHAPE, 7, "u2")
            channels = [{"label": "DAPI", "window": {"start": 0, "end": 3000}}, {"label": "GFP"}]
            write_image(
                group.create_group(field), data, "cyx", levels=2, chunk=16, omero={"channels": channels}
            )
    return plate


def stitched(step: int = 1) -> AnyArray:
    """The first field of each well at its place, every so many rows and columns."""
    rows, columns = SHAPE[1] // step, SHAPE[2] // step
    whole = np.zeros((2, 2 * rows, 2 * columns), "u2")
    for path in WELLS:
        row, column = "AB".index(path[0]) * rows, (int(path[2]) - 1) * columns
        whole[:, row : row + rows, column : column + columns] = well_values(path)[:, ::step, ::step]
    return whole


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_plate_is_an_image_with_each_well_at_its_place(tmp_path: Path, zarr_format: int) -> None:
    write_plate(tmp_path / "a.zarr", zarr_format)
    viewer = shown(read_layers(tmp_path / "a.zarr"))
    assert [layer.name for layer in viewer.layers] == ["screen: DAPI", "screen: GFP"]
    for number, layer in enumerate(viewer.layers):
        assert [level.shape for level in layer.data] == [(80, 96), (40, 48)]
        assert np.array_equal(np.asarray(layer.data[0]), stitched()[number])
        assert np.array_equal(picture(layer), stitched(2)[number])
        assert layer.scale.tolist() == [0.5, 0.5]


def test_only_the_wells_in_view_are_read(tmp_path: Path) -> None:
    write_plate(tmp_path / "a.zarr")
    store = CountingStore(tmp_path / "a.zarr", remote=False)
    finest = read_layers(zarrcore.open_hierarchy(store))[0][0][0]
    store.requests.clear()  # of the channel without a window: its limits of contrast
    assert np.array_equal(np.asarray(finest[70:75, 90]), stitched()[0, 70:75, 90])
    assert {*store.chunk_requests()} == {"B/2/f1/0/c/0/1/2", "B/2/f1/0/c/0/2/2"}


def test_wells_that_are_missing_broken_or_of_another_shape_do_not_hide_others(tmp_path: Path) -> None:
    plate = write_plate(tmp_path / "a.zarr")
    shutil.rmtree(tmp_path / "a.zarr/A/1")
    shutil.rmtree(tmp_path / "a.zarr/B/2/f1/0")
    smaller = np.full((2, 30, 60), 5, "u2")
    plate["B/2/f1"].create_array("0", data=smaller)
    expected = stitched()
    expected[:, :40, :48] = 0
    expected[:, 40:, 48:] = 0
    expected[:, 40:70, 48:] = 5
    layers = shown(read_layers(tmp_path / "a.zarr")).layers
    assert np.array_equal(np.asarray(layers[0].data[0]), expected[0])
    (tmp_path / "a.zarr/B/2/zarr.json").write_text("{")
    expected[:, 40:, 48:] = 0
    layers = shown(read_layers(tmp_path / "a.zarr")).layers
    assert np.array_equal(np.asarray(layers[0].data[0]), expected[0])


def test_a_plate_without_images_is_refused(tmp_path: Path) -> None:
    set_ome(new_group(tmp_path / "a.zarr"), plate=PLATE)
    with pytest.raises(MetadataError, match="no well of this plate has an image"):
        read_layers(tmp_path / "a.zarr")


TILE = np.arange(2 * 3 * 4).reshape(2, 3, 4)
BOUND = st.none() | st.integers(-14, 14)
SLICE = st.builds(slice, BOUND, BOUND, st.sampled_from([None, 1, 2, 5, -1, -3]))


@given(st.data())
def test_a_selection_of_a_mosaic_is_that_of_the_whole(data: st.DataObject) -> None:
    hierarchy = zarrcore.create(zarrcore.stores.MemoryStore())
    whole = np.zeros((2, 9, 12), "i8")
    tiles = {}
    for row, column in data.draw(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2)))):
        array = hierarchy.create_array(f"/{row}{column}", shape=TILE.shape, dtype="int64", chunks=(1, 2, 3))
        array[...] = TILE + 100 * (row + 3 * column)
        whole[:, 3 * row : 3 * row + 3, 4 * column : 4 * column + 4] = array[...]
        tiles[row, column] = lambda array=array: array
    mosaic = Mosaic(hierarchy.create_array("/x", shape=TILE.shape, dtype="int64"), (3, 3), tiles)
    assert mosaic.shape == whole.shape
    selection = tuple(data.draw(st.integers(0, length - 1) | SLICE) for length in whole.shape)
    assert np.array_equal(mosaic.read(selection), whole[selection])
