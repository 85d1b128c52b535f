"""One volume in several formats."""

from __future__ import annotations

from pathlib import Path

import pytest
import zarr

import zarrcore as zc
from tests.browser.export.volume import VALUES


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export")
    for version in (2, 3):
        group = zarr.open_group(path / f"v{version}.zarr", mode="w", zarr_format=version)
        group.create_group("deep").create_array("volume", data=VALUES, chunks=(1, 16, 16))
    hierarchy = zc.create(path / "n5.n5", format="n5")
    hierarchy.create_array("deep/volume", shape=VALUES.shape, dtype="int16", chunks=(1, 16, 16))[...] = VALUES
    return path
