"""Which arrays the engine reads and writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.array.native.chains import SHUFFLE
from zarrcore.native import engine
from zarrcore.stores.local import confined_paths
from zarrcore.stores.local.store import LocalStore

pytestmark = pytest.mark.skipif(engine() is None, reason="the engine is not built")


def test_what_the_engine_cannot_do_is_left_to_python(tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path / "a.zarr")
    kinds: dict[str, dict[str, Any]] = {
        "texts": {"dtype": "string", "data": np.array(["a", "b"])},
        "small": {"dtype": "int4", "data": np.array([1, -2])},
        "fields": {"dtype": np.dtype([("x", "<u2"), ("y", "<f4")]), "shape": (2,)},
        "scalar": {"dtype": "u2", "shape": ()},
        "scaled": {"dtype": "u2", "shape": (2,), "codecs": ["numcodecs.lzma"]},
        "odd": {"dtype": "u2", "shape": (3,), "codecs": [{**SHUFFLE, "configuration": {"elementsize": 4}}]},
        "plain": {"dtype": "u2", "shape": (2,)},
    }
    for name, kind in kinds.items():
        hierarchy.create_array(name, **kind)
    can = {name: hierarchy.array(name)._reader._native is not None for name in kinds}
    assert can == dict.fromkeys(kinds, False) | {"plain": True, "fields": True}


def test_stores_that_change_values_are_not_passed_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zarrcore.create(tmp_path / "a.zarr").create_array("a", data=np.arange(10.0))

    class Other(LocalStore):
        """May do anything."""

    assert zarrcore.open_array(LocalStore(tmp_path / "a.zarr/a"))._reader._native is not None
    assert zarrcore.open_array(Other(tmp_path / "a.zarr/a"))._reader._native is None
    monkeypatch.setattr("zarrcore.stores.local.store.open_beneath", confined_paths._open_checked)
    assert zarrcore.open_array(LocalStore(tmp_path / "a.zarr/a"))._reader._native is None
