"""Selections, and their form in a file."""

from __future__ import annotations

import io
from collections.abc import Callable

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.stores.hdf5.written import opened
from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.hdf5.elsewhere.selection import (
    UNLIMITED,
    Listed,
    Steps,
    is_empty,
    parse_selection,
    whole,
)
from zarrcore.stores.virtual.file_reader import BrokenFileError

LINES = st.builds(
    lambda start, block, gap, count: Steps(start, block + gap, count, block),
    st.integers(0, 5),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(1, 5),
)


def all_of(line: Steps | Listed) -> list[int]:
    return line.at(np.arange(len(line))).tolist()


@given(LINES, st.integers(0, 60))
def test_steps_are_the_indices_of_their_blocks(line: Steps, limit: int) -> None:
    expected = [line.start + i * line.stride + j for i in range(line.count) for j in range(line.block)]
    assert all_of(line) == expected
    assert line.below(limit) == sum(index < limit for index in expected)


@given(LINES, st.integers(0, 40))
def test_unlimited_steps_end_where_they_are_limited(line: Steps, number: int) -> None:
    endless = Steps(line.start, line.stride, UNLIMITED, line.block)
    more = [line.start + i * line.stride + j for i in range(50) for j in range(line.block)]
    assert endless.is_unlimited
    assert endless.extent(number) == (more[number - 1] + 1 if number else 0)
    assert endless.below(endless.extent(number)) == number
    if number:
        assert all_of(endless.limited(number)) == more[:number]


def stored_selection(select: Callable[[h5py.h5s.SpaceID], object], **options: object) -> bytes:
    """A selection of a space of 20 × 30 elements, as the HDF5 library stores it."""
    memory = io.BytesIO()
    with h5py.File(memory, "w", **options) as file:
        space = h5py.h5s.create_simple((20, 30))
        select(space)
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_virtual(space, b"f", b"d", space)
        h5py.h5d.create(file.id, b"v", h5py.h5t.NATIVE_INT8, h5py.h5s.create_simple((20, 30)), plist)
    content = memory.getvalue()
    at = content.index(b"f\0d\0", content.index(b"GCOL"))
    return opened(content).reader.read(at + 4, 4096 if at + 4100 < len(content) else len(content) - at - 4)


@pytest.mark.parametrize("options", [{}, {"libver": "v110"}, {"libver": "latest"}])
def test_selections_of_each_version(options: dict) -> None:
    def regular(space: h5py.h5s.SpaceID) -> None:
        space.select_hyperslab((1, 2), (3, 4), (5, 6), (2, 3))

    def blocks(space: h5py.h5s.SpaceID) -> None:
        for row in (0, 4, 5, 11):
            space.select_hyperslab((row, 7), (1, 1), (1, 1), (1, 9), op=h5py.h5s.SELECT_OR)

    def first_blocks(space: h5py.h5s.SpaceID) -> None:
        space.select_none()
        blocks(space)

    for select, rows, columns in (
        (regular, [1, 2, 6, 7, 11, 12], [2, 3, 4, 8, 9, 10, 14, 15, 16, 20, 21, 22]),
        (first_blocks, [0, 4, 5, 11], [*range(7, 16)]),
    ):
        found, at = parse_selection(stored_selection(select, **options), 0)
        assert found is not None
        assert [all_of(line) for line in found] == [rows, columns]
        assert at > 16

    def corner(space: h5py.h5s.SpaceID) -> None:
        space.select_hyperslab((0, 0), (1, 1), (1, 1), (2, 2))
        space.select_hyperslab((4, 4), (1, 1), (1, 1), (2, 2), op=h5py.h5s.SELECT_OR)

    with pytest.raises(UnshownError, match="not a grid"):
        parse_selection(stored_selection(corner, **options), 0)
    assert parse_selection(stored_selection(lambda space: space.select_all(), **options), 0)[0] is None


def test_whole_and_empty_selections() -> None:
    assert [all_of(line) for line in whole((3, 1, 0))] == [[0, 1, 2], [0], []]
    assert is_empty(whole((3, 0)))
    assert not is_empty(None)
    nothing, _ = parse_selection(bytes(16), 0)
    assert is_empty(nothing)


def regular(*numbers: int) -> bytes:
    head = (2).to_bytes(4, "little") * 2 + bytes((1, 0, 0, 0, 0)) + (1).to_bytes(4, "little")
    return head + b"".join(number.to_bytes(8, "little") for number in numbers)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (regular(0, 1, 2, 3), "overlap"),
        (regular(0, 0, 2, 0), "are broken"),
        (regular(0, 1, UNLIMITED, UNLIMITED), "are broken"),
        (regular(2**62, 2**40, 2**40, 1), "too large"),
        (regular(0, 1, 2), "ends early"),
        ((1).to_bytes(4, "little") + bytes(30), "of points"),
        ((7).to_bytes(4, "little") + bytes(30), "type 7"),
    ],
)
def test_broken_selections_are_sentences(data: bytes, why: str) -> None:
    with pytest.raises((BrokenFileError, UnshownError), match=why):
        parse_selection(data, 0)


@given(st.binary(max_size=80), st.sampled_from([1, 2, 3]), st.booleans())
def test_any_bytes_are_a_selection_or_refused(data: bytes, version: int, is_hyperslab: bool) -> None:
    head = ((2).to_bytes(4, "little") + version.to_bytes(4, "little")) if is_hyperslab else b""
    try:
        found, _ = parse_selection(head + data, 0)
    except (BrokenFileError, UnshownError):
        return
    for line in found or ():
        line.below(1000)
