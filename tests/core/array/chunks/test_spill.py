"""Chunks that do not fit in memory: each is decoded once, and reads back correctly."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
import zarr.codecs

import zarrcore
from zarrcore.array.chunks.spill import Spill, slab_nbytes

DATA = np.arange(16 * 32 * 32, dtype="<u2").reshape(16, 32, 32)
CHUNKS = 2 * 4 * 4


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spill") / "a.zarr"
    zarr.create_array(path, data=DATA, chunks=(8, 8, 8))
    return path


def opened(place: Path, spill: Spill | None, max_age_s: float | None = None) -> tuple[Any, Any]:
    cache = zarrcore.ChunkCache(12_000, max_age_s, spill)
    hierarchy: Any = zarrcore.open_hierarchy(place, chunk_cache=cache)
    return hierarchy["/"], cache


def read_in_c_order(array: Any) -> None:
    for row in range(16):
        for line in range(0, 32, 4):
            np.testing.assert_array_equal(array[row, line : line + 4], DATA[row, line : line + 4])


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_slab_larger_than_the_cache_is_decoded_once(tmp_path: Path, order: str) -> None:
    filters = zarr.codecs.TransposeCodec(order=(2, 1, 0)) if order == "F" else None
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(8, 8, 8), filters=filters and [filters])
    array, cache = opened(tmp_path / "a.zarr", Spill(DATA.nbytes, str(tmp_path)))
    read_in_c_order(array)
    assert cache.decoded == CHUNKS
    assert (cache.nbytes, cache.spilled_nbytes) == (0, DATA.nbytes)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.zarr"]


def test_each_slab_replaces_the_previous_one(place: Path) -> None:
    array, cache = opened(place, Spill(DATA.nbytes // 2))
    read_in_c_order(array)
    assert (cache.decoded, cache.spilled_nbytes) == (CHUNKS, DATA.nbytes // 2)
    array[0]
    assert cache.decoded == CHUNKS + 16


def test_without_enough_room_for_a_slab_chunks_are_decoded_again(place: Path) -> None:
    for spill in (None, Spill(DATA.nbytes // 2 - 1)):
        array, cache = opened(place, spill)
        read_in_c_order(array)
        assert cache.decoded > 4 * CHUNKS
        assert (cache.spilled_nbytes, cache.nbytes <= cache.max_bytes) == (0, True)


def test_without_disk_space_chunks_are_decoded_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    array, cache = opened(place, Spill(1 << 20))
    read_in_c_order(array)
    assert (cache.decoded > CHUNKS, cache.spilled_nbytes) == (True, 0)
    monkeypatch.undo()
    read_in_c_order(array)
    assert cache.spilled_nbytes > DATA.nbytes // 2


def test_some_disk_space_stays_free(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.array.chunks.spill._LEFT_MIN", 1 << 62)
    array, cache = opened(place, Spill(1 << 20))
    read_in_c_order(array)
    assert cache.spilled_nbytes == 0


def test_chunks_on_disk_are_dropped_like_others(place: Path) -> None:
    array, cache = opened(place, Spill(1 << 20))
    array[0]
    cache.clear()
    array[0]
    assert (cache.decoded, cache.spilled_nbytes) == (32, DATA.nbytes // 2)
    aged, cache = opened(place, Spill(1 << 20), max_age_s=0)
    aged[0]
    aged[0]
    assert cache.decoded == 32


def test_a_chunk_in_use_stays_valid_when_its_space_is_reused(tmp_path: Path) -> None:
    spill = Spill(1 << 20, str(tmp_path))
    kept = spill.keep(np.full((3, 5), 7, ">f8"))
    assert kept is not None
    spill.forget()
    assert spill.keep(np.zeros((3, 5))) is not None
    np.testing.assert_array_equal(kept, np.full((3, 5), 7, ">f8"))


@pytest.mark.parametrize(
    "chunk", [np.array(["a", None]), np.broadcast_to(np.int8(1), (4, 4)), np.zeros(0), np.array(["x"], "T")]
)
def test_chunks_of_one_repeated_element_stay_in_memory(chunk: Any) -> None:
    assert Spill(1 << 20).keep(chunk) is None


def test_threads_store_chunks_at_different_places() -> None:
    spill = Spill(1 << 20)

    def keep(number: int) -> Any:
        return spill.keep(np.full(100 + number, number, "i4"))

    with ThreadPoolExecutor(4) as threads:
        for number, kept in enumerate(threads.map(keep, range(500))):
            assert (len(kept), set(kept.tolist())) == (100 + number, {number})


def test_the_size_of_a_slab() -> None:
    assert slab_nbytes((), (), 2) == 2
    assert slab_nbytes((10,), (3,), 2) == 6
    assert slab_nbytes((5, 10), (2, 3), 2) == 2 * 2 * 12
    assert slab_nbytes((5, 10, 20), (1, 1, 20), 1) == 20
