"""A hierarchy to copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import zarr
import zarr.codecs

from tests.core.operations.copy.copying import DATA


@pytest.fixture(scope="session")
def _source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("copied") / "source.zarr"
    root = zarr.create_group(path, attributes={"title": "µ"})
    array = root.create_array(
        "a", shape=DATA.shape, dtype="f4", chunks=(5, 12), fill_value=7, dimension_names=["y", "x"]
    )
    array[...] = DATA
    array[5:10, 12:24] = 7
    array.attrs["unit"] = "mm"
    root.create_group("g", attributes={"kind": "inner"}).create_array(
        "s", data=DATA, chunks=(4, 6), shards=(12, 18), compressors=[zarr.codecs.GzipCodec(level=1)]
    )
    return path


@pytest.fixture
def source(_source: Path, tmp_path: Path) -> Path:
    """Groups with attributes, a sharded array ``g/s``, and one of plain chunks, ``a``, with one chunk missing."""
    return shutil.copytree(_source, tmp_path / "source.zarr")
