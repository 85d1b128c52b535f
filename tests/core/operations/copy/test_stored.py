"""Missing chunks are neither read nor written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import zarrcore as zc
from tests.core.operations.copy.copying import EXPECTED, copy
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore


def test_missing_chunks_stay_missing(source: Path, tmp_path: Path) -> None:
    assert not (source / "a/c/1/1").exists()
    copy(source, tmp_path / "t", to="v2")
    stored = {file.name for file in (tmp_path / "t/a").iterdir()} - {".zarray", ".zattrs"}
    assert stored == {f"{y}.{x}" for y in range(5) for x in range(3)} - {"1.1"}


def test_only_stored_chunks_of_a_remote_store_are_requested(source: Path) -> None:
    class Remote(LocalStore):
        is_remote = True
        requests_in_flight = 4
        asked: ClassVar[list[str]] = []

        def get(self, key: str, byte_range: Any = None, **options: Any) -> Any:
            self.asked.append(key)
            return super().get(key, byte_range, **options)

    for index in [(0, 0), (0, 1), (0, 2), (4, 0), (4, 1), (4, 2)]:
        (source / "a/c/{}/{}".format(*index)).unlink()
    target = MemoryStore()
    result = copy(Remote(source), target, "/a", memory_nbytes=12_000)
    assert result.missing_nbytes > 0
    assert {key for key in Remote.asked if "/c/" in key} < {
        f"a/c/{y}/{x}" for y in range(5) for x in range(3)
    }
    assert np.array_equal(zc.open_hierarchy(target)["/"][...], zc.open_hierarchy(source)["a"][...])


def test_a_chunk_that_a_listing_leaves_out_is_not_taken_for_missing(source: Path, tmp_path: Path) -> None:
    (source / "a/c/0/0").rename(tmp_path / "elsewhere")
    (source / "a/c/0/0").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(zc.StoreError):
        copy(source, MemoryStore())


def test_a_missing_chunk_is_written_if_the_format_has_no_fill_value(source: Path, tmp_path: Path) -> None:
    copy(source, tmp_path / "t", to="n5")
    assert np.array_equal(zc.open_hierarchy(tmp_path / "t")["a"][...], EXPECTED)
