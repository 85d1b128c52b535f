"""Reading arrays in C order whose slabs of chunks are larger than the memory for chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.zfs.conftest import Mounter

CHUNKS = 2 * 4 * 8


@pytest.mark.parametrize("spills", [True, False])
def test_sequential_readers_decode_each_chunk_once(tmp_path: Path, mount: Mounter, spills: bool) -> None:
    """S23: "Reading an array in C order decodes each chunk once"."""
    values = np.random.default_rng(3).integers(0, 9, (32, 256, 512)).astype("<f4")
    zarr.create_array(tmp_path / "a.zarr", data=values, chunks=(16, 64, 64))
    mounted = mount(tmp_path / "a.zarr", "--cache-size", "8MiB", *([] if spills else ["--spill-size", "0"]))
    assert (mounted.arrays / "data.raw").read_bytes() == values.tobytes()
    stats = mounted.stats()
    assert (stats["decoded"]["chunks"] == CHUNKS) is spills
    assert (stats["chunk_cache"]["spilled_bytes"] == values.nbytes) is spills
    mounted.refresh()
    assert mounted.stats()["chunk_cache"]["spilled_bytes"] == 0
