"""A hierarchy with an array of each kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("views") / "h.zarr"
    group = zarr.open_group(path, mode="w", attributes={"title": "é"})
    group.create_array(
        "cube", shape=(3, 4, 5, 6), chunks=(2, 2, 3, 3), dtype="i4", dimension_names=["t", "z", "y", "x"]
    )
    group["cube"][...] = np.arange(360).reshape(3, 4, 5, 6)
    group.create_array("metadata.json", shape=(2,), dtype="u1")
    group.create_array("text", shape=(2,), dtype=str)
    broken = group.create_array("broken", shape=(2,), dtype="u1")
    document = path / broken.path / "zarr.json"
    document.write_text(document.read_text().replace('"bytes"', '"no-such-codec"'))
    return path
