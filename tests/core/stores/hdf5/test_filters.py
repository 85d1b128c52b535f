"""Filters as codecs, and chunks that skipped some."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.registry import codec_class
from zarrcore.stores.hdf5.filters import codec_of, unfiltered, without_skips
from zarrcore.stores.hdf5.layout import Filter
from zarrcore.stores.virtual.file_reader import BrokenFileError

PIPELINE = (Filter(2, "", (4,)), Filter(1, "", (5,)), Filter(3, "", ()))


@given(st.binary(min_size=32, max_size=32), st.integers(0, 7))
def test_any_skipped_filters_are_made_up_for(data: bytes, skipped: int) -> None:
    whole = without_skips(data, PIPELINE, 7, 32)
    assert unfiltered(whole, PIPELINE, 0, 32) == data
    some = tuple(filter_ for place, filter_ in enumerate(PIPELINE) if not skipped >> place & 1)
    stored = without_skips(data, some, (1 << len(some)) - 1, 32) if some else data
    assert unfiltered(stored, PIPELINE, skipped, 32) == data
    if skipped:
        assert unfiltered(without_skips(stored, PIPELINE, skipped, 32), PIPELINE, 0, 32) == data


def test_filters_that_cannot_be_made_up_for_are_named() -> None:
    with pytest.raises(BrokenFileError, match="without HDF5 filter 32099 new"):
        without_skips(b"abcd", (Filter(32099, "new", ()),), 1, 4)
    with pytest.raises(BrokenFileError, match="filter 32000 lzf undone"):
        unfiltered(b"abcd", (Filter(32000, "lzf", ()),), 0, 4)
    with pytest.raises(BrokenFileError, match="does not decode"):
        unfiltered(b"abcd", PIPELINE[1:2], 0, 4)
    assert zlib.decompress(without_skips(b"abcd", PIPELINE[1:2], 1, 4)) == b"abcd"


@pytest.mark.parametrize("number", [1, 2, 3, 5, 307, 32000, 32004, 32015, 32026])
def test_filters_are_codecs(number: int) -> None:
    assert codec_class(codec_of(Filter(number, "", (4,) * 5))["name"])


def test_an_unknown_filter_is_named() -> None:
    assert codec_of(Filter(32099, "new", ()))["name"] == "HDF5 filter 32099 (new)"
