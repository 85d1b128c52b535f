"""Headers of NRRD files."""

from __future__ import annotations

from typing import Any

import nrrd
import numpy as np
import pytest

from zarrcore.stores.nrrd.header import NrrdHeader, parse_header
from zarrcore.stores.virtual.file_reader import BrokenFileError

MINIMAL = {"type": "short", "dimension": "3", "sizes": "4 6 10", "endian": "little", "encoding": "raw"}


def header(after: str = "", version: int = 4, **fields: str) -> NrrdHeader:
    told = {**MINIMAL, **{name.replace("_", " "): value for name, value in fields.items()}}
    lines = [f"NRRD000{version}", *(f"{name}: {value}" for name, value in told.items())]
    found = parse_header(("\n".join(lines) + f"\n{after}").encode(), is_whole=True)
    assert found is not None
    return found


def test_fields_comments_and_pairs() -> None:
    text = (
        "NRRD0005\r\n# a comment\r\nType: unsigned  short\r\ndimension: 2\r\nsizes: 3 4\r\nENDIAN: big\r\n"
        "encoding: gz\r\ncontent: a: b\r\nkey with spaces:=a\\nb\\\\c := d\r\ndatafile: x.raw\r\n\r\nDATA"
    )
    found = parse_header(text.encode(), is_whole=False)
    assert found is not None
    assert (found.nbytes, found.version, found.sizes) == (len(text) - 4, 5, (3, 4))
    assert (found.dtype, found.encoding) == (np.dtype(">u2"), "gzip")
    assert found.pairs == {"key with spaces": "a\nb\\c := d"}
    assert found.data_files == ("x.raw",)
    assert found.shown() == {
        "version": 5,
        "type": "unsigned  short",
        "content": "a: b",
        "key_values": {"key with spaces": "a\nb\\c := d"},
    }


def test_a_header_ends_with_an_empty_line_or_the_file() -> None:
    text = b"NRRD0001\ntype: char\n"
    assert parse_header(text, is_whole=False) is None
    with pytest.raises(BrokenFileError, match="its dimension is '' and its sizes are ''"):
        parse_header(text, is_whole=True)


@pytest.mark.parametrize("name", sorted(nrrd.reader._TYPEMAP_NRRD2NUMPY))
def test_types_are_those_of_pynrrd(name: str) -> None:
    if name == "block":
        with pytest.raises(BrokenFileError, match="of the type 'block', which zarrscope does not read"):
            header(type=name).dtype  # noqa: B018
    else:
        assert header(type=name).dtype == np.dtype(nrrd.reader._TYPEMAP_NRRD2NUMPY[name]).newbyteorder("<")


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("a b.raw", ("a b.raw",)),
        ("s%02d.raw 9 13 2 3", ("s09.raw", "s11.raw", "s13.raw")),
        ("s%d.raw 10 1 -1", tuple(f"s{n}.raw" for n in range(10, 0, -1))),
        ("%3dx 1 10 1 2", tuple(f"{n:3d}x" for n in range(1, 11))),
    ],
)
def test_names_of_data_files(told: str, names: tuple[str, ...]) -> None:
    sizes = "4 6 9" if len(names) == 3 else "4 6 10"
    assert header(data_file=told, sizes=sizes).data_files == names


def test_a_list_of_data_files() -> None:
    assert header("b.raw\na.raw\n", data_file="LIST 3").data_files == ("b.raw", "a.raw")
    assert header(data_file="x").data_files == ("x",)
    assert header().data_files is None


@pytest.mark.parametrize(
    ("fields", "member", "why"),
    [
        ({"data_file": "s%d 1 3 1"}, "data_files", "last axis of 10 elements is in 3 files"),
        ({"data_file": "s%d 1 3 1 3"}, "data_files", "last axis of 10 elements is in 3 files"),
        ({"data_file": "s%d 1 60 1 1"}, "data_files", "in 60 files of 1 dimensions"),
        ({"data_file": "s%d 1 99999999999999999999 1"}, "data_files", "its files have the numbers 1 to"),
        ({"data_file": "s%d 1 3 0"}, "data_files", "the step 0"),
        ({"data_file": "LIST"}, "data_files", "in 0 files"),
        ({"data_file": "x" * 5000}, "data_files", "5,000 characters"),
        ({"endian": ""}, "dtype", "big or little endian"),
        ({"encoding": "hex"}, "encoding", "encoding is 'hex'; zarrscope reads raw, gzip, bzip2 and ascii"),
    ],
)
def test_what_is_not_read_says_why(fields: dict[str, str], member: str, why: str) -> None:
    with pytest.raises(BrokenFileError, match=why):
        getattr(header(**fields), member)


@pytest.mark.parametrize(
    "fields",
    [{"dimension": "2"}, {"sizes": "1 2 -3"}, {"sizes": "a"}, {"dimension": "17"}, {"sizes": "0 1 1"}],
)
def test_broken_sizes(fields: dict[str, str]) -> None:
    with pytest.raises(BrokenFileError, match="sizes"):
        header(**fields)


def test_other_lines() -> None:
    with pytest.raises(BrokenFileError, match="the line 'nothing', which is neither"):
        header("nothing\n")
    with pytest.raises(BrokenFileError, match="NRRD0001 to NRRD0005"):
        header(version=6)
    assert (header(line_skip="3").skip("line skip"), header().skip("byte skip")) == (3, 0)
    for text in ("x", "-2", "1 2"):
        with pytest.raises(BrokenFileError, match="byte skip"):
            header(byteskip=text).skip("byte skip")


def test_lists_are_shown_as_json() -> None:
    fields: dict[str, Any] = {
        "spacings": "0.5 nan 2",
        "kinds": "list domain domain",
        "labels": '"a" "b \\"c\\"" ""',
        "space_directions": "none (1,0,0) (0,nan,0)",
        "space_origin": "(1,2,3)",
        "space": "left-posterior-superior",
    }
    assert header(**fields).shown() == {
        "version": 4,
        "type": "short",
        "spacings": [0.5, None, 2.0],
        "kinds": ["list", "domain", "domain"],
        "labels": ["a", 'b "c"', ""],
        "space directions": [None, [1, 0, 0], [0, None, 0]],
        "space origin": [1, 2, 3],
        "space": "left-posterior-superior",
    }


def test_no_header_takes_long_to_parse() -> None:
    """A pattern with quadratic time would take hours for this header."""
    many = '"\\' * 300_000
    assert header(labels=f'"a" {many}').shown()["labels"] == ["a"]
