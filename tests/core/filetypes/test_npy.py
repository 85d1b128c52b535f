"""NumPy files: headers of every version."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore


@pytest.mark.parametrize(
    "fields",
    [[("温度", "<f4"), ("b", "<i2")], [(f"field_{i:030}", "<i2") for i in range(1500)], [("é", "<i2")]],
)
def test_npy_headers_of_every_version_are_readable(tmp_path: Path, fields: list) -> None:
    data = np.zeros(3, np.dtype(fields))
    data[fields[0][0]] = [1, 2, 3]
    zarr.create_array(tmp_path / "a.zarr", data=data, zarr_format=2)
    file = zarrcore.virtual_file(zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"], suffix="npy")
    reread = np.load(io.BytesIO(file.read(0, file.size)), max_header_size=1 << 20)
    assert reread.dtype == data.dtype
    assert reread.tobytes() == data.tobytes()
