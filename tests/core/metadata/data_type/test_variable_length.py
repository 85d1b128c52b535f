"""Strings and byte strings of variable length."""

from __future__ import annotations

from typing import Any

import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.data_type.variable_length import BytesFamily, StringFamily

STRING, BYTES = parse_data_type("string"), parse_data_type("bytes")


@pytest.mark.parametrize("text", ["", "ä😀", "a\0b", "x" * 1000])
def test_a_string_is_spelled_as_itself(text: str) -> None:
    element = StringFamily().parse(text, STRING)
    assert (element.item(), element.shape, element.dtype) == (text, (), STRING.dtype)
    assert StringFamily().spell(element, STRING) == text


@pytest.mark.parametrize("raw", [b"", b"\0\xff", b"x" * 1000])
def test_bytes_are_spelled_in_base64(raw: bytes) -> None:
    element = BytesFamily().parse([*raw], BYTES)
    assert (element.item(), element.shape) == (raw, ())
    spelled = BytesFamily().spell(element, BYTES)
    assert isinstance(spelled, str)
    assert BytesFamily().parse(spelled, BYTES).item() == raw


def test_0_is_an_undefined_value_of_zarr_v2() -> None:
    assert StringFamily().parse(0, STRING).item() == ""
    assert BytesFamily().parse(0, BYTES).item() == b""


@pytest.mark.parametrize("value", [1, 0.0, False, ["a"], {}, "\ud800"])
def test_other_values_are_not_strings(value: Any) -> None:
    with pytest.raises(MetadataError, match=r"^fill_value: expected an element of type string"):
        StringFamily().parse(value, STRING)


@pytest.mark.parametrize("value", [1, False, "=", [256], {}])
def test_other_values_are_not_bytes(value: Any) -> None:
    with pytest.raises(MetadataError, match=r"^fill_value: expected an element of type bytes"):
        BytesFamily().parse(value, BYTES)
