"""References through a real mount."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.core.stores.reference.test_remote import VALUES, document
from tests.zfs.conftest import Mounter


def test_arrays_and_keys_of_references(tmp_path: Path, mount: Mounter) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "x.bin").write_bytes(b"head" + VALUES.tobytes())
    (source / "a.refs.json").write_text(json.dumps(document("x.bin")))
    mounted = mount(source / "a.refs.json")
    assert np.array_equal(np.load(mounted.arrays / "x" / "data.npy"), VALUES)
    assert (mounted.keys / "x" / "3").read_bytes() == VALUES[300:400].tobytes()
    folder = mount(source)
    assert [path.name for path in folder.arrays.iterdir()] == ["a.refs.json"]
    assert np.array_equal(np.load(folder.arrays / "a.refs.json" / "x" / "data.npy"), VALUES)
