"""Arrays on disk, written by zarr-python."""

from __future__ import annotations

import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.filetypes.elements import DATA, RGB


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> zarrcore.Hierarchy:
    path = tmp_path_factory.mktemp("files") / "a.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("float", data=DATA, chunks=(2, 4, 5))
    group.create_array("sharded", data=DATA, chunks=(2, 2, 5), shards=(4, 4, 10))
    group.create_array("rgb", data=RGB, chunks=(8, 8, 3))
    group.create_array("one", data=np.arange(5, dtype="i8"))
    group.create_array("scalar", data=np.array(2.5))
    group.create_array("empty", shape=(0, 4), dtype="i4")
    group.create_array("bool", data=DATA > 0)
    group.create_array("complex", data=DATA[0].astype("c16"))
    return zarrcore.open_hierarchy(path, chunk_cache=zarrcore.ChunkCache(5_000))
