"""The commands on version 1, N5, and what else lies in an archive of an old program's: all of it is one kind of array to them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from tests.archives import unpack
from tests.command import run_inside
from tests.core.formats import zarr_python_1_arrays
from tests.core.formats.n5 import zarr_python_2_n5

CASES = {
    "v1": (zarr_python_1_arrays.ARCHIVE, "columns", "/", zarr_python_1_arrays.values("columns")),
    "n5": (zarr_python_2_n5.ARCHIVE, "", "/group/lz4", zarr_python_2_n5.VALUES),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path, str, np.ndarray]:
    archive, folder, path, values = CASES[request.param]
    return request.param, unpack(archive, tmp_path / "theirs") / folder, path, values


def test_tree_info_cat_and_copy(case: tuple[str, Path, str, np.ndarray], tmp_path: Path) -> None:
    name, root, path, values = case
    assert "5 × 7" in run_inside("tree", root).text
    told = json.loads(run_inside("info", root, path, "--json").text)
    assert (told["kind"], told["format"], told["metadata"]["shape"]) == ("array", name, [5, 7])
    for options in ((), ("--format", name)):
        found = np.load(io.BytesIO(run_inside("cat", root, path, "--as", "npy", *options).stdout))
        np.testing.assert_array_equal(found, values)
    part = run_inside("cat", root, path, "--select", "1:3,2", "--as", "npy").stdout
    np.testing.assert_array_equal(np.load(io.BytesIO(part)), values[1:3, 2])
    assert run_inside("copy", root, tmp_path / "copy", "--to", "v3").status == 0
    found = np.load(io.BytesIO(run_inside("cat", tmp_path / "copy", path, "--as", "npy").stdout))
    np.testing.assert_array_equal(found, values)
    assert run_inside("check", root).status == 0
