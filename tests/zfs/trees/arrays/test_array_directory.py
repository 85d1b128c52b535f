"""An array as a directory of virtual files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from tests.zfs.trees.entries import arrays, content, fresh, names, walk
from zarrcore.errors import ReadOnlyError
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.writing.spool import SpoolMemory


def test_an_array_is_a_directory_of_virtual_files(small: Path) -> None:
    cube = walk(arrays(small), "cube")
    assert names(cube) == ["metadata.json", "attributes.json", "data.raw", "data.npy", "slices"]
    expected = np.arange(360, dtype="<i4").reshape(3, 4, 5, 6)
    assert content(walk(cube, "data.raw")) == expected.tobytes()
    assert content(walk(cube, "[t=2,x=0:3].raw")) == expected[2, ..., :3].tobytes()
    assert content(walk(cube, "2,_,0-2.raw")) == expected[2, :, 0:2].tobytes()
    assert content(walk(cube, "t=2,x=0-3.raw")) == expected[2, ..., :3].tobytes()
    for name in ("[t=9].raw", "3.raw", "[q=1].raw", "data.jpg", "slices.raw", "data"):
        assert walk(cube, name) is None


def test_arrays_of_variable_length_have_no_fixed_size_files(small: Path) -> None:
    text = walk(arrays(small), "text")
    assert names(text) == ["metadata.json", "attributes.json"]
    assert json.loads(content(walk(text, "metadata.json")))["data_type"] == "string"
    for name in ("data.raw", "data.npy", "data.png", "data.tiff", "data.nrrd", "0.raw", "slices"):
        assert walk(text, name) is None


def test_names_that_select_nothing_are_absent(small: Path) -> None:
    cube = walk(arrays(small), "cube")
    for name in (
        ".raw",
        " .raw",
        "data.raw ",
        "data .raw",
        "DATA.raw",
        "[0.raw",
        "0,,1.raw",
        "data.raw.npy",
        "",
    ):
        assert cube.lookup(name, True) is None, name


def test_a_zero_dimensional_and_an_empty_array_have_files_but_no_planes(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "h.zarr")
    hierarchy.create_array("/scalar", shape=(), dtype="int16", fill_value=258)
    hierarchy.create_array("/empty", shape=(0, 3), dtype="int16")
    root = arrays(tmp_path / "h.zarr")
    for name, elements in (("scalar", b"\2\1"), ("empty", b"")):
        directory = walk(root, name)
        assert names(directory) == ["metadata.json", "attributes.json", "data.raw", "data.npy"]
        assert content(walk(directory, "data.raw")) == elements
        assert walk(directory, "slices") is None


def test_only_files_that_the_elements_fill_can_be_written(tmp_path: Path) -> None:
    zc.create(tmp_path / "h.zarr").create_array("/a", shape=(2, 3), dtype="uint8")
    tree = ArraysTree(
        lambda: zc.open_hierarchy(tmp_path / "h.zarr", "r+"), fresh(), memory=SpoolMemory(1 << 20)
    )
    directory = walk(tree.root(True), "a")
    writable = {
        name: walk(directory, name).is_writable
        for name in ("data.raw", "data.npy", "data.png", "[0].raw", "metadata.json")
    }
    assert writable == {
        "data.raw": True,
        "data.npy": True,
        "data.png": False,
        "[0].raw": False,
        "metadata.json": False,
    }
    assert directory.is_writable
    assert not walk(arrays(tmp_path / "h.zarr"), "a", "data.raw").is_writable
    with pytest.raises(ReadOnlyError):
        walk(arrays(tmp_path / "h.zarr"), "a").set_metadata("attributes.a", b"1")


def test_listings_have_the_chosen_types_that_can_hold_the_array(small: Path) -> None:
    cube = walk(arrays(small, shown=("png", "npy", "ome.tiff")), "cube")
    assert names(cube) == ["metadata.json", "attributes.json", "data.npy", "data.ome.tiff", "slices"]


def test_the_version_of_a_file_is_that_of_its_name_and_metadata(small: Path) -> None:
    cube = walk(arrays(small), "cube")
    versions = [walk(cube, name).version for name in ("data.raw", "data.npy", "[0].raw", "[1].raw")]
    assert len(set(versions)) == 4
    assert versions[0] == walk(arrays(small), "cube", "data.raw").version
