"""The engine decodes inner chunks that one request fetched, as Python does."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.counting_store import CountingStore
from tests.core.array.native.chains import BIG, CHAINS, ZSTD, values_of
from tests.core.array.native.test_reads import SELECTIONS, Written, created
from zarrcore.array.native.memory_reads import MemoryReads
from zarrcore.array.reader import ChunkReader
from zarrcore.errors import ZarrError
from zarrcore.native import engine

pytestmark = pytest.mark.skipif(engine() is None, reason="the engine is not built")

# Without codecs of bytes there is nothing to decode.
NUMBERS = [number for number, codecs in enumerate(CHAINS) if codecs[-1] not in ("bytes", BIG)]
PLACES = pytest.mark.parametrize(("is_remote", "is_cached"), [(True, False), (True, True), (False, True)])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("memory") / "a.zarr")


def opened(path: Path, is_remote: bool, is_cached: bool, **options: Any) -> tuple[CountingStore, Any]:
    """A store whose files the engine does not open, and its array."""
    store = CountingStore(path, is_remote)
    cache = zarrcore.ChunkCache(1 << 25) if is_cached else None
    return store, zarrcore.open_hierarchy(store, chunk_cache=cache, **options).array("/")


def both(path: Path, selection: Any, *how: bool, **options: Any) -> tuple[Any, Any]:
    """The elements or the error by the engine, and those by Python, each from the store and then from the cache."""
    found: list[Any] = []
    requests: list[list[Any]] = []
    for is_native in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not is_native:
                patch.setattr("zarrcore.array.native.files.engine", lambda: None)
            store, array = opened(path, *how, **options)
            try:
                first = array[selection]
                np.testing.assert_array_equal(array[selection], first, strict=True)
            except ZarrError as error:
                first = f"{type(error).__name__}: {error}"
            found.append(first)
            requests.append(sorted(str(request) for request in store.requests if request[0].startswith("c/")))
    if not isinstance(found[1], str):
        assert requests[0] == requests[1]
    return found[0], found[1]


@PLACES
@settings(max_examples=100)
@given(selection=SELECTIONS, number=st.sampled_from(NUMBERS))
def test_the_engine_reads_what_python_reads(
    written: Written, is_remote: bool, is_cached: bool, selection: Any, number: int
) -> None:
    native, python = both(written.root / f"{number}s", selection, is_remote, is_cached)
    assert isinstance(python, np.ndarray | np.generic)
    np.testing.assert_array_equal(native, python, strict=True)


@pytest.mark.sampled(20)
@PLACES
@pytest.mark.parametrize("number", NUMBERS)
def test_every_chain_goes_through_the_engine(
    written: Written, number: int, is_remote: bool, is_cached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("Python read a chunk")

    monkeypatch.setattr(ChunkReader, "_decode", refuse)
    _, array = opened(written.root / f"{number}s", is_remote, is_cached)
    region = np.s_[:16, :32, :32]  # one shard
    np.testing.assert_array_equal(array[region], values_of(array.dtype.str)[region], strict=True)


@PLACES
@settings(max_examples=150)
@given(selection=SELECTIONS, number=st.sampled_from(NUMBERS), where=st.floats(0, 1), is_cut=st.booleans())
def test_damage_is_found_by_the_engine_as_by_python(
    written: Written,
    is_remote: bool,
    is_cached: bool,
    selection: Any,
    number: int,
    where: float,
    is_cut: bool,
) -> None:
    path = written.copy(f"{number}s")
    shard = path / "c/0/0/0"
    content = bytearray(shard.read_bytes())
    at = min(len(content) - 1, int(where * len(content)))
    content[at] ^= 0xFF
    shard.write_bytes(content[:at] if is_cut else content)
    native, python = both(path, selection, is_remote, is_cached)
    shutil.rmtree(path)
    if isinstance(python, str):
        assert native == python
    else:
        np.testing.assert_array_equal(native, python)


@PLACES
def test_the_first_of_several_damaged_chunks_is_named(
    written: Written, is_remote: bool, is_cached: bool
) -> None:
    path = written.copy(f"{CHAINS.index(['crc32c', ZSTD])}s")
    shard = path / "c/0/0/0"
    content = bytearray(shard.read_bytes())
    for at in range(len(content) // 4, len(content) // 4 * 3):
        content[at] ^= 0xFF
    shard.write_bytes(content)
    native, python = both(path, np.s_[:16, :32, :32], is_remote, is_cached)
    assert isinstance(python, str)
    assert native == python


@PLACES
@pytest.mark.parametrize("missing", ["fill", "error"])
def test_missing_chunks_of_a_run_are_filled_or_an_error(
    tmp_path: Path, is_remote: bool, is_cached: bool, missing: Any
) -> None:
    expected = np.arange(400, dtype="i4").reshape(20, 20)
    expected[4:8, 8:12] = 7
    created(tmp_path / "a.zarr", data=expected, chunks=(4, 4), shards=(20, 20), codecs=[ZSTD], fill_value=7)
    native, python = both(tmp_path / "a.zarr/a", np.s_[1:, ::2], is_remote, is_cached, missing=missing)
    if missing == "error":
        assert "ChunkNotFoundError" in python
        assert native == python
    else:
        np.testing.assert_array_equal(native, expected[1:, ::2], strict=True)


@pytest.mark.parametrize("verify", ["needed", "always"])
def test_always_means_that_damage_beyond_what_is_wanted_is_found(tmp_path: Path, verify: Any) -> None:
    # What cannot be compressed is in 64 KiB blocks of a frame, one after the other.
    data = np.random.default_rng(1).integers(0, 256, (8, 1 << 18), np.uint8)
    codec = {"name": "zstd", "configuration": {"level": 1, "checksum": True}}
    created(tmp_path / "a.zarr", data=data, chunks=(1, 1 << 18), shards=(8, 1 << 18), codecs=[codec])
    shard = tmp_path / "a.zarr/a/c/0/0"
    content = bytearray(shard.read_bytes())
    content[(1 << 18) * 9 // 10] ^= 1
    shard.write_bytes(content)
    native, python = both(tmp_path / "a.zarr/a", np.s_[:, :50_000], True, False, verify=verify)
    if verify == "always":
        assert isinstance(python, str)
        assert native == python
    else:
        np.testing.assert_array_equal(native, data[:, :50_000], strict=True)


def test_a_claimed_chunk_counts_as_decoded_once(written: Written) -> None:
    store, cache = (
        CountingStore(written.root / f"{CHAINS.index([ZSTD])}s", True),
        zarrcore.ChunkCache(1 << 25),
    )
    array = zarrcore.open_hierarchy(store, chunk_cache=cache).array("/")
    array[:16, :32, :32]
    assert (cache.decoded, cache.decoded_bytes) == (8, 16 * 32 * 32 * array.dtype.itemsize)
    kept = cache.nbytes
    array[:16, :32, :32]
    assert (cache.decoded, cache.nbytes) == (8, kept)


def test_points_and_few_chunks_are_left_to_python(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("the engine read a chunk")

    name = f"{CHAINS.index([ZSTD])}s"
    _, array = opened(written.root / name, True, False)
    expected = values_of(array.dtype.str)
    monkeypatch.setattr(MemoryReads, "_run", refuse)
    assert np.array_equal(array[:8, :16, :32], expected[:8, :16, :32])
    index = [np.arange(length) for length in (16, 16, 16)]
    assert np.array_equal(array.vindex[tuple(index)], expected[tuple(index)])
