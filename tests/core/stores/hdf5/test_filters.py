"""Filters as codecs, and chunks that skipped some."""

from __future__ import annotations

import contextlib
import zlib
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore as zc
from zarrcore.codecs.registry import codec_class
from zarrcore.stores.hdf5.filters import codec_of, unfiltered, without_skips
from zarrcore.stores.hdf5.layout import Filter
from zarrcore.stores.virtual.file_reader import BrokenFileError

PIPELINE = (Filter(2, "", (4,)), Filter(1, "", (5,)), Filter(3, "", ()))


@given(st.permutations(PIPELINE), st.binary(min_size=32, max_size=32), st.integers(0, 7))
def test_any_skipped_filters_are_made_up_for(filters: list[Filter], data: bytes, skipped: int) -> None:
    """In any order: what another filter encoded need not be a whole number of elements to be shuffled."""
    whole = without_skips(data, filters, 7, 32)
    assert unfiltered(whole, filters, 0, 32) == data
    some = [filter_ for place, filter_ in enumerate(filters) if not skipped >> place & 1]
    stored = without_skips(data, some, (1 << len(some)) - 1, 32) if some else data
    assert unfiltered(stored, filters, skipped, 32) == data
    if skipped:
        assert unfiltered(without_skips(stored, filters, skipped, 32), filters, 0, 32) == data


def test_filters_that_cannot_be_made_up_for_are_named() -> None:
    with pytest.raises(BrokenFileError, match="without HDF5 filter 32099 new"):
        without_skips(b"abcd", (Filter(32099, "new", ()),), 1, 4)
    with pytest.raises(BrokenFileError, match="filter 32004 lz4 undone"):
        unfiltered(b"abcd", (Filter(32004, "lz4", ()),), 0, 4)
    with pytest.raises(BrokenFileError, match="does not decode"):
        unfiltered(b"abcd", PIPELINE[1:2], 0, 4)
    assert zlib.decompress(without_skips(b"abcd", PIPELINE[1:2], 1, 4)) == b"abcd"


@pytest.mark.parametrize("number", [1, 307, 32000, 32015], ids=["deflate", "bzip2", "lzf", "zstd"])
@pytest.mark.parametrize("count", [1, 40, 1000, 100_000])
def test_compressed_chunks_are_undone_within_their_size(number: int, count: int) -> None:
    data = bytes(range(250)) * (count // 250) + bytes(count % 250)
    filter_ = (Filter(number, "", (4,) * 5),)
    stored = without_skips(data, filter_, 1, len(data))
    assert unfiltered(stored, filter_, 0, len(data)) == data
    if count > 200:
        with contextlib.suppress(BrokenFileError):
            assert len(unfiltered(stored, filter_, 0, 100)) <= 164
    for end in range(0, len(stored) - 1, 1 + len(stored) // 50):
        with contextlib.suppress(BrokenFileError):
            assert len(unfiltered(stored[:end], filter_, 0, len(data))) < len(data)
    if number in (1, 307):  # all data are there, but not the end of their checksum
        with pytest.raises(BrokenFileError):
            unfiltered(stored[:-1], filter_, 0, len(data))


@pytest.mark.parametrize("filter_", [{"compression": "lzf", "shuffle": True}, dict(hdf5plugin.Zstd())])
def test_texts_are_read_through_any_compression(tmp_path: Path, filter_: dict[str, Any]) -> None:
    values = [str(number) * (number % 5) for number in range(40)]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=values, dtype=h5py.string_dtype(), chunks=(16,), **filter_)
    with zc.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["x"][...].tolist() == values


def test_what_another_filter_encoded_is_shuffled(tmp_path: Path) -> None:
    values = np.arange(400, dtype="f4").reshape(20, 20)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(7, 6), scaleoffset=2, shuffle=True)
    with zc.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert np.array_equal(hierarchy["x"][...], values)


@pytest.mark.parametrize("number", [1, 2, 3, 5, 307, 32000, 32004, 32015, 32026])
def test_filters_are_codecs(number: int) -> None:
    assert codec_class(codec_of(Filter(number, "", (4,) * 5))["name"])


def test_an_unknown_filter_is_named() -> None:
    assert codec_of(Filter(32099, "new", ()))["name"] == "HDF5 filter 32099 (new)"


SKIPPED: dict[str, dict[str, Any]] = {
    "bitshuffle": dict(hdf5plugin.Bitshuffle(cname="none")),
    "bitshuffle in blocks": dict(hdf5plugin.Bitshuffle(nelems=16, cname="none")),
    "bitshuffle with lz4": dict(hdf5plugin.Bitshuffle(cname="lz4")),
    "blosc2": dict(hdf5plugin.Blosc2()),
    "lz4": dict(hdf5plugin.LZ4()),
    "lzf": {"compression": "lzf", "shuffle": True},
}


@pytest.mark.sampled(18)
@pytest.mark.parametrize("dtype", ["u1", ">i4", "<f8", "S3"])
@pytest.mark.parametrize("shape", [(30, 40), (1001,)])
@pytest.mark.parametrize("name", SKIPPED)
def test_chunks_for_which_a_filter_was_skipped(
    tmp_path: Path, name: str, shape: tuple[int, ...], dtype: str
) -> None:
    values = (np.arange(np.prod(shape)) // 7).reshape(shape).astype(dtype)
    chunks = tuple(length // 2 for length in shape)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("x", data=values, chunks=chunks, **SKIPPED[name])
        first = np.ascontiguousarray(values[tuple(map(slice, chunks))])
        every = (1 << made.id.get_create_plist().get_nfilters()) - 1
        made.id.write_direct_chunk((0,) * len(shape), first.tobytes(), every)
    assert np.array_equal(zc.open_hierarchy(tmp_path / "a.h5")["x"][...], values)


def test_bits_that_are_all_set_in_a_shuffled_chunk(tmp_path: Path) -> None:
    values = np.full((16, 16), -1, "<i4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(8, 8), **hdf5plugin.Bitshuffle(cname="none"))
    assert np.array_equal(zc.open_hierarchy(tmp_path / "a.h5")["x"][...], values)
