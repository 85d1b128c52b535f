"""Reads of chunks that are files, and of inner chunks in them."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.array.native.chains import ZSTD
from tests.core.array.native.test_reads import created
from zarrcore.array.native.file_reads import FileReads
from zarrcore.native import engine

pytestmark = pytest.mark.skipif(engine() is None, reason="the engine is not built")


def test_a_shard_that_is_replaced_between_index_and_parts_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = np.arange(4096, dtype="u4").reshape(64, 64), np.arange(4096, 0, -1, dtype="u4").reshape(64, 64)
    array = created(
        tmp_path / "a.zarr", shape=(64, 64), dtype="u4", chunks=(8, 8), shards=(64, 64), codecs=[ZSTD]
    )
    array[...] = old
    parts, times = FileReads.inner_chunks, count()

    def replaced(*arguments: Any) -> Any:
        if not next(times):
            array[...] = new
        return parts(*arguments)

    monkeypatch.setattr(FileReads, "inner_chunks", replaced)
    assert np.array_equal(zarrcore.open_array(tmp_path / "a.zarr/a")[...], new)
