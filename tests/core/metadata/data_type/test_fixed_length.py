"""Bytes and text of a fixed length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.data_type import DataType, parse_data_type
from zarrcore.metadata.data_type.fixed_length import FixedLengthFamily, parse_bytes, spell_bytes

FAMILY = FixedLengthFamily()


def sized(name: str, nbytes: object) -> dict[str, Any]:
    return {"name": name, "configuration": {"length_bytes": nbytes}}


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("r8", "V1"),
        ("r24", "V3"),
        (sized("raw_bytes", 5), "V5"),
        (sized("null_terminated_bytes", 4), "S4"),
        (sized("fixed_length_utf32", 8), "<U2"),
    ],
)
def test_each_name_has_its_numpy_dtype(document: Any, code: str) -> None:
    assert parse_data_type(document).dtype == np.dtype(code)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("r12", "data_type: expected a multiple of 8 bits, found 12"),
        ("r2147483656", "256 MiB"),
        (sized("raw_bytes", 0), "elements of 0 bytes"),
        (sized("raw_bytes", -1), "length_bytes: expected a number of bytes, found the number -1"),
        (sized("raw_bytes", True), "expected a number of bytes, found true"),
        (sized("raw_bytes", 1.5), "expected a number of bytes"),
        ("raw_bytes", "expected a number of bytes, found null"),
        (sized("fixed_length_utf32", 6), "length_bytes: expected a multiple of 4, found 6"),
    ],
)
def test_invalid_lengths_are_refused(document: Any, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        parse_data_type(document)


@pytest.mark.parametrize("name", ["r0", "r08", "r", "r-8", "r8.0"])
def test_other_names_are_not_raw_types(name: str) -> None:
    with pytest.raises(UnsupportedError, match="data type"):
        parse_data_type(name)


def test_only_a_null_terminated_string_may_be_spelled_shorter() -> None:
    text, raw = parse_data_type(sized("null_terminated_bytes", 4)), parse_data_type("r32")
    assert FAMILY.parse([97], text).item() == b"a"
    assert FAMILY.parse("YWI=", text).item() == b"ab"
    assert FAMILY.parse(0, text).item() == b""
    assert FAMILY.parse(0, raw).item() == bytes(4)
    for data_type, value in ((raw, [1, 2, 3]), (raw, [1] * 5), (text, "YWJjZGU=")):
        with pytest.raises(MetadataError, match="expected 4 bytes, found"):
            FAMILY.parse(value, data_type)
    for value in (0.0, False, None, {}):
        with pytest.raises(MetadataError):
            FAMILY.parse(value, raw)


def test_text_fits_into_its_code_points() -> None:
    text = parse_data_type(sized("fixed_length_utf32", 8))
    for value in ("", "a", "😀é"):
        element = FAMILY.parse(value, text)
        assert (element.item(), FAMILY.spell(element, text)) == (value, value)
    for value in ("abc", 0, ["a"]):
        with pytest.raises(MetadataError, match="expected an element of type"):
            FAMILY.parse(value, text)


def test_raw_types_are_spelled_as_numbers_and_the_others_in_base64() -> None:
    element = np.frombuffer(b"\0\xff\x80", "V3").reshape(())
    assert FAMILY.spell(element, parse_data_type("r24")) == [0, 255, 128]
    assert FAMILY.spell(element, parse_data_type(sized("raw_bytes", 3))) == "AP+A"


def test_bytes_are_base64_or_an_array_of_numbers() -> None:
    data_type = DataType("bytes", {}, np.dtype(object))
    assert parse_bytes("AP+A", data_type) == parse_bytes([0, 255, 128], data_type) == b"\0\xff\x80"
    assert parse_bytes("", data_type) == parse_bytes([], data_type) == b""
    assert spell_bytes(b"\0\xff\x80") == "AP+A"
    for value in ("AP+", "AP-A", "AP+\nA", "ÄAAA", [256], [-1], [True], [1.0], {}, None, 5):
        with pytest.raises(MetadataError, match="of type bytes"):
            parse_bytes(value, data_type)
