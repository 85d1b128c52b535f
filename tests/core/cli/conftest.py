"""Hierarchies for the tests of commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import zarr

from tests.core.cli.arrays import DATA, NUMBERS


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "data.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    array = group.create_group("images").create_array(
        "stack", data=DATA, chunks=(1, 15, 20), dimension_names=["z", "y", "x"]
    )
    array.attrs["unit"] = "µm"
    (path / "odd").mkdir()
    (path / "odd/zarr.json").write_text('{"zarr_format": 3, "node_type": "array"}')
    return path


@pytest.fixture(scope="session")
def _hierarchy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "source.zarr"
    root = zarr.create_group(path)
    root.create_group("images").create_array(
        "stack", data=NUMBERS, chunks=(1, 15, 20), dimension_names=["z", "y", "x"]
    )
    root.create_array("line", data=NUMBERS[0, 0], chunks=(7,))
    return path


@pytest.fixture
def hierarchy(_hierarchy: Path, tmp_path: Path) -> Path:
    return shutil.copytree(_hierarchy, tmp_path / "source.zarr")
