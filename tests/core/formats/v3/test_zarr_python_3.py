"""Arrays of zarr-python 3.4 that older releases of it do not read: ours does, with any Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.archives import unpack
from tests.core.formats.v3.zarr_python_3_arrays import ARCHIVE, ARRAYS, values
from zarrcore.formats import Format
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import LocalStore


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(ARCHIVE, tmp_path_factory.mktemp("zarr-python-3"))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_zarr_python_3_read(written: Path, name: str) -> None:
    expected = values(name)
    for budget in (None, 1 << 20):
        array = zarrcore.open_hierarchy(written, chunk_cache=budget and zarrcore.ChunkCache(budget))[name]
        assert array.attributes == {"name": name}
        assert (array.dtype, array[...].tobytes()) == (expected.dtype, expected.tobytes())
        assert array[2:9, 3:].tobytes() == expected[2:9, 3:].tobytes()
        assert array[::-2, -1].tobytes() == expected[::-2, -1].tobytes()
        assert np.asarray(array.fill_value, array.dtype).tobytes() == expected[0, 0].tobytes()


@pytest.mark.parametrize("name", ARRAYS)
def test_they_are_changed_and_copied(written: Path, tmp_path: Path, name: str) -> None:
    source = zarrcore.open_hierarchy(written / name)
    copied = LocalStore(tmp_path / "copy", create=True)
    execute(plan_copy(source, to=Format.V3), source, copied)
    expected = values(name)
    array = zarrcore.open_hierarchy(tmp_path / "copy", mode="r+")["/"]
    assert array[...].tobytes() == expected.tobytes()
    array[5:7, 1:12] = expected[5:7, 1:12] = expected[8:10, 2:13]
    assert zarrcore.open_hierarchy(tmp_path / "copy")["/"][...].tobytes() == expected.tobytes()


def test_nothing_is_wrong_with_them_and_their_consolidated_metadata_are_the_nodes(written: Path) -> None:
    hierarchy = zarrcore.open_hierarchy(written)
    assert {finding.what for finding in check(hierarchy)} <= {"missing-chunks"}
    told = json.loads((written / "zarr.json").read_text())["consolidated_metadata"]["metadata"]
    assert told.keys() == ARRAYS.keys()
    assert all(told[name] == json.loads((written / name / "zarr.json").read_text()) for name in ARRAYS)
