"""Codecs that do not fit an array, or change the type of its elements on the way."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import zarr
from numcodecs import Delta

import zarrcore
from tests.core.array.counting_store import DATA
from zarrcore.errors import (
    MetadataError,
)


@pytest.mark.parametrize(
    ("dtype", "filter_dtype"),
    [(">i4", "<i4"), ("<i4", ">i4"), (">u2", "<i2"), ("<u4", "<i2"), ("<m8[ns]", "<i8"), (">f8", ">i8")],
)
def test_v2_filters_may_have_another_type_than_the_array(
    tmp_path: Path, dtype: str, filter_dtype: str
) -> None:
    data = (np.arange(30).reshape(5, 6) * 3 + 1).astype(dtype)
    array = zarr.create_array(
        tmp_path / "a.zarr",
        shape=data.shape,
        chunks=(2, 4),
        dtype=dtype,
        zarr_format=2,
        filters=[Delta(filter_dtype)],
    )
    array[...] = data
    assert np.array_equal(zarr.open(tmp_path / "a.zarr")[...], data)
    assert np.array_equal(zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"][...], data)


def test_codecs_that_do_not_fit_are_reported_when_the_array_opens(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(10, 10, 10))
    document = tmp_path / "a.zarr/zarr.json"
    content = json.loads(document.read_text())
    content["codecs"].append("bytes")
    document.write_text(json.dumps(content))
    with pytest.raises(MetadataError, match=r"zarr.json in .*a\.zarr: codecs"):
        zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"]
