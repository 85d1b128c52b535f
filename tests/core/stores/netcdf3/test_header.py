"""The header of NetCDF-3 files."""

from __future__ import annotations

import netCDF4
import pytest

from zarrcore.stores import MemoryStore
from zarrcore.stores.netcdf3.header import parse_header
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader

NOTHING = bytes(8)


def number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def name(text: str) -> bytes:
    return number(len(text)) + text.encode().ljust(-(-len(text) // 4) * 4, b"\0")


def reader(content: bytes) -> FileReader:
    return FileReader(MemoryStore("", {"a.nc": content}), "a.nc", "a.nc")


def header(records: bytes, *variables: bytes) -> bytes:
    dimensions = number(10) + number(2) + name("record") + number(0) + name("x") + number(3)
    return (
        b"CDF\1" + records + dimensions + NOTHING + number(11) + number(len(variables)) + b"".join(variables)
    )


def variable(kind: int, *dimensions: int, begin: int = 200) -> bytes:
    used = number(len(dimensions)) + b"".join(map(number, dimensions))
    return name(f"v{begin}") + used + NOTHING + number(kind) + number(0) + number(begin)


def test_records_of_several_variables_are_padded_and_those_of_one_are_not() -> None:
    one = parse_header(reader(header(number(2), variable(1, 0, 1))))
    assert one.record_nbytes == 3
    two = parse_header(reader(header(number(2), variable(1, 0, 1), variable(3, 0, begin=203))))
    assert two.record_nbytes == 8
    assert [(v.shape, v.dimensions, v.begin) for v in two.variables.values()] == [
        ((2, 3), ("record", "x"), 200),
        ((2,), ("record",), 203),
    ]


def test_the_size_of_the_file_tells_the_number_of_records_that_the_writer_left_open() -> None:
    content = header(b"\xff" * 4, variable(1, 0, 1)).ljust(200, b"\0") + bytes(3 * 5)
    assert parse_header(reader(content)).variables["v200"].shape == (5, 3)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"CDF\3" + bytes(40), "no signature"),
        (header(number(2), variable(99, 1)), "a type 99"),
        (header(number(2), variable(1, 7)), "a dimension that does not exist"),
        (header(number(2), variable(1, 1, 0)), "records that are not its first dimension"),
        (header(number(2), variable(1, 1))[:60], "a part of the header"),
        (b"CDF\1" + number(0) + number(9) + number(1), "a list of the header is broken"),
    ],
)
def test_broken_headers_say_what_is_wrong(content: bytes, why: str) -> None:
    with pytest.raises(BrokenFileError, match=why):
        parse_header(reader(content))


def test_names_that_a_writer_padded_with_nul_end_there_as_in_the_c_library() -> None:
    content = header(number(2), variable(3, 1)).replace(name("v200"), number(6) + b"v200\0\0\0\0")
    content = content.replace(name("x"), number(3) + b"x\0\0\0").ljust(206, b"\1")
    with netCDF4.Dataset("a.nc", memory=content) as read:
        assert {each: one.dimensions for each, one in read.variables.items()} == {"v200": ("x",)}
    found = parse_header(reader(content)).variables
    assert {each: one.dimensions for each, one in found.items()} == {"v200": ("x",)}
