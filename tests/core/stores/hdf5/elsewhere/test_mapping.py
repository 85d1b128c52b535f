"""Mappings of virtual datasets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numcodecs.checksum32 import JenkinsLookup3

from tests.core.stores.hdf5.elsewhere.test_selection import regular
from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.hdf5.elsewhere.mapping import Mapping, growing, limited, parse_mappings
from zarrcore.stores.hdf5.elsewhere.selection import UNLIMITED, Steps
from zarrcore.stores.virtual.file_reader import BrokenFileError

ALL = (3).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(8)


def summed(data: bytes) -> bytes:
    """The data with their checksum."""
    return bytes(JenkinsLookup3().encode(data))


def little(number: int) -> bytes:
    return number.to_bytes(8, "little")


def test_names_of_earlier_mappings_and_of_the_same_file() -> None:
    """Version 1 of HDF5 2.0."""
    data = b"\1" + little(4)
    data += b"\0a.h5\0x\0" + ALL + regular(0, 1, 1, 1)
    data += b"\1" + little(0) + b"y\0" + ALL + regular(1, 1, 1, 1)
    data += b"\4z\0" + ALL + regular(2, 1, 1, 1)
    data += b"\3" + little(1) + little(2) + ALL + regular(3, 1, 1, 1)
    found = parse_mappings(summed(data))
    assert [(mapping.file, mapping.dataset) for mapping in found] == [
        ("a.h5", "x"),
        ("a.h5", "y"),
        (".", "z"),
        ("a.h5", "z"),
    ]
    assert found[3].virtual == (Steps(3, 1, 1, 1),)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\2" + little(0), "version 2"),
        (b"\0" + little(2**40), "1,099,511,627,776 mappings"),
        (b"\0" + little(1) + b"a", "does not end"),
        (b"\1" + little(1) + b"\1" + little(0), "one that follows"),
        (b"\0" + little(1) + b"a\0b\0", "ends early"),
    ],
)
def test_broken_mappings_are_sentences(data: bytes, why: str) -> None:
    with pytest.raises(BrokenFileError, match=why):
        parse_mappings(summed(data))
    with pytest.raises(BrokenFileError):
        parse_mappings(data + b"\0\0\0\0")


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_are_mappings_or_refused(data: bytes, version: bool) -> None:
    try:
        parse_mappings(summed(bytes((version,)) + little(1) + data))
    except (BrokenFileError, UnshownError):
        return


def test_blocks_of_a_name_are_counted() -> None:
    endless = (Steps(2, 5, UNLIMITED, 3),)
    mapping = Mapping("f%b", "100%%/%b", None, endless)
    asked = []

    def shape_of(file: str, dataset: str) -> tuple[int, ...] | None:
        asked.append((file, dataset))
        return (3,) if len(asked) < 3 else None

    assert growing(endless) == 0
    found, shape = limited([mapping], (1,), shape_of)
    assert asked == [("f0", "100%/0"), ("f1", "100%/1"), ("f2", "100%/2")]
    assert [block.virtual for block in found] == [(Steps(2, 3, 1, 3),), (Steps(7, 3, 1, 3),)]
    assert shape == (10,)
    with pytest.raises(BrokenFileError, match="one side only"):
        limited([Mapping("f", "d", None, endless)], (1,), shape_of)
    with pytest.raises(BrokenFileError, match="one side only"):
        limited([Mapping("f", "d", endless, None)], (1,), shape_of)


def test_names_without_an_end_are_refused() -> None:
    with pytest.raises(BrokenFileError, match="more than 65,536 mappings"):
        limited([Mapping("f%b", "d", None, (Steps(0, 1, UNLIMITED, 1),))], (1,), lambda file, dataset: (1,))
