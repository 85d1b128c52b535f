"""Layout and filter messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zarrcore.stores.hdf5.layout import (
    Chunked,
    Compact,
    Contiguous,
    Filter,
    Virtual,
    parse_filters,
    parse_layout,
)
from zarrcore.stores.virtual.file_reader import BrokenFileError


def little(value: int, nbytes: int) -> bytes:
    return value.to_bytes(nbytes, "little")


def test_the_oldest_layouts() -> None:
    contiguous = bytes((1, 2, 1)) + bytes(5) + little(700, 8) + little(3, 4) + little(4, 4)
    assert parse_layout(contiguous, 2, (3, 4), False) == Contiguous(700, 24)
    compact = bytes((2, 1, 0)) + bytes(5) + little(3, 4) + little(3, 4) + b"abc"
    assert parse_layout(compact, 1, (3,), False) == Compact(b"abc")
    chunked = bytes((1, 2, 2)) + bytes(5) + little(700, 8) + little(3, 4) + little(8, 4)
    assert parse_layout(chunked, 8, (3,), False) == Chunked((3,), 24, "b-tree 1", 700, is_filtered=True)


def test_virtual_datasets() -> None:
    assert parse_layout(bytes((4, 3)) + little(700, 8) + little(2, 4), 1, (3,), False) == Virtual(700, 2)


def test_filters_of_both_versions() -> None:
    expected = (Filter(2, "", (8,)), Filter(32015, "zstd", (3, 4)))
    first = (
        bytes((1, 2))
        + bytes(6)
        + little(2, 2)
        + little(0, 2)
        + bytes(2)
        + little(1, 2)
        + little(8, 4)
        + bytes(4)
    )
    first += (
        little(32015, 2)
        + little(8, 2)
        + bytes(2)
        + little(2, 2)
        + b"zstd".ljust(8, b"\0")
        + little(3, 4)
        + little(4, 4)
    )
    assert parse_filters(first) == expected
    second = bytes((2, 2)) + little(2, 2) + bytes(2) + little(1, 2) + little(8, 4)
    second += (
        little(32015, 2) + little(4, 2) + bytes(2) + little(2, 2) + b"zstd" + little(3, 4) + little(4, 4)
    )
    assert parse_filters(second) == expected


@given(st.binary(max_size=60))
def test_any_bytes_are_a_layout_or_refused(data: bytes) -> None:
    for parse in (parse_filters, lambda data: parse_layout(data, 2, (5, 6), True)):
        try:
            parse(data)
        except BrokenFileError:
            continue
