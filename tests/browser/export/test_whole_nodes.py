"""Whole nodes as files and hierarchies, read by other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import zarr

import zarrcore as zc
from zarrbrowser.export.whole_nodes import (
    HIERARCHIES,
    OF_ARRAYS,
    OF_GROUPS,
    Extent,
    NodeExport,
    extent_of,
    write_node,
)
from zarrbrowser.nodes.read_cost import Cancelled
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import Hierarchy

VALUES = np.arange(6 * 20 * 30, dtype="int16").reshape(6, 20, 30)


FILES_OF_COORDINATES = pytest.mark.parametrize("name", ["h5", "nc"])


def never() -> bool:
    return False


def nothing(_fraction: float) -> None:
    pass


@pytest.fixture
def hierarchy(tmp_path: Path) -> Hierarchy:
    """A group with an array of three axes and its coordinate, and a group without arrays beside it."""
    made = zc.create(tmp_path / "in" / "a.zarr")
    made.create_group("g", attributes={"title": "cells"})
    names = ("time", "y", "x")
    volume = made.create_array(
        "g/volume",
        shape=VALUES.shape,
        dtype="int16",
        chunks=(1, 20, 30),
        dimension_names=names,
        attributes={"units": "K"},
    )
    volume[...] = VALUES
    time = made.create_array("g/time", shape=(6,), dtype="float64", chunks=(6,), dimension_names=("time",))
    time[...] = np.arange(6) * 0.5
    made.create_group("other")
    return made


def export(
    hierarchy: Hierarchy,
    path: str,
    name: str,
    to: Path,
    cancelled: Callable[[], bool] = never,
    progress: Callable[[float], None] = nothing,
) -> Any:
    kinds = {**OF_ARRAYS, **OF_GROUPS}
    return write_node(NodeExport(hierarchy, hierarchy[path], kinds[name], str(to)), cancelled, progress)


@pytest.mark.parametrize("name", ["v3 folder", "v3 zip", "v2 folder"])
def test_a_group_becomes_a_hierarchy_that_zarr_python_reads(
    hierarchy: Hierarchy, tmp_path: Path, name: str
) -> None:
    place, told = tmp_path / f"out.{HIERARCHIES[name].suffix}", []
    written = export(hierarchy, "/g", name, place, progress=told.append)
    store: Any = zarr.storage.ZipStore(place, mode="r") if name == "v3 zip" else str(place)
    group = zarr.open_group(store, mode="r")
    assert group.metadata.zarr_format == (2 if name == "v2 folder" else 3)
    assert dict(group.attrs)["title"] == "cells"
    assert np.array_equal(group["volume"][...], VALUES)
    assert np.array_equal(group["time"][...], np.arange(6) * 0.5)
    assert told[-1] == 1.0
    assert written.nbytes == (VALUES.nbytes + 48 if place.is_dir() else place.stat().st_size)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in", place.name]


def test_an_array_becomes_the_root_of_a_hierarchy(hierarchy: Hierarchy, tmp_path: Path) -> None:
    export(hierarchy, "/g/volume", "v3 folder", tmp_path / "one.zarr")
    assert np.array_equal(zarr.open_array(tmp_path / "one.zarr", mode="r")[...], VALUES)


def test_an_array_becomes_n5(hierarchy: Hierarchy, tmp_path: Path) -> None:
    z5py = pytest.importorskip("z5py", reason="z5py is not installed")
    export(hierarchy, "/g", "n5 folder", tmp_path / "one.n5")
    with z5py.File(str(tmp_path / "one.n5"), mode="r") as file:
        assert np.array_equal(file["volume"][...], VALUES)


def test_hdf5_holds_an_array_with_its_coordinates(hierarchy: Hierarchy, tmp_path: Path) -> None:
    written = export(hierarchy, "/g/volume", "h5", tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.array_equal(file["volume"][...], VALUES)
        assert file["volume"].dims[0][0].name == "/time"
    assert written.nbytes == (tmp_path / "a.h5").stat().st_size


def test_netcdf_holds_a_group(hierarchy: Hierarchy, tmp_path: Path) -> None:
    export(hierarchy, "/g", "nc", tmp_path / "a.nc")
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        assert file["volume"].dimensions == ("time", "y", "x")
        assert np.array_equal(file["volume"][...], VALUES)


def test_a_format_that_cannot_hold_an_array_leaves_nothing(hierarchy: Hierarchy, tmp_path: Path) -> None:
    hierarchy.create_array("g/wide", shape=(4,), dtype="float16", chunks=(2,))
    with pytest.raises(ZarrError, match="wide"):
        export(hierarchy, "/g", "n5 folder", tmp_path / "a.n5")
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


@FILES_OF_COORDINATES
def test_what_a_file_does_not_hold_is_told(hierarchy: Hierarchy, tmp_path: Path, name: str) -> None:
    notes = hierarchy.create_array("g/notes", shape=(2,), dtype="string", chunks=(2,))
    notes[...] = np.array(["a\0b", "c"], object)
    names = hierarchy.create_array("g/names", shape=(2,), dtype="string", chunks=(2,))
    names[...] = np.array(["é", ""], object)
    written = export(hierarchy, "/g", name, tmp_path / f"g.{name}")
    (note,) = written.notes
    assert note.startswith("left out /notes: text ")
    with h5py.File(tmp_path / f"g.{name}") as file:
        assert "notes" not in file
        assert file["names"].asstr()[...].tolist() == ["é", ""]
        assert np.array_equal(file["volume"][...], VALUES)


@FILES_OF_COORDINATES
def test_a_file_without_its_array_is_not_written(hierarchy: Hierarchy, tmp_path: Path, name: str) -> None:
    notes = hierarchy.create_array("g/notes", shape=(2,), dtype="string", chunks=(2,))
    notes[...] = np.array(["a\0b", "c"], object)
    title = OF_ARRAYS[name].title
    with pytest.raises(ZarrError, match=f"'/g/notes' cannot be written as {title}: text "):
        export(hierarchy, "/g/notes", name, tmp_path / f"a.{name}")
    assert not (tmp_path / f"a.{name}").exists()
    hierarchy.create_array("g/nothing", shape=(0,), dtype="int8", chunks=(2,))
    assert not export(hierarchy, "/g/nothing", name, tmp_path / f"a.{name}").notes


@pytest.mark.parametrize("name", ["v3 folder", "v3 zip", "h5"])
def test_a_cancelled_export_leaves_nothing(hierarchy: Hierarchy, tmp_path: Path, name: str) -> None:
    with pytest.raises(Cancelled):
        export(hierarchy, "/g", name, tmp_path / "out", cancelled=lambda: True)
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


def test_reading_texts_first_can_be_cancelled(hierarchy: Hierarchy, tmp_path: Path) -> None:
    hierarchy.create_array("g/texts", shape=(2,), dtype="string")[...] = np.array(["a", "b"], object)
    (tmp_path / "in/a.zarr/g/texts/c/0").write_bytes(b"damaged")  # an error if it were read
    with pytest.raises(Cancelled):
        export(hierarchy, "/g", "h5", tmp_path / "out.h5", cancelled=lambda: True)


def test_a_folder_is_never_replaced(hierarchy: Hierarchy, tmp_path: Path) -> None:
    (tmp_path / "out.zarr").mkdir()
    (tmp_path / "out.zarr" / "precious").touch()
    with pytest.raises(FileExistsError, match="choose another name"):
        export(hierarchy, "/g", "v3 folder", tmp_path / "out.zarr")
    with pytest.raises(FileExistsError, match="choose another name"):
        export(hierarchy, "/g", "v3 zip", tmp_path / "out.zarr")
    assert [one.name for one in (tmp_path / "out.zarr").iterdir()] == ["precious"]


def test_a_zip_file_is_replaced_when_the_new_one_is_complete(hierarchy: Hierarchy, tmp_path: Path) -> None:
    place = tmp_path / "out.zarr.zip"
    place.write_bytes(b"old")
    with pytest.raises(Cancelled):
        export(hierarchy, "/g", "v3 zip", place, cancelled=lambda: True)
    assert place.read_bytes() == b"old"
    export(hierarchy, "/g", "v3 zip", place)
    assert place.read_bytes()[:2] == b"PK"


def test_the_source_itself_is_refused_as_destination(hierarchy: Hierarchy, tmp_path: Path) -> None:
    with pytest.raises(ZarrError, match="inside the other"):
        export(hierarchy, "/g", "v3 folder", tmp_path / "in" / "a.zarr" / "copy.zarr")
    assert not (tmp_path / "in" / "a.zarr" / "copy.zarr").exists()


def test_the_extent_counts_the_arrays_below(hierarchy: Hierarchy) -> None:
    assert extent_of(hierarchy, hierarchy["/"], never) == Extent(2, VALUES.nbytes + 48)
    assert extent_of(hierarchy, hierarchy["/other"], never) == Extent(0, 0)
    with pytest.raises(Cancelled):
        extent_of(hierarchy, hierarchy["/"], lambda: True)
