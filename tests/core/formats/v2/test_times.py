"""Dates and spans of version 2 between us and zarr-python: what stands where nothing is stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from zarrcore.formats import format_named
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores.local.store import LocalStore

pytestmark = pytest.mark.filterwarnings("ignore::zarr.core.dtype.common.UnstableSpecificationWarning")


def same(found: Any, expected: Any) -> bool:
    return bool(np.array_equal(found, expected, equal_nan=True))


@pytest.mark.parametrize("dtype", ["<M8[ns]", ">M8[s]", "<m8[h]"])
def test_without_a_fill_value_missing_times_are_nat(tmp_path: Path, dtype: str) -> None:
    theirs = zarr.create_array(
        tmp_path / "x", shape=(6,), chunks=(2,), dtype=dtype, zarr_format=2, fill_value=None
    )
    values = np.array([1, 2, "NaT", "NaT", "NaT", 3], dtype)
    theirs[...] = values
    document = json.loads((tmp_path / "x/.zarray").read_text())
    assert document["fill_value"] is None
    assert not (tmp_path / "x/1").exists()
    source = zc.open_hierarchy(tmp_path / "x")
    assert same(source["/"][...], values)
    for to in ("v2", "v3"):
        plan = plan_copy(source, to=format_named(to))
        execute(plan, source, LocalStore(tmp_path / to, create=True))
        assert same(zarr.open_array(tmp_path / to, mode="r")[...], values)
        assert same(zc.open_hierarchy(tmp_path / to)["/"][...], values)
    assert json.loads((tmp_path / "v2/.zarray").read_text())["fill_value"] is None
    assert json.loads((tmp_path / "v3/zarr.json").read_text())["fill_value"] == "NaT"


def test_fields_of_a_record_are_zero(tmp_path: Path) -> None:
    dtype = np.dtype([("when", "<M8[s]"), ("b", "<f4")])
    zarr.create_array(tmp_path, shape=(2,), chunks=(2,), dtype=dtype, zarr_format=2, fill_value=None)
    document = json.loads((tmp_path / ".zarray").read_text())
    (tmp_path / ".zarray").write_text(json.dumps({**document, "fill_value": None}))
    theirs = zarr.open_array(tmp_path, mode="r")[...]
    assert zc.open_hierarchy(tmp_path)["/"][...].tobytes() == theirs.tobytes() == bytes(24)
