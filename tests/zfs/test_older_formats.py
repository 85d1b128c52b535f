"""Arrays of Zarr v1 and N5, and of Zarr v2 whose documents do not give the form of chunk keys, through a real mount."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.archives import unpack
from tests.core.cli.test_older_formats import CASES
from tests.zfs.conftest import Mounter
from zarrcore import create
from zarrcore.metadata import ChunkKeyEncoding


@pytest.mark.parametrize("name", CASES)
def test_arrays_of_older_formats_are_readable(tmp_path: Path, mounter: Mounter, name: str) -> None:
    archive, folder, path, values = CASES[name]
    mount = mounter(unpack(archive, tmp_path) / folder)
    np.testing.assert_array_equal(np.load(f"{mount.arrays}{path}/data.npy"), values)
    assert mount.stats()["format"] == name
    assert sorted(os.listdir(mount.keys)) == sorted(os.listdir(tmp_path / folder))


def test_chunks_are_found_under_detected_keys(tmp_path: Path, mounter: Mounter) -> None:
    values = np.arange(1, 31, dtype="i4").reshape(5, 6)
    hierarchy = create(tmp_path, format="v2")
    hierarchy.create_array(
        "a",
        shape=(5, 6),
        dtype="int32",
        chunks=(2, 4),
        chunk_key_encoding=ChunkKeyEncoding("v2", "/"),
    )[...] = values
    document = json.loads((tmp_path / "a/.zarray").read_bytes())
    del document["dimension_separator"]
    (tmp_path / "a/.zarray").write_text(json.dumps(document))
    mount = mounter(tmp_path)
    np.testing.assert_array_equal(np.load(mount.arrays / "a" / "data.npy"), values)
    told = json.loads((mount.arrays / "a" / "metadata.json").read_bytes())
    assert told["chunk_key_encoding"] == {"name": "v2", "configuration": {"separator": "/"}}
