"""Arrays on disk, written by zarr-python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import zarr

from tests.core.array.counting_store import DATA, CountingStore


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arrays") / "a.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("plain", data=DATA, chunks=(10, 10, 10))
    group.create_array("raw", data=DATA, chunks=(10, 10, 10), compressors=None)
    group.create_array("sharded", data=DATA, chunks=(5, 10, 10), shards=(10, 20, 20), fill_value=3)
    part = group.create_array("missing", shape=DATA.shape, dtype="u2", chunks=(10, 10, 10), fill_value=9)
    part[:10] = DATA[:10]
    return path


@pytest.fixture(params=[False, True], ids=["local", "remote"])
def store(written: Path, request: pytest.FixtureRequest) -> Iterator[CountingStore]:
    with CountingStore(written, request.param) as store:
        yield store
