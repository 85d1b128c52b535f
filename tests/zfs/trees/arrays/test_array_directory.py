"""An array as a directory of virtual files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.zfs.trees.entries import arrays, content, names, walk


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
