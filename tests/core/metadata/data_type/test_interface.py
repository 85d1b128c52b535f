"""The interface of data types: sizes, byte orders, and the form in a document."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type.interface import (
    DataType,
    has_byte_order,
    is_small_number,
    is_variable_length,
    item_bytes,
    no_element,
    with_byte_order,
)

RECORD = np.dtype([("a", "<i4"), ("b", [("c", ml_dtypes.bfloat16, (2,)), ("d", "S4")]), ("e", "<U2")])


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (np.dtype("<f4"), True),
        (np.dtype("<U1"), True),
        (np.dtype("<M8[s]"), True),
        (np.dtype(ml_dtypes.bfloat16), True),
        (np.dtype("u1"), False),
        (np.dtype("?"), False),
        (np.dtype("V4"), False),
        (np.dtype("S4"), False),
        (np.dtype(ml_dtypes.int4), False),
        (np.dtypes.StringDType(), False),
        (np.dtype(object), False),
        (np.dtype(("<i2", (3,))), True),
        (np.dtype([("a", "u1"), ("b", [("c", "S4")])]), False),
        (RECORD, True),
    ],
)
def test_only_parts_of_several_bytes_with_a_value_have_a_byte_order(
    dtype: np.dtype[Any], expected: bool
) -> None:
    assert has_byte_order(dtype) is expected


def test_every_part_of_a_record_changes_its_byte_order() -> None:
    value = np.zeros((), RECORD)
    value["a"], value["b"]["c"], value["b"]["d"], value["e"] = 1, (1.0, 2.0), b"text", "ab"
    big = value.astype(with_byte_order(RECORD, ">"))
    parts = (b"\0\0\0\1", b"\x3f\x80\x40\0", b"text", b"\0\0\0a\0\0\0b")
    assert big.tobytes() == b"".join(parts)
    assert with_byte_order(big.dtype, "<") == RECORD
    assert with_byte_order(np.dtype((RECORD, (2,))), ">") == np.dtype((big.dtype, (2,)))


def test_a_byte_order_keeps_the_offsets_of_fields() -> None:
    dtype = np.dtype({"names": ["a", "b"], "formats": ["<i2", "<i4"], "offsets": [4, 8], "itemsize": 16})
    big = with_byte_order(dtype, ">")
    assert (big.itemsize, big["a"], big["b"]) == (16, np.dtype(">i2"), np.dtype(">i4"))
    assert big.fields is not None
    assert [big.fields[name][1] for name in "ab"] == [4, 8]


def test_elements_outside_the_array_have_no_byte_order_to_change() -> None:
    for dtype in (np.dtypes.StringDType(), np.dtype(object)):
        assert with_byte_order(dtype, ">") is dtype
        assert is_variable_length(dtype)


def test_elements_have_one_byte_to_256_mib() -> None:
    assert (item_bytes(1, "dtype"), item_bytes(1 << 28, "dtype")) == (1, 1 << 28)
    for nbytes in (0, -1, (1 << 28) + 1):
        with pytest.raises(
            MetadataError, match=r"^dtype: elements of .* bytes; 1 byte to 256 MiB are allowed"
        ):
            item_bytes(nbytes, "dtype")


def test_a_type_without_parameters_is_its_name() -> None:
    assert DataType("int8").document() == "int8"
    told = DataType("numpy.datetime64", {"unit": "s", "scale_factor": 1}).document()
    assert told == {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}


def test_types_are_equal_by_name_and_parameters() -> None:
    assert DataType("a", {"n": 1}, np.dtype("u1")) == DataType("a", {"n": 1}, np.dtype("u2"))
    assert DataType("a", {"n": 1}) != DataType("a", {"n": 2})
    assert hash(DataType("a", {"n": 1})) == hash(DataType("a", {"n": 2}))


def test_an_error_names_the_type_and_the_value() -> None:
    short = no_element("x", DataType("float32", {}, np.dtype("<f4")))
    assert str(short) == "fill_value: expected an element of type float32, found the string 'x'"
    record = no_element([1], DataType("struct", {"fields": []}, RECORD))
    assert "of type struct, found an array of 1" in str(record)


def test_small_numbers_are_those_of_ml_dtypes() -> None:
    assert is_small_number(np.dtype(ml_dtypes.float8_e5m2))
    assert not is_small_number(np.dtype("<f2"))
