"""A store that goes to another process may name what it could name before."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore
from zarrcore.errors import BrokenReferenceError
from zarrcore.stores import StatisticsStore, StoreOptions, open_store
from zarrcore.stores.icechunk.repository import Repository


@pytest.fixture
def up(tmp_path: Path) -> Path:
    """A folder with documents that name a file outside of it."""
    up = tmp_path / "up"
    up.mkdir()
    (tmp_path / "s").write_bytes(bytes(range(4)))
    array = {"shape": [4], "chunks": [4], "dtype": "|u1", "compressor": None, "filters": None}
    array |= {"zarr_format": 2, "fill_value": 0, "order": "C"}
    refs = {".zgroup": '{"zarr_format": 2}', "x/.zarray": json.dumps(array), "x/0": ["../s", 0, 4]}
    (up / "a.refs.json").write_text(json.dumps({"version": 1, "refs": refs}))
    with h5py.File(up / "a.h5", "w") as file:
        file.create_dataset("x", (4,), "u1", external=[("../s", 0, 4)])
    return up


@pytest.mark.parametrize("name", ["a.refs.json", "a.h5"])
def test_an_array_of_a_collection_stays_strict(name: str, up: Path, tmp_path: Path) -> None:
    for allowed in ((), (str(tmp_path),)):
        store = StatisticsStore(open_store(up, allow_targets=allowed))
        with zarrcore.open_hierarchy(store) as hierarchy:
            array = pickle.loads(pickle.dumps(hierarchy[f"{name}/x"]))
        if allowed:
            assert np.array_equal(array[...], range(4))
        else:
            with pytest.raises(BrokenReferenceError, match="--allow-targets"):
                array[...]


def test_a_repository_keeps_its_level(tmp_path: Path) -> None:
    source = StatisticsStore(open_store(tmp_path))
    source.options = StoreOptions(targets="shared")
    again = pickle.loads(pickle.dumps(Repository(source)))
    assert again.options.targets == again.source.options.targets == "shared"
